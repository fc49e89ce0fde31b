"""Ends of the frame: which blocks are some, which do the same, and which are so short that they may be copied."""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import Block, Graph, Jump, Leave
from unjit.decompiler.ir.tree.compare import same_expression
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.nodes import Reraise, Temp
from unjit.decompiler.ir.tree.notes import is_passed, is_written, offset_of

_MAY_RAISE = frozenset({"LOAD_GLOBAL", "LOAD_NAME", "LOAD_DEREF", "LOAD_CLASSDEREF", "LOAD_FAST_CHECK"})


def ends_frame(block: Block) -> bool:
    """Whether the frame ends after the block: outside functions, at the one end that `join_ends` made."""
    if isinstance(block.terminator, Jump):
        end = block.terminator.edge.target
        return isinstance(end.terminator, Leave) and not end.statements and not block.leaves_handler
    return isinstance(block.terminator, Leave)


def same_exit(block: Block, other: Block | None) -> bool:
    """Whether both blocks do nothing but return the same constant or local.

    No `other` is the end of the function, which returns None.
    """
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
    """Whether two blocks that return the same value are two statements: copies of one would have one line.

    Where the value was loaded before a cleanup, the return has the line of that, which tells nothing.
    """
    returned = _only_return(block)
    if other is None or returned is None or is_none(returned.value):
        return False
    if len(other.instrs) == 1 and other.instrs[0].op == "RETURN_VALUE":
        return False
    return None not in (block.last_line, other.last_line) and block.last_line != other.last_line


def is_never_reached(block: Block, follow: Block | None) -> bool:
    """Whether control only comes here from a body after which the finally suite leaves, and falls off that anyway."""
    path = getattr(block.statements[-1], "unreached", None) if block.statements else None
    return path is not None and (follow is None or follow.region[: len(path)] != path)


def is_bare_exit(block: Block) -> bool:
    """A return of a constant or local, or a re-raise: so short that the compiler copies it itself."""
    if len(block.statements) != 1 or block.params:
        return False
    return isinstance(block.statements[0], Reraise) or _only_return(block) is not None


def may_raise(block: Block) -> bool:
    """Whether a block takes a variable that may not be there."""
    return any(instr.op in _MAY_RAISE for instr in block.instrs)


def is_copied(block: Block, entries: list[Block]) -> bool:
    """Whether a bare exit stands wherever `entries` lead to it: what may raise, in the same regions alone."""
    if not is_bare_exit(block):
        return False
    return not may_raise(block) or all(entry.region == block.region for entry in entries)


def _only_return(block: Block) -> ast.Return | None:
    if len(block.statements) != 1 or block.params:
        return None
    statement = block.statements[0]
    if isinstance(statement, ast.Return) and isinstance(statement.value, (ast.Constant, ast.Name)):
        return statement
    return None


def returns_nothing(block: Block) -> bool:
    """Whether the block ends in a `return None` that nobody need have written, on no line of its own."""
    last = block.statements[-1] if block.statements else None
    if not isinstance(last, ast.Return) or not isinstance(last.value, ast.Constant):
        return False
    if last.value.value is not None or is_written(last):
        return False
    return is_passed(last) or not _has_own_line(block, last)


def only_returns_nothing(block: Block) -> bool:
    """Whether such a return is all that the block does."""
    return len(block.statements) == 1 and returns_nothing(block)


def _has_own_line(block: Block, returned: ast.Return) -> bool:
    """Whether the return stands on a line on which nothing else of the block is."""
    offset = offset_of(returned)
    line = next((i.line for i in block.instrs if i.offset == offset), None)
    if line is None or len(block.statements) < 2:
        return False
    return all(i.line != line for i in block.instrs if not i.op.startswith(("RETURN", "LOAD_CONST", "NOP")))


def is_empty_end(block: Block) -> bool:
    """Whether a module or class body, or a finally suite, comes to its end here."""
    return isinstance(block.terminator, Leave) and not block.statements


def just_ends(block: Block, graph: Graph) -> bool:
    """Whether the block ends in a `return None` that the end of the suite says as well.

    Not if that is all of the block, and nothing else in the function has its line: then somebody wrote it.
    """
    line = block.last_line
    if not returns_nothing(block):
        return False
    if line is None or len(block.statements) != 1 or block.first_line != line or block is graph.entry:
        return True  # the last: all that a function does, which is `pass`
    return line in graph.shared_lines()
