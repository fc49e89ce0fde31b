"""`return None` in a function that returns values elsewhere, and `return` in one that never does.

The code is the same. PEP 8 asks for it, and people do so, as `bench/habits.py` counts.
"""

from __future__ import annotations

import ast
import inspect
from types import CodeType

from unjit.decompiler.ir.suites import Suite, statements_in

_IS_GENERATOR = inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR


def say_none(body: Suite, code: CodeType) -> None:
    """Let the returns of a function's body say None where they return nothing, if others return something.

    What a generator returns ends it: there nothing is said.
    """
    if code.co_flags & _IS_GENERATOR:
        return
    returns = [statement for statement in statements_in(body) if isinstance(statement, ast.Return)]
    silent = [each for each in returns if each.value is None]
    if len(silent) < len(returns):
        for each in silent:
            each.value = ast.Constant(None)
