"""Exits that stand after the steps of a pattern once for each of its alternatives.

*What the compiler did*: it copied a short exit to each jump that led to it, so the alternatives of an or-pattern,
after which the case returns at once, end apart. *What we produce*: exits in blocks of their own, which are seen to be
copies. *What we refuse*: exits on different lines, or of values that were not the same.
"""

from __future__ import annotations

import ast
import itertools
from collections import Counter

from unjit.bytecode import Instr
from unjit.decompiler.ir.flow.copies import LONGEST_COPY, shape
from unjit.decompiler.ir.flow.exits import same_exit
from unjit.decompiler.ir.flow.graph import Block, Edge, Graph, Jump, Leave
from unjit.decompiler.ir.flow.split_block import split_block
from unjit.decompiler.ir.tree.nodes import Define, Temp
from unjit.decompiler.ir.tree.notes import offset_of
from unjit.decompiler.ir.tree.order import substitute, temps_in
from unjit.decompiler.ir.tree.suites import Suite
from unjit.decompiler.passes.patterns.parts.steps import only_steps, unpacks

_TURNS = frozenset({"SWAP", "ROT_TWO", "ROT_THREE", "ROT_FOUR", "ROT_N"})  # parts of the subject, to drop some
_TAKES_OFF = frozenset({"POP_TOP", "STORE_FAST", "STORE_NAME", "STORE_GLOBAL", "STORE_DEREF"})


def split_exits(graph: Graph) -> set[Block]:
    """Put exits that were copied after steps into blocks of their own, which are given."""
    leaving = [block for block in graph.reachable() if isinstance(block.terminator, Leave) and block.statements]
    exits = [(block, *_exit_in(block)) for block in leaving]
    split: set[Block] = set()
    copies = Counter((block.region, _work(instrs)) for block, _, instrs in exits)
    for block, count, instrs in exits:
        is_bare = len(block.statements) == count + 1 and _returns_plainly(block)
        if count and instrs and (is_bare or copies[block.region, _work(instrs)] > 1):
            split.add(_split(graph, block, count, instrs))
    graph.forget_order()
    return split


def join_exit(block: Block, jump: Jump) -> None:
    """Put an exit that no other block leads to back into the block of the steps before it."""
    end = jump.edge.target
    given = dict(zip(end.params, jump.edge.args, strict=True))
    for statement in end.statements:
        substitute(statement, given)
    block.statements += end.statements
    block.instrs = block.instrs + end.instrs
    block.terminator = end.terminator


def _split(graph: Graph, block: Block, count: int, instrs: list[Instr]) -> Block:
    """Put what stands after `count` statements, which is these instructions, into a block that gets what they made."""
    end = split_block(graph, block, statements=count, instrs=len(block.instrs) - len(instrs))
    given = [temp for temp in dict.fromkeys(_values_taken(end)) if temp in _made_in(block.statements)]
    end.params = [Temp() for _ in given]
    for statement in end.statements:
        substitute(statement, dict(zip(given, end.params, strict=True)))
    block.terminator = Jump(Edge(end, [*given]))
    return end


def are_copies(block: Block, other: Block) -> bool:
    """Whether both are one exit: on the same lines, or without any, of the same values."""
    if _work(block.instrs) != _work(other.instrs):
        return False
    if same_exit(block, other):
        return True
    if not (_is_short(block) and _is_short(other)):
        return False
    return len(block.params) == len(other.params) and _values_taken(block) == _values_taken(other)


def taken_off(block: Block) -> int:
    """How many values it takes off the stack before it does anything else."""
    taking = itertools.takewhile(lambda instr: instr.op in _TURNS | _TAKES_OFF, block.instrs)
    return sum(instr.op in _TAKES_OFF for instr in taking)


def _work(instrs: list[Instr]) -> tuple[object, ...]:
    return shape([instr for instr in instrs if instr.op not in _TURNS])


def _is_short(block: Block) -> bool:
    """Whether the frame ends in it so soon that the compiler copies it."""
    return isinstance(block.terminator, Leave) and len(_work(block.instrs)) <= LONGEST_COPY


def _exit_in(block: Block) -> tuple[int, list[Instr]]:
    """How many steps stand before the exit that the block ends in, and the instructions after them."""
    count = _steps_before_exit(block)
    place = offset_of(block.statements[count - 1]) if count else None
    return count, [instr for instr in block.instrs if place is None or instr.offset > place]


def _steps_before_exit(block: Block) -> int:
    """How many steps of a pattern stand before an exit in the same block."""
    steps = block.statements[:-1]
    if _returns_plainly(block) and only_steps(steps):
        return len(steps)
    count = max((k for k, step in enumerate(steps, start=1) if unpacks(step)), default=0)
    return count if only_steps(steps[:count]) else 0


def _returns_plainly(block: Block) -> bool:
    last = block.statements[-1]
    return isinstance(last, ast.Return) and isinstance(last.value, ast.Constant | ast.Name)


def _values_taken(block: Block) -> list[Temp]:
    """The values that it reads and was not given, in order."""
    own = _made_in(block.statements).union(block.params)
    return [temp for temp in temps_in(*block.statements) if temp not in own]


def _made_in(statements: Suite) -> set[Temp]:
    unpacked = [statement.targets[0] for statement in statements if unpacks(statement)]
    return {*temps_in(*unpacked), *(statement.temp for statement in statements if isinstance(statement, Define))}
