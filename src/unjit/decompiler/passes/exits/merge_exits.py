"""One block for each way to leave the function that was written once.

*What the compiler did*: it copied short exits (at most four instructions) to every jump that led to them, and the
implicit `return None` to every path that ends; a copy has the lines of what it copies, the implicit return the line
of what came before. *What we produce*: one block, which all of them enter, so that conditions are seen to lead to the
same place. *What we refuse*: exits on different lines; those were written several times. Where there are no lines, only
what `unlined_copies` finds.
"""

from __future__ import annotations

import ast
from types import NoneType
from typing import NamedTuple

from unjit.bytecode import versions as v
from unjit.bytecode.instructions.positions import Positions
from unjit.decompiler.ir.as_written.jump_statements import DROPS_ITERATOR, leading_nop
from unjit.decompiler.ir.as_written.jump_words import RETURNS, word_at
from unjit.decompiler.ir.flow.copies import LONGEST_COPY, NOT_OF_A_COPY, lead_to_originals, length, shape
from unjit.decompiler.ir.flow.exits import ends_frame
from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, EnterTry, Graph, Jump, Path
from unjit.decompiler.ir.flow.unbinding import unbound_name
from unjit.decompiler.ir.tree.compare import same_expression
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.nodes import Define, ExitSuppresses, Reraise, Temp
from unjit.decompiler.ir.tree.notes import is_written, offset_of
from unjit.decompiler.ir.tree.order import temps_in
from unjit.decompiler.passes.exits.parts.implicit_returns import is_implicit_return
from unjit.decompiler.passes.exits.parts.unlined_copies import came_of_one

_NEAREST = 16  # each exit is compared with so many that do the same before it: copies stand near
_LEFT_OF_RETURN = frozenset({"POP_BLOCK", "POP_EXCEPT", "NOP"})  # what is left of a `return` before a cleanup


def run(graph: Graph) -> None:
    _merge(graph, at_least=1)


def run_after_cleanups(graph: Graph) -> None:
    """Again, where there were any: exits of several statements, before their last ones are made one."""
    if graph.is_protected:
        _merge(graph, at_least=2)


def run_in_regions(graph: Graph) -> None:
    """Again, where there are any: returns of which the value was computed in a `try` and returned outside of it."""
    if graph.is_protected:
        _merge_those(graph, [block for block in _leaving(graph, at_least=1) if _returns_computed(block)])


def _merge(graph: Graph, *, at_least: int) -> None:
    _merge_those(graph, _leaving(graph, at_least))


def _leaving(graph: Graph, at_least: int) -> list[Block]:
    return [b for b in graph.reachable() if len(b.statements) >= at_least and not b.params and ends_frame(b)]


def _returns_computed(block: Block) -> bool:
    last = block.statements[-1]
    return isinstance(last, ast.Return) and not isinstance(last.value, ast.Constant | ast.Name | NoneType)


def _merge_those(graph: Graph, leaving: list[Block]) -> None:
    replaced = _replaced(graph, leaving) if len(leaving) > 1 else {}
    if replaced:
        lead_to_originals(graph, replaced)


def _replaced(graph: Graph, leaving: list[Block]) -> dict[Block, Block]:
    """For each of these blocks that is the same exit as an earlier one, the block that stands for both."""
    exits = _Exits(graph, leaving)
    originals: dict[_Kind, list[Block]] = {}
    replaced: dict[Block, Block] = {}
    for block in leaving:
        kind = exits.kind(block)
        if kind is None:
            continue
        known = originals.setdefault(kind, [])
        same = [b for b in known[-_NEAREST:] if kind.does == "re-raise" or _same(b, block, exits.before)]
        if same:  # if several, they are copies of each other too, though only this block shows it
            replaced |= dict.fromkeys([*same[1:], block], same[0])
            known[-_NEAREST:] = [b for b in known[-_NEAREST:] if b not in replaced]
        elif kind.does == "implicit" or length(block.instrs) <= LONGEST_COPY:
            known.append(block)
    return replaced


class _Kind(NamedTuple):
    """What exits have in common that can be one."""

    region: Path
    does: object  # "implicit" or "re-raise", which nobody wrote; the computed value; or shape, line and whether written
    clause: Path | None  # whose name it unbinds


class _Exits:
    """Exits with what leads to them, as it was before any of them was replaced."""

    def __init__(self, graph: Graph, leaving: list[Block]) -> None:
        self.positions = graph.positions
        self.entries = graph.entering_edges()
        self.before = {edge.target: block for block, edge in graph.edges()}
        self.tested = {e.target for block, e in graph.edges() if isinstance(block.terminator, Branch)}
        self.returns = {block: self._line_of_return(block) for block in leaving}
        falling = (block for block in leaving if self.returns[block] is None)
        self.ending = {block.region for block in falling if not _is_after_swallowed(block, self.before)}

    def kind(self, block: Block) -> _Kind | None:
        """None where a block is no copy of another, whatever that does."""
        before = self.before
        if _ends_finally_suite(block, before):
            return None
        line = self.returns[block] if block.region in self.ending else None  # else of a `break` to the end
        line = line or _line_before_cleanup(block) or _line_of_left_loops(block, before.get(block), self.positions)
        is_implicit = line is None and _is_one_test(block, self.entries) and is_implicit_return(block, before)
        if is_implicit:
            clause = _clause_left(block, before) if len(block.statements) > 1 else None
            return _Kind(block.region, "implicit", clause)
        if self._only_reraises(block):
            return _Kind(block.region, "re-raise", None)
        computed = _computed(block)
        if computed is not None:
            return _Kind(block.region, computed, None)
        if _is_too_long(block) or _is_rest_of_expression(block):
            return None
        clause = _clause_left(block, before) if unbound_name(block.statements[:2]) is not None else None
        return _Kind(block.region, (shape(block.instrs), line, is_written(block.statements[-1])), clause)

    def _line_of_return(self, block: Block) -> int | None:
        """The line of the `return` before a cleanup after which this exit stands; None if there is none.

        The exit itself has the line of the cleanup (on 3.10, of the `return`). The `return` has left instructions that
        do nothing but leave a handler, on a line below what was done before. Before a `raise` such a line is that
        of an operand that was dropped, and tells nothing; one as wide as `break` is that of a `break` to the end.
        """
        if not v.PY311 or isinstance(block.statements[-1], ast.Raise):
            return None
        first, instrs = block, list(block.instrs)
        while len(self.entries[first]) == 1:
            above, skipped = self.before[first], self.entries[first][0].via
            if skipped is not None and isinstance(above.terminator, Branch):
                instrs = [*skipped.instrs, *instrs]
            if len(above.region) <= len(block.region) or len(above.successors()) != 1:
                break
            first, instrs = above, [*above.instrs, *instrs]
        left = {instr.line or 0: instr for instr in instrs if instr.op in _LEFT_OF_RETURN}
        worked = {instr.line or 0 for instr in instrs if instr.op not in _LEFT_OF_RETURN}
        line = max(left, default=0)
        if not line > max(worked, default=line) > 0:
            return None
        place = self.positions.at(left[line].offset)
        return None if place is not None and word_at(place, self.positions) == "break" else line

    def _only_reraises(self, block: Block) -> bool:
        """Whether a handler ends by a re-raise that nobody wrote: after a test, or a handler in a finally suite."""
        if len(block.statements) != 1 or not isinstance(block.statements[0], Reraise):
            return False
        above = self.before.get(block)
        return block in self.tested or (above is not None and above.leaves_handler)


def _clause_left(block: Block, before: dict[Block, Block]) -> Path:
    """The protected region of the clause of which a block unbinds the name: no other clause ends there."""
    above: Block | None = block
    while above is not None and len(above.region) < len(block.region) + 2:
        above = before.get(above) if above is block or not above.statements else None
    return () if above is None else above.region[: len(block.region) + 2]


def _ends_finally_suite(block: Block, before: dict[Block, Block]) -> bool:
    """Whether the exit is that of a finally suite before which nothing stands: its handler has no line but that."""
    above = before.get(block)
    if above is None or above.statements or not above.leaves_handler or above.region[-1].handler != above.index:
        return False
    return {instr.line for instr in above.instrs} - {None} == {block.last_line}


def _line_before_cleanup(block: Block) -> int | None:
    """The line of a `return` before a finally suite, which is part of the exit, by the NOP that it has left.

    Before what a `break` leads to stands one too, but that has a line of its own, if it returns anything.
    """
    nop, returned = leading_nop(block), block.statements[-1]
    if nop is None or len(block.statements) == 1 or not isinstance(returned, ast.Return):
        return None
    if not isinstance(returned.value, ast.Constant) or (is_none(returned.value) and not is_written(returned)):
        return None
    at = offset_of(returned)
    before = [instr.line for instr in block.instrs if at is not None and instr.offset < at and instr.line is not None]
    return nop.line if nop.line != block.last_line == before[-1] else None


def _line_of_left_loops(block: Block, above: Block | None, positions: Positions) -> int | None:
    """The line of a `return` that leaves loops before a finally suite, which is part of the exit (3.11 on)."""
    if above is None or len(block.statements) == 1 or above.statements or not above.instrs:
        return None
    place = positions.at(above.instrs[0].offset)
    if place is None or word_at(place, positions) not in RETURNS:
        return None
    return place.line if all(instr.op in DROPS_ITERATOR for instr in above.instrs) else None


def _is_after_swallowed(block: Block, before: dict[Block, Block]) -> bool:
    """Whether it is only where control goes when a manager swallows an exception."""
    above = before.get(block)
    while above is not None and not above.statements and isinstance(above.terminator, Jump):
        above = before.get(above)
    test = above.terminator if above is not None else None
    if isinstance(test, Branch):
        return isinstance(test.test, ExitSuppresses)
    return isinstance(test, EnterTry) and test.caught.target is block


def _computed(block: Block) -> Temp | None:
    """The value from the stack that is all that the block returns, if it is: no two statements return one value.

    A clause that is left with it may unbind its name first.
    """
    rest = block.statements[2:] if unbound_name(block.statements[:2]) is not None else block.statements
    only = rest[0] if len(rest) == 1 else None
    return only.value if isinstance(only, ast.Return) and isinstance(only.value, Temp) else None


def _is_rest_of_expression(block: Block) -> bool:
    """Whether the block reads values that lay on the stack: it is the rest of an expression, which conditions fold."""
    made = {statement.temp for statement in block.statements if isinstance(statement, Define)}
    return any(temp not in made for temp in temps_in(*block.statements))


def _is_too_long(block: Block) -> bool:
    """Whether the block is too long for the compiler to have copied it."""
    return len([instr for instr in block.instrs if instr.op not in NOT_OF_A_COPY]) > LONGEST_COPY


def _same(one: Block, other: Block, before: dict[Block, Block]) -> bool:
    """Whether both are copies of one exit: they do the same and, where they have no lines, came of one."""
    has_lines = all(i.line is not None for i in (*one.instrs, *other.instrs) if i.op not in NOT_OF_A_COPY)
    is_told = has_lines or (one.last_line is None) != (other.last_line is None)
    if not is_told and not came_of_one(one, before.get(one), other, before.get(other)):
        return False
    pairs = zip(one.statements, other.statements, strict=False)
    return len(one.statements) == len(other.statements) and all(same_expression(a, b) for a, b in pairs)


def _is_one_test(block: Block, entries: dict[Block, list[Edge]]) -> bool:
    """Whether one test leads to the block, or the several of a chained comparison, whose value it drops first."""
    return len(entries[block]) == 1 or [instr.op for instr in block.instrs[:1]] == ["POP_TOP"]
