"""Where control goes on to: edges, what they hand on, and blocks that do nothing but go on."""

from __future__ import annotations

import ast
from collections.abc import Collection

from unjit.bytecode import versions as v
from unjit.decompiler.ir.flow.exits import same_exit
from unjit.decompiler.ir.flow.graph import Block, Construct, Edge, EnterTry, Graph, Jump
from unjit.decompiler.ir.tree.compare import same_expression
from unjit.decompiler.ir.tree.suites import Suite

ONLY_GOES = v.UNCONDITIONAL_JUMPS | {"NOP"}
_DROPS_SUBJECT = v.UNCONDITIONAL_JUMPS | {"POP_TOP"}


def same_target(one: Edge, other: Edge) -> bool:
    """Whether both edges lead to one block and hand it the same values."""
    return one.target is other.target and all(map(same_expression, one.args, other.args))


def onward(block: Block) -> Block:
    """The block itself, or the first one after it that does anything."""
    seen: set[Block] = set()
    while not block.statements and not block.leaves_handler and block not in seen:
        jump = block.terminator
        if not isinstance(jump, Jump) or jump.edge.args:
            break
        seen.add(block)
        block = jump.edge.target
    return block


def only_jump(block: Block) -> Edge | None:
    """The edge of a block that does nothing but go on, or leave a handler and go on; None for any other."""
    jump = block.terminator
    if block.statements or block.params or not isinstance(jump, Jump) or jump.edge.args:
        return None
    return jump.edge


def comes_to_the_same(block: Block, other: Block | None) -> bool:
    """Whether control comes from both blocks to one place, or to the same return, without doing anything before.

    No `other` is the end of the function, which returns None.
    """
    there = [None] if other is None else _path_on(other)
    return any(one is two or same_exit(one, two) for one in _path_on(block) for two in there)


def _path_on(block: Block) -> list[Block]:
    """The block, and those that it leads to past blocks that do nothing, or only leave a handler."""
    way = [block]
    while (jump := only_jump(way[-1])) is not None and jump.target not in way:
        way.append(jump.target)
    return way


def pass_values(edge: Edge) -> Suite:
    """The assignment that gives the target's parameters their values: all at once, as one may be read for another."""
    pairs = [(p, a) for p, a in zip(edge.target.params, edge.args, strict=False) if p is not a]
    if not pairs:
        return []
    if len(pairs) == 1:
        return [ast.Assign([pairs[0][0]], pairs[0][1])]
    targets: list[ast.expr] = [param for param, _ in pairs]
    return [ast.Assign([ast.Tuple(targets, ast.Store())], ast.Tuple([value for _, value in pairs], ast.Load()))]


def may_thread(block: Block, edge: Edge) -> bool:
    """Whether an edge out of `block` may be led past the block that it enters, as in jump threading.

    Not if a suite of a `try` or `with` begins there; where a `with` goes on after swallowing is an edge like any other.
    """
    enter = block.terminator
    if not isinstance(enter, EnterTry):
        return True
    return enter.construct is Construct.WITH and edge is enter.caught


def ends_a_test(block: Block) -> bool:
    """Whether a block ends a test: it only jumps on, perhaps after the drop of what a failed comparison has left."""
    done = [instr.op for instr in block.instrs if instr.op not in ONLY_GOES]
    return done == ["POP_TOP"] or (not done and bool(block.instrs) and block.instrs[-1].op in v.UNCONDITIONAL_JUMPS)


def falls_through_a_test(block: Block) -> bool:
    """Whether all of a block is the NOP that counts a branch not taken (3.14): the test may be led past it."""
    return not block.statements and bool(block.instrs) and all(i.op == "NOP" and i.line is None for i in block.instrs)


def lines_of_jumps(graph: Graph) -> dict[Block, set[int | None]]:
    """For each block the lines of the unconditional jumps to it."""
    lines: dict[Block, set[int | None]] = {}
    for block, edge in graph.edges():
        if block.instrs and block.instrs[-1].op in v.UNCONDITIONAL_JUMPS:
            lines.setdefault(edge.target, set()).add(block.instrs[-1].line)
    return lines


def shows_case_for_all(block: Block, above: Collection[int | None] = ()) -> bool:
    """Whether a `case _` stands here: nothing is left of it but a NOP with its line, before what it does.

    Not on one of the lines `above`, of a suite: that is left before a copy of what follows the statement.
    """
    instrs = (instr for passed in _path_on(block) for instr in passed.instrs)
    first = next((instr for instr in instrs if instr.op not in _DROPS_SUBJECT), None)
    return first is not None and first.op == "NOP" and first.line not in above
