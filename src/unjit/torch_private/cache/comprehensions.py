"""The functions that Dynamo makes of comprehensions in which a graph breaks (torch 2.13 and Python 3.12 on).

From Python 3.12 on a comprehension is a part of the code around it, so that a break in one was a break in a loop, for
which Dynamo gives the whole function up. It now takes the comprehension out, as a function that runs as it was written,
and goes on after it in a resume function.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

_NAME = re.compile(r"__comprehension_.+_at_(?P<line>\d+)_\d+")
BREAK_REASON = "comprehension_graph_break"  # all that torch notes of the break itself


@dataclass(frozen=True, slots=True)
class RawComprehension:
    """One of them, as the code that calls it names it."""

    name: str
    line: int  # where the comprehension begins


def named_comprehensions(code: CodeType) -> Iterator[RawComprehension]:
    """Those that generated code calls, in the order of the names."""
    for name in code.co_names:
        if named := _NAME.fullmatch(name):
            yield RawComprehension(name, int(named["line"]))
