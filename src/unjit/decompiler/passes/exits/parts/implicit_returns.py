"""Whether a `return None` is the one that the compiler puts at a function's end: it has the line of what it follows."""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.clauses import asks_for_clause
from unjit.decompiler.ir.flow.graph import Block, Branch
from unjit.decompiler.ir.flow.unbinding import only_unbinds, unbound_name
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.notes import is_written

_LEAVING = frozenset({"POP_BLOCK", "POP_EXCEPT"})  # they may have the line of the return that is written


def is_implicit_return(block: Block, before: dict[Block, Block]) -> bool:
    """Whether the block only returns None, on the line of the test that leads to it: `before` knows which.

    At the end of a clause it may unbind the name of that first, and have no line where several come to it.
    """
    returned = block.statements[-1]
    unbinding = 0 if unbound_name(block.statements) is None else 2
    if len(block.statements) != unbinding + 1 or not isinstance(returned, ast.Return):
        return False
    if not is_none(returned.value):
        return False
    above = _real_before(block, before)
    if above is None or is_written(returned) or _is_written_arm(block, above):
        return False
    worked = next((i for i in reversed(above.instrs) if i.op not in _LEAVING), None)
    line = worked.line if worked is not None else above.last_line
    return block.last_line == line or (unbinding > 0 and block.last_line is None)


def _is_written_arm(block: Block, before: Block) -> bool:
    """Whether the block was laid out right after the test: the implicit return is not, since the other arm is."""
    if not isinstance(before.terminator, Branch):
        return False
    near, far = before.terminator.edges()
    return near.target is block and near.laid_to < far.laid_to


def _real_before(block: Block, before: dict[Block, Block]) -> Block | None:
    """The block before, past those that only leave a handler, whose line is that of the statement that leaves it.

    Not past one that is all of a clause: it has the line of a `pass`.
    """
    found = before.get(block)
    while found is not None and (only_unbinds(found) or (not found.statements and found.leaves_handler)):
        further = before.get(found)
        if further is not None and asks_for_clause(further):
            break
        found = further
    return found
