"""Stores, deletions, unpacking and imports."""

from __future__ import annotations

import ast

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.nodes import (
    STORE,
    ImportMember,
    ImportModule,
    Null,
    SavedException,
    SavedLocal,
    SelfMarker,
    Temp,
)
from unjit.decompiler.ir.tree.notes import mark
from unjit.decompiler.lift.machine import Machine
from unjit.decompiler.lift.operations.values import slice_of

_NO_VALUES = frozenset({SelfMarker, SavedException})


def _store_name(m: Machine, i: Instr) -> None:
    value = m.pop()
    if isinstance(value, SavedLocal):
        if value.id != i.value:
            raise CannotExpress(f"local {i.value} gets back what {value.id} held, at offset {i.offset}")
        return
    if not (i.op == "STORE_FAST" and type(value) is ast.Name and value.id == i.value):  # `x = x` changes nothing
        m.before_store(str(i.value), value)
    target = ast.Name(str(i.value), STORE)
    target.fast = i.op == "STORE_FAST"  # type: ignore[attr-defined]  # nobody else sees the order of such stores
    if isinstance(value, Null):  # unbinds the variable, bound or not
        m.emit(ast.Assign([target], ast.Constant(None)))
        m.emit(ast.Delete([ast.Name(str(i.value), ast.Del())]))
    else:
        assert type(value) not in _NO_VALUES
        m.emit(ast.Assign([target], m.folded([value])[0]))


def _delete_name(m: Machine, i: Instr) -> None:
    m.before_store(str(i.value))
    m.emit(ast.Delete([ast.Name(str(i.value), ast.Del())]))


def _store_attr(m: Machine, i: Instr) -> None:
    value, owner = m.operands(2)
    m.emit(ast.Assign([ast.Attribute(owner, str(i.value), STORE)], value))


def _delete_attr(m: Machine, i: Instr) -> None:
    m.emit(ast.Delete([ast.Attribute(m.pop(), str(i.value), ast.Del())]))


def _store_subscr(m: Machine, i: Instr) -> None:
    del i
    value, container, key = m.operands(3)
    m.emit(ast.Assign([ast.Subscript(container, key, STORE)], value))


def _store_slice(m: Machine, i: Instr) -> None:
    del i
    value, container, lower, upper = m.operands(4)
    m.emit(ast.Assign([ast.Subscript(container, slice_of(lower, upper), STORE)], value))


def _delete_subscr(m: Machine, i: Instr) -> None:
    del i
    container, key = m.pop_many(2)
    m.emit(ast.Delete([ast.Subscript(container, key, ast.Del())]))


def _unpack(m: Machine, i: Instr, starred: int | None, count: int) -> None:
    value = m.pop()
    parts: list[ast.expr] = [Temp() for _ in range(count)]
    for part in parts:
        mark(part, i.offset)
    targets = [ast.Starred(p, STORE) if k == starred else p for k, p in enumerate(parts)]
    m.emit(ast.Assign([ast.Tuple(targets, STORE)], value))
    for part in reversed(parts):
        m.push_atom(part)


def _unpack_sequence(m: Machine, i: Instr) -> None:
    _unpack(m, i, None, i.arg)


def _unpack_ex(m: Machine, i: Instr) -> None:
    before, after = i.arg & 0xFF, i.arg >> 8
    _unpack(m, i, before, before + 1 + after)


def _import_name(m: Machine, i: Instr) -> None:
    level, fromlist = m.pop_many(2)
    if not (isinstance(level, ast.Constant) and isinstance(fromlist, ast.Constant) and isinstance(level.value, int)):
        raise CannotExpress(f"what is imported from {i.value} is known only when it runs")
    is_lazy = bool(v.NAME_FLAG_BITS.get(i.op) and i.arg & 1)
    m.push(ImportModule(str(i.value), level.value, fromlist.value, is_lazy=is_lazy))


def _import_from(m: Machine, i: Instr) -> None:
    m.push(ImportMember(m.peek(1), str(i.value)))


OPERATIONS = {
    **dict.fromkeys(("STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF"), _store_name),
    **dict.fromkeys(("DELETE_FAST", "DELETE_NAME", "DELETE_GLOBAL", "DELETE_DEREF"), _delete_name),
    "STORE_ATTR": _store_attr,
    "DELETE_ATTR": _delete_attr,
    "STORE_SUBSCR": _store_subscr,
    "STORE_SLICE": _store_slice,
    "DELETE_SUBSCR": _delete_subscr,
    "UNPACK_SEQUENCE": _unpack_sequence,
    "UNPACK_EX": _unpack_ex,
    "IMPORT_NAME": _import_name,
    "IMPORT_FROM": _import_from,
}
