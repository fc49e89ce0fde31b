"""Which parameters of a function gather other arguments, `*args` and `**kwargs`: its source tells.

The header alone is read, token by token: a parser would warn of what it finds odd after it.
"""

from __future__ import annotations

import tokenize
from collections.abc import Iterator, Sequence

from unjit.model import Capture, Function, Unknown

_KINDS = {"*": "positional", "**": "keyword"}
_BRACKETS = {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}


def gathering(function: Function, capture: Capture) -> dict[str, str]:
    """`{"args": "positional", "kwargs": "keyword"}`; empty where its source is not in the capture, and of a lambda."""
    try:
        return dict(_in_header(_lines(function, capture)))
    except (tokenize.TokenError, SyntaxError):  # no Python, or none of this version
        return {}


def _lines(function: Function, capture: Capture) -> Sequence[str]:
    """The source from its first line on."""
    if function.resume is not None:
        return [] if isinstance(function.resume.source, Unknown) else function.resume.source.lines
    line = function.place.line
    files = (one for one in capture.sources if one.file == function.place.file)
    return [] if isinstance(line, Unknown) else next((one.lines[line - 1 :] for one in files), [])


def _in_header(lines: Sequence[str]) -> Iterator[tuple[str, str]]:
    """After the decorators, up to the colon."""
    depth, is_in_header, ahead, before = 0, False, "", ""
    for token in tokenize.generate_tokens(map("{}\n".format, lines).__next__):
        text = token.string
        if depth == 0 and text in ("lambda", ":"):
            return
        is_in_header = is_in_header or (depth == 0 and text == "def")
        depth += _BRACKETS.get(text, 0)
        if is_in_header and depth == 1 and ahead in ("(", ",") and before in _KINDS and token.type == tokenize.NAME:
            yield text, _KINDS[before]
        if token.type not in (tokenize.NL, tokenize.COMMENT):
            ahead, before = before, text
