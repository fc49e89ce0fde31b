"""Loads, operators and the moves of the stack."""

from __future__ import annotations

import ast
from collections.abc import Callable
from types import CodeType

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.literals import SCALARS, from_display, has_slice, is_literal, literal
from unjit.decompiler.ir.tree.nodes import (
    LOAD,
    CellRef,
    CodeConst,
    Define,
    EnterWith,
    GetIter,
    Helper,
    Inplace,
    Null,
    ObjectConst,
    SavedLocal,
    SelfMarker,
    Temp,
)
from unjit.decompiler.ir.tree.notes import offset_of
from unjit.decompiler.lift.machine import Machine

BINARY: dict[str, type[ast.operator]] = {
    "ADD": ast.Add,
    "AND": ast.BitAnd,
    "FLOOR_DIVIDE": ast.FloorDiv,
    "LSHIFT": ast.LShift,
    "MATRIX_MULTIPLY": ast.MatMult,
    "MULTIPLY": ast.Mult,
    "MODULO": ast.Mod,
    "OR": ast.BitOr,
    "POWER": ast.Pow,
    "RSHIFT": ast.RShift,
    "SUBTRACT": ast.Sub,
    "TRUE_DIVIDE": ast.Div,
    "XOR": ast.BitXor,
}
# BINARY_OP's argument, in the order of CPython's NB_* numbers; the in-place half follows in the same order.
NUMBERED = tuple(BINARY.values())
UNARY: dict[str, type[ast.unaryop]] = {
    "UNARY_POSITIVE": ast.UAdd,
    "UNARY_NEGATIVE": ast.USub,
    "UNARY_NOT": ast.Not,
    "UNARY_INVERT": ast.Invert,
}
COMPARE: dict[str, type[ast.cmpop]] = {
    "<": ast.Lt,
    "<=": ast.LtE,
    "==": ast.Eq,
    "!=": ast.NotEq,
    ">": ast.Gt,
    ">=": ast.GtE,
}


def constant(value: object) -> ast.expr:
    """The atom for a constant: a literal where one exists."""
    if type(value) in SCALARS or is_literal(value):
        return literal(value)
    return CodeConst(value) if isinstance(value, CodeType) else ObjectConst(value)


def _nothing(m: Machine, i: Instr) -> None:
    del m, i


def _load_const(m: Machine, i: Instr) -> None:
    if type(i.value) in SCALARS:
        m.push_atom(ast.Constant(i.value), i.offset)  # type: ignore[arg-type]  # a literal
    elif has_slice(i.value):
        m.push(slice_display(i.value))
    else:
        m.push_atom(constant(i.value), i.offset)


def slice_display(value: object) -> ast.expr:
    """A constant slice, or a tuple with such in it, as what stands between brackets."""
    if isinstance(value, slice):
        step = None if value.step is None else constant(value.step)
        return slice_of(constant(value.start), constant(value.stop), step)
    if isinstance(value, tuple):
        return ast.Tuple([slice_display(item) for item in value], LOAD)
    return constant(value)


def _load_fast(m: Machine, i: Instr) -> None:
    """A local is read when its value is used; a store to it in between takes the value first (see stores)."""
    if i.value in m.cells:  # from 3.13 on, how a cell itself is loaded
        m.push_atom(CellRef(str(i.value)))
    elif m.eager_locals:
        m.push(ast.Name(str(i.value), LOAD))
    else:
        local = ast.Name(str(i.value), LOAD)
        local.fast = True  # type: ignore[attr-defined]  # reading it again or later is the same
        m.push_atom(local, i.offset + _is_second_half(m, i) if v.PY313 else i.offset)


def _is_second_half(m: Machine, i: Instr) -> bool:
    """Whether the instruction before is one with this (3.13): nothing else tells which local was loaded first.

    No instruction has an odd offset, so that one more than that of both is free.
    """
    loaded, stored = m.stack[-1] if m.stack else None, m.statements[-1] if m.statements else None
    halves = (each for each in (loaded, stored) if isinstance(each, (ast.Name, ast.Assign)))
    return i.offset in map(offset_of, halves)


def _load_name(m: Machine, i: Instr) -> None:
    m.push(ast.Name(str(i.value), LOAD))


def _load_global(m: Machine, i: Instr) -> None:
    with_null = i.arg & 1 and v.NAME_FLAG_BITS.get("LOAD_GLOBAL", 0)
    if with_null and not v.PY313:
        m.push_atom(Null())
    m.push(ast.Name(str(i.value), LOAD))
    if with_null and v.PY313:
        m.push_atom(Null())


def _load_cell(m: Machine, i: Instr) -> None:
    m.push_atom(CellRef(str(i.value)))


def _load_attr(m: Machine, i: Instr) -> None:
    m.push(ast.Attribute(m.operand(), str(i.value), LOAD))
    if i.op == "LOAD_METHOD" or (i.arg & 1 and "LOAD_ATTR" in v.NAME_FLAG_BITS):
        m.push_atom(SelfMarker())


def _load_super_attr(m: Machine, i: Instr) -> None:
    """`super().x` and `super(C, self).x` in one instruction; bit 1 says that super had arguments."""
    function, class_, self_ = m.pop_many(3)
    args = [class_, self_] if i.arg & 2 else []
    if not args:  # what super() finds by itself was loaded for it
        while m.statements and isinstance(last := m.statements[-1], Define) and last.temp in (class_, self_):
            m.statements.pop()
    called = m.define(ast.Call(function, args, []))
    m.push(ast.Attribute(called, str(i.value), LOAD))
    if i.arg & 1:
        m.push_atom(SelfMarker())


def _load_fast_and_clear(m: Machine, i: Instr) -> None:
    m.push_atom(SavedLocal(str(i.value)))


def _push_null(m: Machine, i: Instr) -> None:
    del i
    m.push_atom(Null())


def _pop_top(m: Machine, i: Instr) -> None:
    """A `Define` that nobody reads becomes an expression statement where it stands; so does a local just loaded.

    One that was loaded before may have been so for something else, such as a return that a finally suite overrides.
    """
    value = m.pop()
    if type(value) is ast.Name and offset_of(value) == i.offset - v.CODE_UNIT:
        m.emit(ast.Expr(value))


def _end_for(m: Machine, i: Instr) -> None:
    """An exhausted loop leaves its iterator and an empty slot; from 3.13 on another instruction takes the iterator."""
    del i
    m.pop_many(1 if v.PY313 else 2)


def _copy(m: Machine, i: Instr) -> None:
    if i.arg == 1:
        _duplicate(m, i)
    else:
        m.push_again(m.peek(i.arg))


def _duplicate(m: Machine, i: Instr) -> None:
    """One value for two readers: `a = b = x`, `(a := x).y`, `x.y += 1`."""
    del i
    value = m.peek(1)
    if type(value) in (ast.Name, ast.Constant):
        m.pop()
        value = m.push(value)
    m.push_again(value)


def _dup_top_two(m: Machine, i: Instr) -> None:
    del i
    first, second = m.peek(2), m.peek(1)
    m.push_again(first)
    m.push_again(second)


def _swap(m: Machine, i: Instr) -> None:
    m.peek(i.arg)
    m.stack[-1], m.stack[-i.arg] = m.stack[-i.arg], m.stack[-1]


def _rotate(count: int | None) -> Callable[[Machine, Instr], None]:
    def rotate(m: Machine, i: Instr) -> None:
        depth = i.arg if count is None else count
        m.peek(depth)
        m.stack.insert(len(m.stack) - depth, m.stack.pop())

    return rotate


def _unary(m: Machine, i: Instr) -> None:
    m.push(ast.UnaryOp(UNARY[i.op](), m.operand()))


def _binary_named(m: Machine, i: Instr) -> None:
    form, _, operator = i.op.partition("_")
    left, right = m.operands(2)
    kind = Inplace if form == "INPLACE" else ast.BinOp
    m.push(kind(left, BINARY[operator](), right))


def _binary_op(m: Machine, i: Instr) -> None:
    if i.arg == v.SUBSCRIPT:
        _subscript(m, i)
        return
    left, right = m.operands(2)
    kind = Inplace if i.arg >= len(NUMBERED) else ast.BinOp
    m.push(kind(left, NUMBERED[i.arg % len(NUMBERED)](), right))


def _subscript(m: Machine, i: Instr) -> None:
    del i
    container, key = m.operands(2)
    m.push(ast.Subscript(container, key, LOAD))


def _slice(m: Machine, i: Instr) -> None:
    del i
    container, lower, upper = m.operands(3)
    m.push(ast.Subscript(container, slice_of(lower, upper), LOAD))


def slice_of(lower: ast.expr, upper: ast.expr, step: ast.expr | None = None) -> ast.Slice:
    """The slice display with these parts; a part that is left out in source is a None here, since it was loaded."""
    return ast.Slice(lower, upper, step)


def _build_slice(m: Machine, i: Instr) -> None:
    if i.arg not in (2, 3):
        raise CannotExpress(f"BUILD_SLICE at offset {i.offset} makes a slice of {i.arg} parts")
    m.push(slice_of(*m.operands(i.arg)))


def _compare(m: Machine, i: Instr) -> None:
    left, right = m.operands(2)
    m.push(ast.Compare(left, [COMPARE[str(i.value)]()], [right]))


def _is(m: Machine, i: Instr) -> None:
    left, right = m.operands(2)
    m.push(_asked(ast.Compare(left, [ast.IsNot() if i.arg else ast.Is()], [right])))


def _contains(m: Machine, i: Instr) -> None:
    left, right = m.operands(2)
    m.push(_asked(ast.Compare(left, [ast.NotIn() if i.arg else ast.In()], [from_display(right)])))


def _asked(compared: ast.Compare) -> ast.Compare:
    """A comparison that has an opposite, as the bytecode asks for it."""
    compared.turned = False  # type: ignore[attr-defined]  # a note of ours on the node
    return compared


def _get_iter(m: Machine, i: Instr) -> None:
    """For a loop; from 3.15 on also, with an argument, for `yield from`."""
    if v.PY315 and i.arg:
        m.push(Helper("GET_YIELD_FROM_ITER", [m.pop()]))
    else:
        m.push(GetIter(from_display(m.operand())))
    m.push_nulls(v.SLOTS_OF_ITERATOR - 1)


def _pop_iter(m: Machine, i: Instr) -> None:
    del i
    m.pop_many(v.SLOTS_OF_ITERATOR)


def _yield_value(m: Machine, i: Instr) -> None:
    del i
    m.push(ast.Yield(m.pop()))


def helper_of_one(m: Machine, i: Instr) -> None:
    """An instruction that has no syntax of its own, and takes one value for another."""
    m.push(Helper(i.op, [m.pop()]))


def _yield_from(m: Machine, i: Instr) -> None:
    """Drive the iterator below the top to its end. Only `await` and `yield from` say it."""
    sent = m.pop()
    receiver = m.pop_many(v.SLOTS_OF_ITERATOR)[0]
    source = receiver.definition if isinstance(receiver, Temp) else None
    if not isinstance(source, Helper) or not is_none(sent) or not m.take_back(receiver):
        raise CannotExpress(f"{i.op} at offset {i.offset} drives no awaitable that was just made")
    kind = ast.Await if source.name == "GET_AWAITABLE" else ast.YieldFrom
    if i.op == "SEND" and v.PY312:
        m.push_nulls(v.SLOTS_OF_ITERATOR)  # END_SEND drops the receiver from below the result
    entered = m.statements[-1] if m.statements else None
    if isinstance(entered, EnterWith) and entered.is_async and entered.entered is source.args[0]:
        m.push_atom(entered.entered)  # async with awaits what entering gives by itself
    else:
        m.push(kind(source.args[0]))


def _get_aiter(m: Machine, i: Instr) -> None:
    del i
    m.push(GetIter(m.pop()))


def _end_send(m: Machine, i: Instr) -> None:
    del i
    value = m.pop()
    m.pop_many(v.SLOTS_OF_ITERATOR)
    m.push_atom(value)


OPERATIONS = {
    **dict.fromkeys(
        (
            "NOP",
            "RESUME",
            "GEN_START",
            "COPY_FREE_VARS",
            "MAKE_CELL",
            "PRECALL",
            "TO_BOOL",
            "POP_BLOCK",
            "SETUP_ANNOTATIONS",
        ),
        _nothing,
    ),
    "LOAD_CONST": _load_const,
    "LOAD_FAST": _load_fast,
    **dict.fromkeys(("LOAD_FAST_CHECK", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF"), _load_name),
    "LOAD_FAST_AND_CLEAR": _load_fast_and_clear,
    "LOAD_GLOBAL": _load_global,
    "LOAD_CLOSURE": _load_cell,
    "LOAD_ATTR": _load_attr,
    "LOAD_METHOD": _load_attr,
    "LOAD_SUPER_ATTR": _load_super_attr,
    "PUSH_NULL": _push_null,
    "POP_TOP": _pop_top,
    "PRINT_EXPR": _pop_top,  # a prompt prints what a statement there leaves
    "END_FOR": _end_for,
    "POP_ITER": _pop_iter,
    "COPY": _copy,
    "DUP_TOP": _duplicate,
    "DUP_TOP_TWO": _dup_top_two,
    "SWAP": _swap,
    "ROT_TWO": _rotate(2),
    "ROT_THREE": _rotate(3),
    "ROT_FOUR": _rotate(4),
    "ROT_N": _rotate(None),
    **dict.fromkeys(UNARY, _unary),
    **{f"{form}_{operator}": _binary_named for form in ("BINARY", "INPLACE") for operator in BINARY},
    "BINARY_OP": _binary_op,
    "BINARY_SUBSCR": _subscript,
    "BINARY_SLICE": _slice,
    "BUILD_SLICE": _build_slice,
    "COMPARE_OP": _compare,
    "IS_OP": _is,
    "CONTAINS_OP": _contains,
    "GET_ITER": _get_iter,
    "YIELD_VALUE": _yield_value,
    "ASYNC_GEN_WRAP": _nothing,
    "GET_AITER": _get_aiter,
    "GET_AWAITABLE": helper_of_one,
    "GET_YIELD_FROM_ITER": helper_of_one,
    "YIELD_FROM": _yield_from,
    "SEND": _yield_from,
    "END_SEND": _end_send,
    "RETURN_GENERATOR": lambda m, _i: m.push_atom(Null()),
}
