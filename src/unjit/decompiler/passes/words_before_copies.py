"""The statement that only goes somewhere, in front of which a copy of a cleanup stands.

Of `return`, `break` and `continue` there a NOP is left with their line, or, where a handler or (3.10) a `try` is left,
that of what leaves it. What the compiler put behind the copy has the line of the cleanup.
"""

from __future__ import annotations

from dataclasses import replace

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.ir.graph import Block, Jump
from unjit.decompiler.ir.nodes import offset_of
from unjit.decompiler.passes.match_copies import Copy

Before = dict[Block, list[Block]]  # what led to each block when the pass began
Words = dict[Block, Instr]  # by what is left of copies: the NOP of the return in front of which they stood


def word_before(start: Block, before: Before, words: Words) -> Instr | None:
    """A NOP with the line of the `return` in front of whose constant copies stand; not that of what ends before."""
    entries = before.get(start, [])
    passed = [edge.via for entry in entries for edge in entry.terminator.edges() if edge.target is start]
    only = entries[0] if len(entries) == 1 else None
    word = _nop(start) or (_nop(passed[0]) if len(passed) == 1 else None)
    word = word or _last_of_block(only, before) or _leaving_both(only, passed[0])
    if word is None:
        if only is None or only.statements or not isinstance(only.terminator, Jump):
            return None
        return words.get(only) or word_before(only, before, words)
    ending = [block.instrs[-1] for block in entries if block.instrs]
    return None if any(instr.line == word.line and instr.offset < word.offset for instr in ending) else word


def _nop(block: Block | None) -> Instr | None:
    """The NOP that a block begins with, if that has a line."""
    first = block.instrs[0] if block is not None and block.instrs else None
    return None if first is None or first.op != "NOP" or first.line is None else first


def _last_of_block(block: Block | None, before: Before) -> Instr | None:
    """Where a block ends by leaving a `try` (3.10), or only leaves a handler (later), on a line behind what it did."""
    ending: list[Instr] = []
    for instr in reversed(block.instrs if block is not None else []):
        if instr.op != ("POP_EXCEPT" if v.PY311 else "POP_BLOCK"):
            is_behind = bool(ending) and (ending[-1].line or 0) > (instr.line or 0) and instr.op != "NOP"
            is_clear = is_behind and (not v.PY311 or (block is not None and not block.statements))
            return replace(ending[-1], op="NOP") if is_clear else None
        ending.append(instr)
    above = before.get(block, []) if block is not None and v.PY311 else []
    if not ending or block.statements or len(above) != 1 or (ending[-1].line or 0) <= (above[0].last_line or 0):
        return None
    return replace(ending[-1], op="NOP")


def _leaving_both(block: Block | None, passed: Block | None) -> Instr | None:
    """Where a handler is left and, right behind it, the `try` around: whoever comes to its end jumps there (3.10)."""
    if v.PY311 or block is None or passed is None or not (block.instrs and passed.instrs):
        return None
    left, leaving = block.instrs[-1], passed.instrs[0]
    is_word = (left.op, leaving.op) == ("POP_EXCEPT", "POP_BLOCK") and leaving.offset == left.offset + 2
    return replace(left, op="NOP") if is_word and left.line is not None else None


def last_line_of(copy: Copy) -> int | None:
    """The line of what a copy ends by, which a return that stood in front of it has too."""
    last = copy.block.statements[copy.count - 1] if copy.count else None
    at = offset_of(last) if last is not None else None
    return next((instr.line for instr in copy.block.instrs if instr.offset == at), None)
