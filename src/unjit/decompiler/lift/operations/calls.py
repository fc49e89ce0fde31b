"""Calls in the shapes that six versions of CPython give them."""

from __future__ import annotations

import ast

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.nodes import EnterMethod, Helper, Null, SelfMarker
from unjit.decompiler.lift.machine import Machine
from unjit.decompiler.lift.operations.exceptions import enter
from unjit.decompiler.lift.operations.type_parameters import hidden_function

_NO_VALUES = frozenset({Null, SelfMarker})  # in the second of a call's two slots


def _kw_names(m: Machine, i: Instr) -> None:
    assert isinstance(i.value, tuple)
    m.keyword_names = i.value


def _call(m: Machine, i: Instr) -> None:
    """CALL of 3.11 and later: two slots below the arguments, one of them a callable."""
    args = m.pop_many(i.arg)
    keywords, m.keyword_names = m.keyword_names, ()
    _finish_call(m, args, keywords)


def _call_kw(m: Machine, i: Instr) -> None:
    names = _pop_names(m)
    _finish_call(m, m.pop_many(i.arg), names)


def _pop_names(m: Machine) -> tuple[str, ...]:
    """The names of the last arguments, which lie above them."""
    names = m.pop()
    if not (isinstance(names, ast.Constant) and isinstance(names.value, tuple)):
        raise CannotExpress("the names of keyword arguments are known only when it runs")
    return names.value


def _finish_call(m: Machine, args: list[ast.expr], keywords: tuple[str, ...]) -> None:
    low, high = m.pop_many(2)
    if not args and isinstance(low, EnterMethod):
        enter(m, low)
        return
    if type(high) in _NO_VALUES:
        function = low
    elif type(low) is Null:
        function = high
    else:  # a callable and, as its first argument, what lies above it
        function, args = low, [high, *args]
    hidden = hidden_function(m, function)
    if hidden is None:
        function, *args = m.folded([function, *args])
        m.push(call(function, args, keywords))
    else:  # made after its arguments
        m.push(Helper("WITH_TYPE_PARAMETERS", [*args, hidden]))


def call(function: ast.expr, args: list[ast.expr], keywords: tuple[str, ...] = ()) -> ast.Call:
    """A call whose last arguments go by these names."""
    if not keywords:
        return ast.Call(function, args, [])
    split = len(args) - len(keywords)
    named = [ast.keyword(name, value) for name, value in zip(keywords, args[split:], strict=True)]
    return ast.Call(function, args[:split], named)


def _call_function(m: Machine, i: Instr) -> None:
    args = m.pop_many(i.arg)
    m.push(call(m.pop(), args))


def _call_function_kw(m: Machine, i: Instr) -> None:
    names = _pop_names(m)
    args = m.pop_many(i.arg)
    m.push(call(m.pop(), args, names))


def _call_method(m: Machine, i: Instr) -> None:
    _finish_call(m, m.pop_many(i.arg), ())


def _call_function_ex(m: Machine, i: Instr) -> None:
    spread = m.take() if v.PY314 or i.arg & 1 else Null()
    arguments = m.spread(m.take())
    keywords = [] if isinstance(spread, Null) else [ast.keyword(None, m.made(spread))]
    function = m.pop()
    if v.PY313:
        function = m.pop()
    elif v.PY311:
        m.pop()
    m.kept.add(m.push(ast.Call(function, arguments, keywords)))  # `merge_keywords` asks which call takes a dict


OPERATIONS = {
    "KW_NAMES": _kw_names,
    "CALL": _call,
    "CALL_KW": _call_kw,
    "CALL_FUNCTION": _call_function,
    "CALL_FUNCTION_KW": _call_function_kw,
    "CALL_METHOD": _call_method,
    "CALL_FUNCTION_EX": _call_function_ex,
}
