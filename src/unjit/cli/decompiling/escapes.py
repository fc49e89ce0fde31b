"""Python source for a terminal that lacks some of its characters."""

from __future__ import annotations

import ast

from unjit.decompiler.recompiling.silently import parse_silently


def source_in(encoding: str | None, source: str) -> str | None:
    """The source, with escapes in its strings where the encoding lacks a character; None where a name would need one.

    What comes back is the same program.
    """
    encoding = encoding or "utf-8"
    try:
        source.encode(encoding)
    except UnicodeEncodeError:
        escaped = source.encode(encoding, "backslashreplace").decode(encoding)
        return escaped if _mean_the_same(source, escaped) else None
    return source


def _mean_the_same(source: str, escaped: str) -> bool:
    try:
        return ast.dump(parse_silently(source)) == ast.dump(parse_silently(escaped))
    except SyntaxError:
        return False
