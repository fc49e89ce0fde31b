"""Code as lines of coloured words, for scripts that make no markup of text."""

from __future__ import annotations

import functools
from typing import Any

from pygments.lexers import PythonLexer
from pygments.token import STANDARD_TYPES

Words = list[list[str]]  # [class, text], or [text] where it has no colour


@functools.lru_cache(maxsize=256)
def code_lines(text: str) -> tuple[Words, ...]:
    """The lines of Python source, each as words with Pygments' short class names."""
    lines: list[Words] = [[]]
    for kind, value in _lexer().get_tokens(text):
        name = STANDARD_TYPES.get(kind, "")
        for number, part in enumerate(value.split("\n")):
            if number:
                lines.append([])
            if part:
                _add(lines[-1], "" if name in ("w", "n", "p") else name, part)
    count = len(text.split("\n")) if text else 0
    return tuple((lines + [[]] * count)[:count])


@functools.cache
def _lexer() -> Any:
    return PythonLexer(stripnl=False, ensurenl=False)


def _add(words: Words, name: str, text: str) -> None:
    if words and (words[-1][0] if len(words[-1]) == 2 else "") == name:
        words[-1][-1] += text
    else:
        words.append([name, text] if name else [text])
