"""What kept entries of a resume function from fitting, in words of the program: nobody wrote `___stack1`."""

from __future__ import annotations

import ast
import re
from dataclasses import replace

from unjit.model import Compile, Function, Generated, Unknown

_STANDS_ALONE = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript)


def in_words_of_the_program(function: Function) -> Function:
    """The values that lay on the stack are told by what the program computes them from, where that is known."""
    words = _words(function)
    if not words or isinstance(function.compiles, Unknown):
        return function
    pattern = re.compile(rf"\b(?:{'|'.join(map(re.escape, words))})\b")
    return replace(function, compiles=tuple(_written(one, pattern, words) for one in function.compiles))


def _words(function: Function) -> dict[str, str]:
    point = function.resume
    stack = () if point is None or isinstance(point.stack, Unknown) else point.stack
    known = ((value.argument, value.expression) for value in stack if not isinstance(value.expression, Unknown))
    return {str(name): words for name, expression in known if (words := _apart(expression)) is not None}


def _written(one: Compile, pattern: re.Pattern[str], words: dict[str, str]) -> Compile:
    if isinstance(one.failed_guards, Unknown):
        return one
    guards = tuple(
        replace(guard, condition=Generated(pattern.sub(lambda found: words[found[0]], guard.condition)))
        for guard in one.failed_guards
    )
    return replace(one, failed_guards=guards)


def _apart(expression: str) -> str | None:
    """In parentheses where an attribute or a comparison after it would be read as part of it.

    None for what is no expression, such as the `<value>` that stands for what has no text: torch's own name for it says
    more, and the text about the resume function explains that name.
    """
    try:
        node = ast.parse(expression, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    return expression if isinstance(node, _STANDS_ALONE) else f"({expression})"
