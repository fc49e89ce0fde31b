"""The functions that Dynamo makes of comprehensions in which a graph breaks (torch 2.13 and Python 3.12 on).

From Python 3.12 on a comprehension is a part of the code around it, so that a break in one was a break in a loop, for
which Dynamo gives the whole function up. It now takes the comprehension out, as a function that runs as it was written,
and goes on behind it in a resume function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from unjit.bytecode import free_variables

_NAME = re.compile(r"__comprehension_.+_at_(?P<line>\d+)_\d+")
BREAK_REASON = "comprehension_graph_break"  # all that torch notes of the break itself


@dataclass(frozen=True, slots=True)
class RawComprehension:
    """One of them, as the code that calls it names it."""

    name: str
    line: int  # where the comprehension begins
    code: CodeType | None  # None: it is not among the globals


def calls_a_comprehension(code: CodeType) -> bool:
    """Whether generated code calls one of them."""
    return any(map(_NAME.fullmatch, code.co_names))


def named_comprehensions(code: CodeType, scope: dict[str, Any]) -> Iterator[RawComprehension]:
    """Those that generated code calls, in the order of the names; `scope` holds its globals."""
    for name in code.co_names:
        if named := _NAME.fullmatch(name):
            yield RawComprehension(name, int(named["line"]), _code(scope.get(name), name))


def _code(function: Any, name: str) -> CodeType | None:
    """With free variables the global is a factory that makes the function: take the code that it holds."""
    if not isinstance(function, FunctionType):
        return None
    held = [function.__code__, *function.__code__.co_consts, *free_variables(function).values()]
    return next((value for value in held if isinstance(value, CodeType) and value.co_name == name), None)
