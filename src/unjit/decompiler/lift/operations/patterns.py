"""What a match statement asks of its subject."""

from __future__ import annotations

import ast

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.ir.tree.nodes import Helper, Temp
from unjit.decompiler.lift.machine import Machine


def _value_at(m: Machine, depth: int) -> ast.expr:
    """The value at a depth; a local is taken now, so that all that is asked is asked of one value."""
    value = m.peek(depth)
    if isinstance(value, Temp):
        return value
    taken = m.define(value)
    m.stack[-depth] = taken
    return taken


def _ask(m: Machine, i: Instr) -> None:
    m.push(Helper(i.op, [_value_at(m, 1)]))


def _match_keys(m: Machine, i: Instr) -> None:
    """The values for the keys, or None; before 3.11 also whether they were found."""
    found = m.push(Helper(i.op, [_value_at(m, 2), m.peek(1)]))
    if not v.PY311:
        m.push(_is_found(found))


def _match_class(m: Machine, i: Instr) -> None:
    """The attributes, or None; before 3.11 also whether there are all of them."""
    subject = _value_at(m, 3)
    _, class_, names = m.pop_many(3)
    found = m.push(Helper(i.op, [subject, class_, names, ast.Constant(i.arg)]))
    if not v.PY311:
        m.push(_is_found(found))


def _is_found(found: Temp) -> ast.expr:
    return ast.Compare(found, [ast.IsNot()], [ast.Constant(None)])


def _copy_without_keys(m: Machine, i: Instr) -> None:
    m.push(Helper(i.op, [_value_at(m, 2), m.pop()]))


OPERATIONS = {
    **dict.fromkeys(("GET_LEN", "MATCH_SEQUENCE", "MATCH_MAPPING"), _ask),
    "MATCH_KEYS": _match_keys,
    "MATCH_CLASS": _match_class,
    "COPY_DICT_WITHOUT_KEYS": _copy_without_keys,
}
