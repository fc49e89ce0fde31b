"""The jump statement (`return`, `break`, `continue`) before which a copy of a cleanup stands.

Of it the compiler leaves a NOP with its line; where it leaves a handler, or on 3.10 a `try`, its line is that of the
instruction that does so. The jump itself, after the copy, has the line of the cleanup.
"""

from __future__ import annotations

from dataclasses import replace

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.ir.as_written.jump_statements import leading_nop
from unjit.decompiler.ir.flow.dominators import Dominators
from unjit.decompiler.ir.flow.exits import only_returns_nothing
from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, Graph, Jump, Predecessors
from unjit.decompiler.ir.flow.jumps import onward
from unjit.decompiler.ir.tree.notes import offset_of
from unjit.decompiler.passes.cleanups.parts.match_copies import Copy

_LEAVES = frozenset({"POP_TOP", "POP_ITER", "POP_BLOCK", "POP_EXCEPT", "NOP"})
_ENDS_AWAIT_OR_FOR = frozenset({"END_SEND", "END_FOR", "POP_TOP", "POP_ITER"})


class NopsBefore:
    """The NOPs of the jump statements before the copies in one graph."""

    def __init__(self, predecessors: Predecessors) -> None:
        self._predecessors = predecessors
        # By what is left of a block whose copy was cut out: the NOP before the copy, and the last of a copy after
        # which nothing stood.
        self._cut: dict[Block, Instr] = {}
        self._ends: dict[Block, Instr] = {}

    def note(self, rest: Block, nop: Instr) -> None:
        """A copy was cut out of a block, of which this is the rest; the NOP stood before the copy."""
        self._cut[rest] = nop

    def note_end(self, rest: Block, last: Instr) -> None:
        """A copy was cut out of a block, of which nothing is left; it ended by this instruction."""
        self._ends[rest] = last

    def of(
        self, start: Block, own_line: int | None = None, *, of_with: bool = False, is_return: bool = False
    ) -> Instr | None:
        """The NOP of the jump statement before the copy that begins with `start`; None where none stood there.

        Where only the instruction that leaves a handler or `try` has the statement's line, a NOP is made of it. A NOP
        on the line of what ends before the copy is no statement's. On 3.10 the end of a `with` has the line of what
        stands last in it, so that there (`of_with`) nothing but a NOP counts. Several ways come to a `return` alone.
        A NOP on the first line of the cleanup (`own_line`) is that of a `try` by which the cleanup begins.
        """
        entries = self._predecessors.get(start, [])
        edges = [edge for entry in entries for edge in entry.terminator.edges() if edge.target is start]
        passed = [edge.via for edge in edges]
        only = entries[0] if len(entries) == 1 else None
        nop = leading_nop(start)
        if nop is None and len(passed) == 1:
            nop = leading_nop(passed[0]) or _left_after_end(passed[0]) or _left_after_test(passed[0], only)
        elif nop is None and is_return:
            nop = _at_the_end_of_all(edges, entries)
        if nop is not None and nop.line == own_line:
            nop = None
        if v.PY311 or not of_with:
            nop = nop or _last_of_block(only)
        if nop is None:
            if only is None or only.statements or not isinstance(only.terminator, Jump):
                return None
            earlier = self._cut.get(only) or self.of(only, of_with=of_with)
            return earlier or _after_what_was_done(only, self._predecessors.get(only, []))
        ending = [block.instrs[-1] if block.instrs else self._ends.get(block) for block in entries]
        return None if any(i is not None and i.line == nop.line and i.offset < nop.offset for i in ending) else nop


def _at_the_end_of_all(edges: list[Edge], entries: list[Block]) -> Instr | None:
    """The NOP of the one statement that several edges were led past, none of them out of a handler that ends there."""
    passed = {_last_of_those_passed(edge) for edge in edges}
    if len(passed) != 1 or any(entry.leaves_handler and entry.statements for entry in entries):
        return None
    return leading_nop(*passed)


def _last_of_those_passed(edge: Edge) -> Block | None:
    """The last of the blocks that an edge was led past, and what they had been led past."""
    passed: set[Block] = set()
    while edge.via is not None and edge.via not in passed and isinstance(edge.via.terminator, Jump):
        passed.add(edge.via)
        if edge.via.terminator.edge.via is None:
            return edge.via
        edge = edge.via.terminator.edge
    return edge.via


def _left_after_end(passed: Block | None) -> Instr | None:
    """The NOP after what ends an `await` or a loop and drops what is left of it, on a line below."""
    if passed is None or len(passed.instrs) < 2 or any(i.op not in _ENDS_AWAIT_OR_FOR for i in passed.instrs[:-1]):
        return None
    ended, last = passed.instrs[0], passed.instrs[-1]
    return last if last.op == "NOP" and (last.line or 0) > (ended.line or 0) else None


def _left_after_test(passed: Block | None, above: Block | None) -> Instr | None:
    """Where loops (their iterators dropped), `try` and handlers are left after a test on a line before."""
    if passed is None or above is None or not isinstance(above.terminator, Branch):
        return None
    dropped = passed.begins_with if all(instr.op in _LEAVES for instr in passed.instrs) else None
    if dropped is None or (dropped.line or 0) <= (above.last_line or 0):
        return None
    after_test = above.instrs[-1].offset + v.CODE_UNIT
    is_copied = not v.PY311 and after_test != dropped.offset  # where a jump led to such an end (3.10)
    return None if is_copied else replace(dropped, op="NOP")


def _last_of_block(block: Block | None) -> Instr | None:
    """Where a block ends by leaving a `try` (3.10), or only leaves a handler (later), on a line after what it did."""
    ending: list[Instr] = []
    for instr in reversed(block.instrs if block is not None else []):
        if instr.op != ("POP_EXCEPT" if v.PY311 else "POP_BLOCK"):
            is_after = bool(ending) and (ending[-1].line or 0) > (instr.line or 0) and instr.op != "NOP"
            is_clear = is_after and (not v.PY311 or (block is not None and not block.statements))
            return replace(ending[-1], op="NOP") if is_clear else None
        ending.append(instr)
    return None


def _after_what_was_done(block: Block, above: list[Block]) -> Instr | None:
    """Where a block that does nothing but leave a handler does so on a line after that of what stands before it.

    Not what a jump leads to from a test, such as a `break`: an end of the function without a line is copied for each.
    """
    if not v.PY311 or len(above) != 1 or not (isinstance(above[0].terminator, Branch) or above[0].statements):
        return None
    passed = [edge.via for edge in above[0].terminator.edges() if edge.target is block]
    if any(via is not None and via.instrs[-1].op in v.UNCONDITIONAL_JUMPS for via in passed):
        return None
    left = block.begins_with
    is_jump = left is not None and left.op == "POP_EXCEPT" and (left.line or 0) > (above[0].last_line or 0)
    return replace(left, op="NOP") if is_jump and left is not None else None


def note_jump_statements(graph: Graph, leading: list[tuple[Edge, Instr]]) -> None:
    """Note on each edge that led to a copy the line of the jump statement before it, whose NOP comes with it.

    Several copies were cut out of the ways to one place, so that only the line still tells a `return` from the end of
    the suite. Not where the edge leads to what follows the statement: there the line may be that of a `pass`.
    """
    if not leading:
        return
    graph.forget_order()
    dominators = Dominators(graph)
    for edge, nop in leading:
        target = onward(edge.target)
        if target not in dominators.number:  # it lay in a copy
            continue
        if dominators.dominates(target, edge.target) or only_returns_nothing(target):
            edge.line, edge.leaves = nop.line, True


def last_line_of(copy: Copy) -> int | None:
    """The line of what a copy ends by, which a return that stood before it has too."""
    last = copy.block.statements[copy.count - 1] if copy.count else None
    at = offset_of(last) if last is not None else None
    return next((instr.line for instr in copy.block.instrs if instr.offset == at), None)
