"""Whether a `return` says `None`.

The code is the same. From Python 3.11 on the width of its place tells which was written (`passes/exits/note_returns`).
Where nothing does, it is as in the function's other returns; or `return None` in a function that returns values
elsewhere, and `return` in one that never does: PEP 8 asks for it, and people do so, as `bench/habits.py` counts.
"""

from __future__ import annotations

import ast
import inspect
from types import CodeType

from unjit.decompiler.ir.tree.notes import says_none
from unjit.decompiler.ir.tree.suites import Suite, statements_in

_IS_GENERATOR = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


def say_none(body: Suite, code: CodeType) -> None:
    """Let the returns of a function's body say None where they did, or where most would write it.

    What a generator returns ends it: there nothing is said that was not written.
    """
    returns = [statement for statement in statements_in(body) if isinstance(statement, ast.Return)]
    silent = [each for each in returns if each.value is None]
    known = {says_none(each) for each in silent} - {None}
    usual = known == {True} or (len(silent) < len(returns) and not code.co_flags & _IS_GENERATOR)
    for each in silent:
        written = says_none(each)
        if usual if written is None else written:
            each.value = ast.Constant(None)
