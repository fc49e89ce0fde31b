"""What is left of a `break`, `continue` or `return`: the iterators that it drops, or a NOP with its line."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence
from itertools import pairwise, takewhile

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.ir.flow.graph import Block, Branch, Graph, Leave
from unjit.decompiler.ir.flow.unbinding import DELETES
from unjit.decompiler.ir.tree.nodes import Define

DROPS_ITERATOR = frozenset({"POP_TOP", "POP_ITER"})
GOES_ON = v.UNCONDITIONAL_JUMPS | DROPS_ITERATOR | {"NOP", "NOT_TAKEN", "POP_EXCEPT"}
LEFT_BY_JUMPS = GOES_ON | {"RESUME", "LOAD_CONST", "RETURN_VALUE", "RETURN_CONST"}


def working(instrs: Sequence[Instr]) -> Iterator[Instr]:
    """Those that do more than a jump statement leaves, which also takes the name of an exception away."""
    unbinding = _unbinding(instrs)
    return (instr for instr in instrs if instr.op not in LEFT_BY_JUMPS and instr.offset not in unbinding)


def _unbinding(instrs: Sequence[Instr]) -> set[int]:
    """Where the name of a handled exception is stored and deleted, which has the place of what the clause ends in."""
    pairs = [(one, other) for one, other in pairwise(instrs) if other.op in DELETES and one.op.startswith("STORE")]
    return {instr.offset for one, other in pairs if one.value == other.value for instr in (one, other)}


def leading_nop(block: Block | None) -> Instr | None:
    """The NOP with a line that a block begins with, if it does: what is left of a `return` before a cleanup."""
    first = block.begins_with if block is not None else None
    return first if first is not None and first.op == "NOP" else None


def iterator_dropped(instrs: Sequence[Instr]) -> int:
    """How many instructions at the beginning, on one line, drop the iterator of a loop (on 3.15, both of its slots)."""
    dropping = takewhile(lambda instr: instr.op in DROPS_ITERATOR and instr.line == instrs[0].line, instrs)
    return sum(1 for _ in dropping)


def is_break(block: Block, graph: Graph) -> bool:
    """Whether a block ends in a `break` after other statements: a jump forward in a place of its own."""
    jump = block.instrs[-1] if block.statements and block.instrs else None
    if jump is None or jump.op not in v.UNCONDITIONAL_JUMPS or jump.op in v.BACKWARD_JUMPS or jump.line is None:
        return False
    before = next((i for i in reversed(block.instrs[:-1]) if i.op != "NOP" and i.line is not None), None)
    if before is None or before.line != jump.line:
        return before is not None and (before.line or 0) < jump.line
    place = graph.positions.at(jump.offset)
    return place is not None and place.width == len("break") and place != graph.positions.at(before.offset)


def leaves_a_loop_first(block: Block) -> bool:
    """Whether the iterator is dropped before what is returned is computed: a `break` came before the return.

    A constant is loaded after that in any case.
    """
    first = block.statements[0] if isinstance(block.terminator, Leave) and block.statements else None
    if first is None or (isinstance(first, ast.Return) and isinstance(first.value, ast.Constant)):
        return False
    instrs = [instr for instr in block.instrs if instr.line is not None]
    count = iterator_dropped(instrs)
    return 0 < count < len(instrs) and instrs[0].line != instrs[count].line


def ends_statements(block: Block, following: Block) -> bool:
    """Whether a statement ends between the two blocks, so that they are not to be one.

    Either a `break` stood there, or the compiler laid out other code between them: the first jumps over it.
    """
    if leaves_a_loop_first(following):
        return True
    if not block.statements or isinstance(block.statements[-1], Define):
        return False
    if not following.statements and not isinstance(following.terminator, Branch):
        return False
    jump = block.instrs[-1]
    return jump.op in v.UNCONDITIONAL_JUMPS and following.stands_at > jump.offset + v.CODE_UNIT
