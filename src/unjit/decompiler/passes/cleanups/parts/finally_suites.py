"""Whether a handler is a finally suite.

The suite of a `finally` never sees the exception, which lies on the stack until the suite ends by raising it again, or
leaves by a statement of its own: `return`, `raise`, `break`, `continue`. A bare `except` drops it first.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import Block, Branch
from unjit.decompiler.ir.tree.nodes import HandledException, MatchesException, MatchesGroup, Reraise

_BEGINNING = frozenset({"PUSH_EXC_INFO", "NOP"})


def keeps_exception(suite: list[Block], handler: Block) -> bool:
    """Whether the exception is neither looked at nor, but before a way out, dropped."""
    if any(_looks_at_exception(block, handler) for block in suite):
        return False
    return raises_again(suite, handler) or not _drops_first(handler)


def raises_again(suite: list[Block], handler: Block) -> bool:
    """Whether the suite has an end, where the exception goes on."""
    inside = handler.region
    return any(b.statements and isinstance(b.statements[-1], Reraise) and b.region == inside for b in suite)


def are_written_as(handler: Block, copies: list[Block]) -> bool:
    """Whether a suite that begins by leaving, as a bare `except` may as well, has the line of what seem its copies.

    Where there are none, as nothing comes to the end of the body, `except` is what people write.
    """
    if not _pops_first(handler):
        return True
    return bool(copies) and all(copy.stands_on == handler.last_line for copy in copies)


def _drops_first(handler: Block) -> bool:
    """Whether an `except` begins, which has a line of its own, and not a `return` of a constant or the like.

    Without lines it is taken for the former, which is what people write.
    """
    lines = {i.line for i in handler.instrs if i.op not in _BEGINNING}
    return _pops_first(handler) and (len(lines) != 1 or None in lines)


def _pops_first(handler: Block) -> bool:
    return next((i.op for i in handler.instrs if i.op not in _BEGINNING), None) == "POP_TOP"


def _looks_at_exception(block: Block, handler: Block) -> bool:
    """Whether a block uses the exception, or asks what it is."""
    if any(_is_exception_of(node, handler) for statement in block.statements for node in ast.walk(statement)):
        return True
    asks = isinstance(block.terminator, Branch) and isinstance(block.terminator.test, MatchesException | MatchesGroup)
    return asks and block.region == handler.region  # a handler in the cleanup asks about an exception of its own


def _is_exception_of(node: ast.AST, handler: Block) -> bool:
    return isinstance(node, HandledException) and node.handler == handler.index
