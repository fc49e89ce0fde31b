"""What a page is, and how code is put on one."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import CodeType

from unjit.bytecode.changed.relocate import relocated


@dataclass(frozen=True)
class Page:
    """Valid Python for people, and the line of it on which each instruction of some code lies."""

    text: str
    lines: Mapping[int, int]  # from the offset of an instruction to a line, from 1
    first_line: int  # of the definition
    verdict: str  # how the text relates to the code, in one word
    body_line: int  # the first line on which something runs: where a breakpoint makes sense
    shows_all: bool = True  # whether the text is that of a whole graph; else only of the part whose code it is

    def on(self, code: CodeType, filename: str) -> CodeType:
        """`code`, unchanged but for saying that it lies on this page, which is stored as `filename`."""
        return relocated(code, filename, self.lines, self.first_line)


def below(title: Sequence[str], text: str, lines: Mapping[int, int], first_line: int, verdict: str) -> Page:
    """A page with a title of comments above `text`, to whose lines `lines` and `first_line` refer."""
    heading = [f"# {line}".rstrip() for line in title]
    moved = {offset: line + len(heading) for offset, line in lines.items()}
    first_line += len(heading)
    body_line = min((line for line in moved.values() if line > first_line), default=first_line)
    return Page("\n".join([*heading, text.rstrip("\n"), ""]), moved, first_line, verdict, body_line)


def with_remarks(text: str, remarks: Mapping[int, str]) -> str:
    """`text` with a comment at the end of some lines; as it was if a remark would stand inside a string."""
    lines = text.splitlines()
    for line, remark in remarks.items():
        lines[line - 1] += f"  # {remark}"
    remarked = "\n".join(lines) + "\n"
    return remarked if _means_the_same(remarked, text) else text


def _means_the_same(one: str, other: str) -> bool:
    try:
        return ast.dump(ast.parse(one)) == ast.dump(ast.parse(other))
    except SyntaxError:
        return False
