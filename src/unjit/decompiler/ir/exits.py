"""Edges and short exits: what an edge does besides going, and blocks so short that they may be copied."""

from __future__ import annotations

import ast
from collections.abc import Sequence
from itertools import takewhile

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.ir.compare import same_expression
from unjit.decompiler.ir.constants import is_none
from unjit.decompiler.ir.graph import Block, Branch, Construct, Edge, EnterTry, Graph, Jump, Leave
from unjit.decompiler.ir.nodes import Define, Reraise, Temp, is_written, offset_of

Statements = list[ast.stmt]
DROPS_ITERATOR = frozenset({"POP_TOP", "POP_ITER"})
_MAY_RAISE = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FAST_CHECK"})
_DROPS_SUBJECT = v.UNCONDITIONAL_JUMPS | {"POP_TOP"}
ONLY_GOES = v.UNCONDITIONAL_JUMPS | {"NOP"}


def ends_frame(block: Block) -> bool:
    """Whether the frame ends behind the block; outside functions at the one end that `join_ends` made."""
    if isinstance(block.terminator, Jump):
        end = block.terminator.edge.target
        return isinstance(end.terminator, Leave) and not end.statements and not block.leaves_handler
    return isinstance(block.terminator, Leave)


def onward(block: Block) -> Block:
    """Where control comes to from here, past blocks that do nothing."""
    seen: set[Block] = set()
    while not block.statements and not block.leaves_handler and block not in seen:
        jump = block.terminator
        if not isinstance(jump, Jump) or jump.edge.args:
            break
        seen.add(block)
        block = jump.edge.target
    return block


def only_jump(block: Block) -> Edge | None:
    """How a block, which may be the end of a handler, goes on, if that is all it does."""
    jump = block.terminator
    if block.statements or block.params or not isinstance(jump, Jump) or jump.edge.args:
        return None
    return jump.edge


def same_exit(block: Block, other: Block | None) -> bool:
    """Do both only return, the same thing? The end of the function, None, returns None."""
    returned = _only_return(block)
    if returned is None:
        return False
    if other is None:
        return is_none(returned.value) and not is_written(returned)
    also = _only_return(other)
    if also is None or returned.value is None or also.value is None or is_written(returned) != is_written(also):
        return False
    return not isinstance(returned.value, Temp) and same_expression(returned.value, also.value)


def returns_on_its_line(block: Block, other: Block | None) -> bool:
    """Whether a return of a value is another statement than the one that returns the same: copies keep the line.

    What returns a value that was loaded in front of a cleanup has the line of that.
    """
    returned = _only_return(block)
    if other is None or returned is None or is_none(returned.value):
        return False
    if len(other.instrs) == 1 and other.instrs[0].op == "RETURN_VALUE":
        return False
    return None not in (block.last_line, other.last_line) and block.last_line != other.last_line


def ends_a_test(block: Block) -> bool:
    """Whether a block only jumps on, perhaps behind what a chained comparison that fails leaves on the stack."""
    done = [instr.op for instr in block.instrs if instr.op not in ONLY_GOES]
    return done == ["POP_TOP"] or (not done and bool(block.instrs) and block.instrs[-1].op in v.UNCONDITIONAL_JUMPS)


def falls_through_a_test(block: Block) -> bool:
    """Whether all of a block is what counts a branch: the test skips it, and finds the line of what stands behind."""
    return not block.statements and bool(block.instrs) and all(i.op == "NOP" and i.line is None for i in block.instrs)


def lines_of_jumps(graph: Graph) -> dict[Block, set[int | None]]:
    """For each block the lines of the unconditional jumps to it."""
    lines: dict[Block, set[int | None]] = {}
    for block, edge in graph.edges():
        if block.instrs and block.instrs[-1].op in v.UNCONDITIONAL_JUMPS:
            lines.setdefault(edge.target, set()).add(block.instrs[-1].line)
    return lines


def goes_there(block: Block, other: Block | None) -> bool:
    """Whether control that comes to `block` does no more before it goes on, or returns, as it does from the other."""
    there = [None] if other is None else _way(other)
    return any(one is two or same_exit(one, two) for one in _way(block) for two in there)


def _way(block: Block) -> list[Block]:
    """The block and those that it leads to, perhaps leaving handlers, without doing anything."""
    way = [block]
    while (jump := only_jump(way[-1])) is not None and jump.target not in way:
        way.append(jump.target)
    return way


def is_bare_exit(block: Block) -> bool:
    """A return of a constant or local, or a re-raise: so short that the compiler copies it itself."""
    if len(block.statements) != 1 or block.params:
        return False
    return isinstance(block.statements[0], Reraise) or _only_return(block) is not None


def may_raise(block: Block) -> bool:
    """Whether a block takes a variable that may not be there."""
    return any(instr.op in _MAY_RAISE for instr in block.instrs)


def _only_return(block: Block) -> ast.Return | None:
    if len(block.statements) != 1 or block.params:
        return None
    statement = block.statements[0]
    if isinstance(statement, ast.Return) and isinstance(statement.value, (ast.Constant, ast.Name)):
        return statement
    return None


def pass_values(edge: Edge) -> Statements:
    """Give the target's parameters their values, all at once where one is read while another is set."""
    pairs = [(p, a) for p, a in zip(edge.target.params, edge.args, strict=False) if p is not a]
    if not pairs:
        return []
    if len(pairs) == 1:
        return [ast.Assign([pairs[0][0]], pairs[0][1])]
    targets: list[ast.expr] = [param for param, _ in pairs]
    return [ast.Assign([ast.Tuple(targets, ast.Store())], ast.Tuple([value for _, value in pairs], ast.Load()))]


def returns_nothing(block: Block) -> bool:
    last = block.statements[-1] if block.statements else None
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Constant):
        return False
    return last.value.value is None and not is_written(last) and not _has_own_line(block, last)


def only_returns_nothing(block: Block) -> bool:
    return len(block.statements) == 1 and returns_nothing(block)


def _has_own_line(block: Block, returned: ast.Return) -> bool:
    """Whether the return stands on a line on which nothing else of the block is."""
    offset = offset_of(returned)
    line = next((i.line for i in block.instrs if i.offset == offset), None)
    if line is None or len(block.statements) < 2:
        return False
    return all(i.line != line for i in block.instrs if not i.op.startswith(("RETURN", "LOAD_CONST", "NOP")))


def is_empty_end(block: Block) -> bool:
    """Whether a suite, or a module, just ends here."""
    return isinstance(block.terminator, Leave) and not block.statements


def just_ends(block: Block, graph: Graph) -> bool:
    """Whether the block ends in a `return None` that nobody need have written: not one on a line of its own."""
    line = block.last_line
    if not returns_nothing(block):
        return False
    if line is None or len(block.statements) != 1 or block.first_line != line or block is graph.entry:
        return True  # the last: all that a function does, which is `pass`
    return line in graph.shared_lines()


def shows_case_for_all(block: Block) -> bool:
    """Whether control comes to the line of a `case _` first, for which there is nothing but that line."""
    instrs = (instr for passed in _way(block) for instr in passed.instrs)
    first = next((instr for instr in instrs if instr.op not in _DROPS_SUBJECT), None)
    return first is not None and first.op == "NOP"


def may_thread(block: Block, edge: Edge) -> bool:
    """The suites of a try must start where they start; where a with goes on after swallowing is a plain edge."""
    enter = block.terminator
    if not isinstance(enter, EnterTry):
        return True
    return enter.construct is Construct.WITH and edge is enter.caught


def leaves_a_loop_first(block: Block) -> bool:
    """Whether the iterator is dropped before what is returned is computed: a `break` came before the return.

    A constant is loaded behind that in any case.
    """
    first = block.statements[0] if isinstance(block.terminator, Leave) and block.statements else None
    if first is None or (isinstance(first, ast.Return) and isinstance(first.value, ast.Constant)):
        return False
    instrs = [instr for instr in block.instrs if instr.line is not None]
    count = iterator_dropped(instrs)
    return 0 < count < len(instrs) and instrs[0].line != instrs[count].line


def iterator_dropped(instrs: Sequence[Instr]) -> int:
    """By how many instructions on one line they begin that drop what a loop keeps of its iterator (3.15: two slots)."""
    dropping = takewhile(lambda instr: instr.op in DROPS_ITERATOR and instr.line == instrs[0].line, instrs)
    return sum(1 for _ in dropping)


def ends_statements(block: Block, following: Block) -> bool:
    """Whether the compiler put other code between the two, which tells where the statement around the first ends.

    Or a `break` stood between them.
    """
    if leaves_a_loop_first(following):
        return True
    if not block.statements or isinstance(block.statements[-1], Define):
        return False
    if not following.statements and not isinstance(following.terminator, Branch):
        return False
    jump = block.instrs[-1]
    return jump.op in v.UNCONDITIONAL_JUMPS and following.stands_at > jump.offset + 2


def leading_nop(block: Block | None) -> Instr | None:
    """The NOP that a block begins with, if that has a line: what is left of a return whose value is loaded later."""
    first = block.begins_with if block is not None else None
    return first if first is not None and first.op == "NOP" else None
