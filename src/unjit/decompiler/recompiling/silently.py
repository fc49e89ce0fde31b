"""Compiling without warnings: what the compiler finds odd in the text it found odd in what somebody wrote.

Its warnings go by filters of the whole process. To put others in their place for a moment, as `warnings.catch_warnings`
does, is not for what runs inside of other people's programs: two threads that do so at once can leave either's filters
behind for good, and warnings that are shown once for a place are shown there again. So a filter joins those that there
are, about the name alone that texts are compiled under, which no file has; and nobody is told that they changed, which
is what makes Python forget where it has shown a warning.
"""

from __future__ import annotations

import ast
import contextlib
import re
import sys
import warnings
from collections.abc import Iterator
from types import CodeType
from typing import Final, cast

NAME = "<unjit: recompiled>"
_OF_A_CONTEXT = bool(getattr(sys.flags, "context_aware_warnings", False))  # 3.14: filters of one thread or task alone
Source = str | ast.Module | ast.Expression | ast.Interactive

_FILTER: Final = ("ignore", None, Warning, re.compile(re.escape(NAME)), 0)


def parse_silently(source: str) -> ast.Module:
    """The tree of a text. Raises as `compile` does."""
    tree = _compiled(source, "exec", ast.PyCF_ONLY_AST)
    assert isinstance(tree, ast.Module)
    return tree


def compile_silently(source: Source, mode: str, *, flags: int) -> CodeType:
    """The code of a text or tree, under NAME. Raises as `compile` does."""
    code = _compiled(source, mode, flags)
    assert isinstance(code, CodeType)
    return code


def _compiled(source: Source, mode: str, flags: int) -> object:
    with _of_this_context() if _OF_A_CONTEXT else _one_more():
        return compile(source, NAME, mode, flags=flags, dont_inherit=True, optimize=0)


@contextlib.contextmanager
def _of_this_context() -> Iterator[None]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@contextlib.contextmanager
def _one_more() -> Iterator[None]:
    filters = cast("list[object]", warnings.filters)  # another thread may put a copy in its place meanwhile
    filters.insert(0, _FILTER)
    try:
        yield
    finally:
        with contextlib.suppress(ValueError):
            filters.remove(_FILTER)


def constants_in_file(code: CodeType, file: str) -> tuple[object, ...]:
    """The constants of code that was compiled here, those that are code as if compiled from that file."""
    if CodeType not in map(type, code.co_consts):
        return code.co_consts
    return tuple(_in_file(const, file) if isinstance(const, CodeType) else const for const in code.co_consts)


def _in_file(code: CodeType, file: str) -> CodeType:
    consts = constants_in_file(code, file)
    return code.replace(co_filename=file, co_consts=consts) if code.co_filename == NAME else code
