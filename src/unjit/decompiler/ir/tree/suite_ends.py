"""The jumps that stand at the ends of a statement's suites: without them control would come out of the statement."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import NamedTuple

from unjit.decompiler.ir.tree.nodes import TRIES
from unjit.decompiler.ir.tree.suites import Suite

JUMPS = (ast.Break, ast.Continue)


class End(NamedTuple):
    """A suite that a statement may come to its end by, and that ends in a jump."""

    suite: Suite
    may_be_empty: bool

    @property
    def jump(self) -> ast.stmt:
        return self.suite[-1]

    def drop(self) -> None:
        del self.suite[-1]
        if not self.suite and not self.may_be_empty:
            self.suite.append(ast.Pass())


def ends_of(statement: ast.stmt) -> Iterator[End]:
    """The suites that end in a jump and that control comes out of the statement by, if the jump is left out."""
    work = [statement]
    while work:
        inner = work.pop()
        for suite in _last_suites(inner):
            if suite and isinstance(suite[-1], JUMPS):
                yield End(suite, may_be_empty=isinstance(inner, ast.If) and suite is inner.orelse)
            elif suite:
                work.append(suite[-1])


def _last_suites(statement: ast.stmt) -> list[Suite]:
    """Those that control comes to the end of a statement by. What a finally suite jumps over is an exception, too."""
    if isinstance(statement, ast.If):
        return [statement.body, statement.orelse]
    if isinstance(statement, ast.Match):
        return [case.body for case in statement.cases]
    if isinstance(statement, ast.With | ast.AsyncWith):
        return [statement.body]
    if isinstance(statement, TRIES):
        return [*(clause.body for clause in statement.handlers), statement.orelse or statement.body]
    return []
