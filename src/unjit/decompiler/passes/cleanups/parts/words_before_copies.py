"""The statement that only goes somewhere, in front of which a copy of a cleanup stands.

Of `return`, `break` and `continue` there a NOP is left with their line, or, where a handler or (3.10) a `try` is left,
that of what leaves it. What the compiler put behind the copy has the line of the cleanup.
"""

from __future__ import annotations

from dataclasses import replace

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.ir.dominators import Dominators
from unjit.decompiler.ir.exits import leading_nop, only_returns_nothing, onward
from unjit.decompiler.ir.graph import Block, Branch, Edge, Graph, Jump
from unjit.decompiler.ir.nodes import offset_of
from unjit.decompiler.passes.cleanups.parts.match_copies import Copy

Before = dict[Block, list[Block]]  # what led to each block when the pass began
Words = dict[Block, Instr]  # by what is left of copies: the NOP of the return in front of which they stood
_LEAVES = frozenset({"POP_TOP", "POP_ITER", "POP_BLOCK", "POP_EXCEPT", "NOP"})


def word_before(start: Block, before: Before, words: Words, *, of_with: bool = False) -> Instr | None:
    """A NOP with the line of the `return` in front of whose constant copies stand; not that of what ends before.

    On 3.10 the end of a `with` has the line of what stands last in it; a return there has a NOP.
    """
    entries = before.get(start, [])
    passed = [edge.via for entry in entries for edge in entry.terminator.edges() if edge.target is start]
    only = entries[0] if len(entries) == 1 else None
    word = leading_nop(start)
    if word is None and len(passed) == 1:
        word = leading_nop(passed[0]) or _left_behind_test(passed[0], only)
    if v.PY311 or not of_with:
        word = word or _last_of_block(only)
    if word is None:
        if only is None or only.statements or not isinstance(only.terminator, Jump):
            return None
        earlier = words.get(only) or word_before(only, before, words, of_with=of_with)
        return earlier or _behind_what_was_done(only, before)
    ending = [block.instrs[-1] for block in entries if block.instrs]
    return None if any(instr.line == word.line and instr.offset < word.offset for instr in ending) else word


def _left_behind_test(passed: Block | None, above: Block | None) -> Instr | None:
    """Where loops (their iterators dropped), `try` and handlers are left behind a test on a line before."""
    if passed is None or above is None or not isinstance(above.terminator, Branch):
        return None
    dropped = passed.begins_with if all(instr.op in _LEAVES for instr in passed.instrs) else None
    if dropped is None or (dropped.line or 0) <= (above.last_line or 0):
        return None
    is_copied = not v.PY311 and above.instrs[-1].offset + 2 != dropped.offset  # where a jump led to such an end (3.10)
    return None if is_copied else replace(dropped, op="NOP")


def _last_of_block(block: Block | None) -> Instr | None:
    """Where a block ends by leaving a `try` (3.10), or only leaves a handler (later), on a line behind what it did."""
    ending: list[Instr] = []
    for instr in reversed(block.instrs if block is not None else []):
        if instr.op != ("POP_EXCEPT" if v.PY311 else "POP_BLOCK"):
            is_behind = bool(ending) and (ending[-1].line or 0) > (instr.line or 0) and instr.op != "NOP"
            is_clear = is_behind and (not v.PY311 or (block is not None and not block.statements))
            return replace(ending[-1], op="NOP") if is_clear else None
        ending.append(instr)
    return None


def _behind_what_was_done(block: Block, before: Before) -> Instr | None:
    """Where a block that does nothing but leave a handler does so on a line behind that of what stands in front of it.

    Not what a jump leads to from a test, such as a `break`: an end of the function without a line is copied for each.
    """
    above = before.get(block, [])
    if not v.PY311 or len(above) != 1 or not (isinstance(above[0].terminator, Branch) or above[0].statements):
        return None
    passed = [edge.via for edge in above[0].terminator.edges() if edge.target is block]
    if any(via is not None and via.instrs[-1].op in v.UNCONDITIONAL_JUMPS for via in passed):
        return None
    left = block.begins_with
    is_word = left is not None and left.op == "POP_EXCEPT" and (left.line or 0) > (above[0].last_line or 0)
    return replace(left, op="NOP") if is_word and left is not None else None


def say_words(graph: Graph, leading: list[tuple[Edge, Instr]]) -> None:
    """What led to a copy and leads to where others do now stands before a word: all that falls off shares one way.

    Not where that is what stands behind the statement: there `pass` may have given it that line.
    """
    if not leading:
        return
    graph.forget_order()
    dominators = Dominators(graph)
    for edge, word in leading:
        target = onward(edge.target)
        if target not in dominators.number:  # it lay in a copy
            continue
        if dominators.dominates(target, edge.target) or only_returns_nothing(target):
            edge.line, edge.leaves = word.line, True


def last_line_of(copy: Copy) -> int | None:
    """The line of what a copy ends by, which a return that stood in front of it has too."""
    last = copy.block.statements[copy.count - 1] if copy.count else None
    at = offset_of(last) if last is not None else None
    return next((instr.line for instr in copy.block.instrs if instr.offset == at), None)
