"""Whether control comes to the end of statements."""

from __future__ import annotations

import ast

from unjit.decompiler.ir.tree.nodes import TRIES, Reraise
from unjit.decompiler.ir.tree.suites import Suite

_ENDS = (ast.Return, ast.Raise, ast.Continue, ast.Break, Reraise)


def ends(statements: Suite) -> bool:
    """Whether control never reaches the end of these statements."""
    while statements:
        last = statements[-1]
        if isinstance(last, _ENDS) or getattr(last, "ends", False):
            return True
        if isinstance(last, ast.If) and last.orelse and ends(last.body):
            statements = last.orelse
        elif isinstance(last, TRIES) and ends(last.finalbody):
            return True
        elif isinstance(last, ast.Try) and all(ends(handler.body) for handler in last.handlers):
            statements = last.orelse or last.body
        elif isinstance(last, ast.Match) and takes_all(last.cases[-1]):
            if not all(ends(case.body) for case in last.cases[:-1]):
                return False
            statements = last.cases[-1].body
        else:
            return False
    return False


def takes_all(case: ast.match_case) -> bool:
    """Whether a case is one that nothing fails."""
    return case.guard is None and _asks_nothing(case.pattern)


def _asks_nothing(pattern: ast.pattern | None) -> bool:
    if isinstance(pattern, ast.MatchOr):
        return _asks_nothing(pattern.patterns[-1])
    return pattern is None or (isinstance(pattern, ast.MatchAs) and _asks_nothing(pattern.pattern))


def mark_ending(loop: ast.For | ast.AsyncFor | ast.While, *, ending: bool) -> None:
    """Note whether control never comes out of the end of an endless loop."""
    loop.ends = ending  # type: ignore[union-attr]  # a note of ours on the node
