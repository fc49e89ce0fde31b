"""`except*` (3.11 and later): an exception group is split by each clause, and what is left over is raised again."""

from __future__ import annotations

import ast

from unjit.bytecode import Instr
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.nodes import LEFT_OVER, HandledException, Helper, MatchesGroup
from unjit.decompiler.lift.machine import Machine


def _split_group(m: Machine, i: Instr) -> None:
    """The part that matches, or None; below it the rest of the group."""
    type_, group = m.pop(), m.pop()
    if not isinstance(group, HandledException):
        raise CannotExpress(f"{i.op} at offset {i.offset} splits something else than the exception being handled")
    m.push_atom(HandledException(group.handler, "rest"))
    m.push(MatchesGroup(type_, group.handler))


def left_over(m: Machine, i: Instr) -> None:
    """What no clause took, and what clauses raised, as one exception, or None."""
    group, gathered = m.pop_many(2)
    if not isinstance(group, HandledException):
        raise CannotExpress(f"{i.op} at offset {i.offset} puts together something else than what is handled")
    m.push(Helper(LEFT_OVER, [gathered, ast.Constant(group.handler)]))


OPERATIONS = {"CHECK_EG_MATCH": _split_group, "PREP_RERAISE_STAR": left_over}
