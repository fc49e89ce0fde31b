"""Tuples, lists, sets, dicts and strings being built."""

from __future__ import annotations

import ast

from unjit.bytecode import Instr
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.constants import is_like_no_other
from unjit.decompiler.ir.tree.literals import kept_apart
from unjit.decompiler.ir.tree.nodes import LOAD, Accumulate, Helper
from unjit.decompiler.ir.tree.order import LONGEST_DICT
from unjit.decompiler.lift.machine import Machine
from unjit.decompiler.lift.operations.values import helper_of_one

CONVERSIONS = (-1, ord("s"), ord("r"), ord("a"))


def _tuple(m: Machine, i: Instr) -> None:
    m.push(ast.Tuple(m.operands(i.arg), LOAD))


def _list(m: Machine, i: Instr) -> None:
    m.push(ast.List(m.operands(i.arg), LOAD))


def _set(m: Machine, i: Instr) -> None:
    m.push(ast.Set(kept_apart(m.pop_many(i.arg))))


def _map(m: Machine, i: Instr) -> None:
    m.push(dict_of_map(m.pop_many(2 * i.arg)))


def dict_of_map(pairs: list[ast.expr]) -> ast.Dict | Helper:
    """The display of keys and values in turn; a call of a helper where a display would ask keys for their hash earlier.

    Of a long display each key is hashed before what follows is evaluated, and those of its second part are compared
    with each other before they are with those of its first.
    """
    keys = pairs[0::2]
    is_made_at_once = len(keys) <= LONGEST_DICT or all(map(is_like_no_other, keys))
    return ast.Dict(list(keys), pairs[1::2]) if is_made_at_once else Helper("BUILD_MAP", pairs)


def _const_key_map(m: Machine, i: Instr) -> None:
    keys = m.pop()
    if not isinstance(keys, ast.Constant):
        raise CannotExpress(f"the keys of the dict that is made at offset {i.offset} are known only when it runs")
    assert isinstance(keys.value, tuple)
    m.push(ast.Dict([ast.Constant(key) for key in keys.value], m.pop_many(i.arg)))


def _accumulate(m: Machine, i: Instr) -> None:
    value = m.pop()
    key = m.pop() if i.op == "MAP_ADD" else None
    m.emit(Accumulate(i.op, m.peek(i.arg), value, key))


def _format_value(m: Machine, i: Instr) -> None:
    spec = m.pop() if i.arg & 4 else None
    m.push(_formatted(m.pop(), CONVERSIONS[i.arg & 3], spec))


def _formatted(value: ast.expr, conversion: int, spec: ast.expr | None) -> ast.JoinedStr:
    return ast.JoinedStr([ast.FormattedValue(value, conversion, spec)])


def _convert_value(m: Machine, i: Instr) -> None:
    m.push(ast.FormattedValue(m.pop(), CONVERSIONS[i.arg], None))


def _format_simple(m: Machine, i: Instr) -> None:
    del i
    m.push(_formatted(m.pop(), -1, None))


def _format_with_spec(m: Machine, i: Instr) -> None:
    del i
    value, spec = m.pop_many(2)
    m.push(_formatted(value, -1, spec))


def _build_string(m: Machine, i: Instr) -> None:
    m.push(ast.JoinedStr(m.pop_many(i.arg)))


OPERATIONS = {
    "BUILD_TUPLE": _tuple,
    "BUILD_LIST": _list,
    "BUILD_SET": _set,
    "BUILD_MAP": _map,
    "BUILD_CONST_KEY_MAP": _const_key_map,
    **dict.fromkeys(
        ("LIST_APPEND", "SET_ADD", "MAP_ADD", "LIST_EXTEND", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE"),
        _accumulate,
    ),
    "LIST_TO_TUPLE": helper_of_one,
    "FORMAT_VALUE": _format_value,
    "CONVERT_VALUE": _convert_value,
    "FORMAT_SIMPLE": _format_simple,
    "FORMAT_WITH_SPEC": _format_with_spec,
    "BUILD_STRING": _build_string,
}
