"""Expressions laid out over many lines, as formatters do: what jumps and what was asked have lines of their own."""

from __future__ import annotations

import io
import itertools
import tokenize
from types import CodeType

import pytest

from unjit.decompiler import Verdict, decompile

ASKED = ["a", "x >= a", "f(x)"]
TWO = ["{} and {}", "{} or {}", "not {} and {}", "({} or {}) and c", "{} and ({} or c)"]
CHOICES = ["({} if b else {})", "({} if b and c else {})", "c and ({} if b else {})", "({} if b else {}) or c",
           "({} if not b else {})", "({} if b else {} if c else x)"]  # fmt: skip
PLACES = [
    "if ({}):\n        g()\n    h()",
    "while ({}):\n        g()",
    "return ({})",
    "y = ({})",
    "return [x for x in y if ({})]",
    "return {{x: 1 for x in y if ({})}}",
    "return [1 if ({}) else 2 for x in y]",
    "assert ({})",
    "for x in y:\n        if ({}):\n            continue\n        g()",
    "if ({}):\n        raise E\n    return x",
]


def texts():
    """Every expression in every place, as a function."""
    for form, place in itertools.product([*TWO, *CHOICES], PLACES):
        for first, second in itertools.product(ASKED, repeat=2):
            yield f"def function(a, b, c, x, y):\n    {place.format(form.format(first, second))}\n"


def laid_out(text: str, words: set[str] | None) -> str:
    """The text with a new line before each of these words in brackets; before each token there if `words` is None."""
    made, depth, last = "", 0, None
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        if token.type not in (tokenize.INDENT, tokenize.DEDENT, tokenize.ENDMARKER):
            if depth and (words is None or token.string in words):
                made += "\n            "
            elif last is not None:
                made += token.line[last.end[1] : token.start[1]] if last.end[0] == token.start[0] else ""
            if last is None or last.end[0] != token.start[0]:
                made += token.line[: token.start[1]]
            made += token.string
            depth += {"(": 1, "[": 1, "{": 1, ")": -1, "]": -1, "}": -1}.get(token.string, 0)
            last = token
    return made


def one_token_a_line(text: str) -> str:
    return laid_out(text, None)


def broken_before_operators(text: str) -> str:
    """As formatters do it."""
    return laid_out(text, {"and", "or", "if", "else", "for"})


def code_of(text: str) -> CodeType:
    module = compile(text, "layout", "exec", dont_inherit=True)
    return next(const for const in module.co_consts if isinstance(const, CodeType))


@pytest.mark.parametrize("layout", [str, one_token_a_line, broken_before_operators])
def test_an_expression_laid_out_over_lines(layout):
    answers = {text: decompile(code_of(text)) for text in map(layout, texts())}
    assert [text for text, found in answers.items() if found.verdict is Verdict.OPAQUE] == []
    assert [text for text, found in answers.items() if found.synthetic.total] == []
