"""Raising, handling and the context managers' own instructions.

A handler's block starts with `HandledException` on the stack. On 3.10 entering a handler saves three values and pushes
three; later versions push one and save one when PUSH_EXC_INFO asks for it.
"""

from __future__ import annotations

import ast

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.nodes import (
    LEFT_OVER,
    AssertionErrorRef,
    EnterMethod,
    EnterWith,
    ExitSuppresses,
    HandledException,
    Helper,
    MatchesException,
    NotImplementedErrorRef,
    Reraise,
    SavedException,
    SelfMarker,
    Temp,
)
from unjit.decompiler.ir.tree.notes import mark
from unjit.decompiler.lift.machine import Machine
from unjit.decompiler.lift.operations.values import constant

_EXIT, _AENTER, _AEXIT = 1, 2, 3  # LOAD_SPECIAL's argument; 0 is `__enter__`


def at_handler(handler: int, *, lasti: bool) -> list[ast.expr]:
    """What lies above the handler's depth when it is entered."""
    if v.PY311:
        saved: list[ast.expr] = [SavedException()] if lasti else []
        return [*saved, HandledException(handler)]
    saved = [SavedException(), SavedException(), SavedException()]
    return [*saved, *(HandledException(handler, part) for part in ("traceback", "value", "type"))]


def _push_exc_info(m: Machine, i: Instr) -> None:
    del i
    exception = m.pop()
    m.push_atom(SavedException())
    m.push_atom(exception)


def _pop_except(m: Machine, i: Instr) -> None:
    saved = m.pop_many(1 if v.PY311 else 3)
    if not all(isinstance(value, SavedException) for value in saved):
        raise CannotExpress(f"POP_EXCEPT at offset {i.offset} restores something else than what was saved")


def _reraise(m: Machine, i: Instr) -> None:
    exception = m.pop() if v.PY311 else m.pop_many(3)[1]
    if not isinstance(exception, HandledException) and not _is_left_over(exception):
        raise CannotExpress(f"RERAISE at offset {i.offset} raises an exception that is not the one handled")
    m.emit(Reraise())


def _is_left_over(exception: ast.expr) -> bool:
    """Whether this is what remains of an exception group."""
    made = exception.definition if isinstance(exception, Temp) else None
    return isinstance(made, Helper) and made.name == LEFT_OVER


def _raise(m: Machine, i: Instr) -> None:
    parts: list[ast.expr | None] = [*m.pop_many(i.arg), None, None]
    m.emit(ast.Raise(parts[0], parts[1]))


def _check_exc_match(m: Machine, i: Instr) -> None:
    del i
    m.push(MatchesException(m.pop()))


def _load_assertion_error(m: Machine, i: Instr) -> None:
    del i
    m.push(AssertionErrorRef())


def _load_common_constant(m: Machine, i: Instr) -> None:
    if i.value is AssertionError:
        m.push(AssertionErrorRef())
    elif i.value is NotImplementedError:
        m.push(NotImplementedErrorRef())
    else:
        raise CannotExpress(f"{i.op} at offset {i.offset} loads a builtin that no source names")


def _return(m: Machine, i: Instr) -> None:
    del i
    m.emit(ast.Return(m.operand()))


def _return_const(m: Machine, i: Instr) -> None:
    m.emit(ast.Return(constant(i.value)))


def _before_with(m: Machine, i: Instr) -> None:
    exit_, entered = Temp(), Temp()
    for temp in (exit_, entered):
        mark(temp, i.offset)
    exit_.exit_of = m.pop()
    m.emit(EnterWith(exit_.exit_of, exit_, entered, is_async=i.op == "BEFORE_ASYNC_WITH"))
    m.push_atom(exit_)
    m.push_atom(entered)


def _load_special(m: Machine, i: Instr) -> None:
    """From 3.14 on: first the exit function, then the one that enters, each with its own slot for the manager."""
    manager = m.pop()
    if i.arg in (_EXIT, _AEXIT):
        method: ast.expr = (leaving := Temp())
        leaving.exit_of = manager
        mark(method, i.offset)
    else:
        exit_ = m.peek(2)
        if not isinstance(exit_, Temp):
            raise CannotExpress(f"{i.op} at offset {i.offset} enters a context whose exit is not at hand")
        method = EnterMethod(manager, exit_, is_async=i.arg == _AENTER)
    m.push_atom(method)
    m.push_atom(SelfMarker())


def enter(m: Machine, method: EnterMethod) -> None:
    """Calling what LOAD_SPECIAL found."""
    entered = Temp()
    mark(entered, m.offset)
    m.emit(EnterWith(method.manager, method.exit, entered, is_async=method.is_async))
    m.push_atom(entered)


def _with_except_start(m: Machine, i: Instr) -> None:
    """Pushes what the exit function answers for the exception; how far down it lies depends on the version."""
    del i
    m.push(ExitSuppresses(m.peek(5 if v.PY314 else 4 if v.PY311 else 7)))


OPERATIONS = {
    "PUSH_EXC_INFO": _push_exc_info,
    "POP_EXCEPT": _pop_except,
    "RERAISE": _reraise,
    "RAISE_VARARGS": _raise,
    "CHECK_EXC_MATCH": _check_exc_match,
    "LOAD_ASSERTION_ERROR": _load_assertion_error,
    "LOAD_COMMON_CONSTANT": _load_common_constant,
    "LOAD_SPECIAL": _load_special,
    "RETURN_VALUE": _return,
    "RETURN_CONST": _return_const,
    "BEFORE_WITH": _before_with,
    "BEFORE_ASYNC_WITH": _before_with,
    "SETUP_ASYNC_WITH": lambda _m, _i: None,
    "SETUP_WITH": _before_with,
    "SETUP_FINALLY": lambda _m, _i: None,
    "WITH_EXCEPT_START": _with_except_start,
}
