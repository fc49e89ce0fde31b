"""Edited code under a file name of its own; what is nested in it unchanged stays the very object that it was."""

from __future__ import annotations

import ast
import itertools
import linecache
from collections.abc import Iterator
from types import CodeType

_EDITS = itertools.count(1)
_DEFINITIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def in_its_own_file(code: CodeType, source: str, original: CodeType) -> CodeType:
    """The code under a file name by which tracebacks show the lines that were edited, in place of the user's file.

    Code that is nested as in `original`, lines apart, is taken from there: guards of resume functions ask for it by
    identity, and without it Dynamo would compile these once more for each edit.
    """
    name = f"<edited {code.co_name} {next(_EDITS)}>"
    linecache.cache[name] = (len(source), None, source.splitlines(keepends=True), name)
    defined = (node.lineno for node in ast.parse(source).body if isinstance(node, _DEFINITIONS))
    return _placed(code, name, original).replace(co_firstlineno=next(defined, 1))


def _placed(code: CodeType, file: str, original: CodeType | None) -> CodeType:
    """The code and what is new in it of this file, as far as it was of the same file as the code around it."""
    left = [] if original is None else list(_nested(original))
    consts = tuple(
        _kept_or_placed(const, code.co_filename, file, left) if isinstance(const, CodeType) else const
        for const in code.co_consts
    )
    return code.replace(co_filename=file, co_consts=consts)


def _kept_or_placed(code: CodeType, old: str, file: str, left: list[CodeType]) -> CodeType:
    """The first of those that are left that is this code; else this code, beside the one that it was changed from."""
    same = next((at for at, one in enumerate(left) if one is code or _bare(one) == _bare(code)), None)
    if same is not None:
        return left.pop(same)
    if code.co_filename != old:
        return code
    return _placed(code, file, next((one for one in left if one.co_name == code.co_name), None))


def _nested(code: CodeType) -> Iterator[CodeType]:
    return (const for const in code.co_consts if isinstance(const, CodeType))


def _bare(code: CodeType) -> tuple[CodeType, str]:
    """What tells code from other code, wherever it stands; comparing takes 1 and 1.0 for different constants."""
    consts = tuple(_inner(const) if isinstance(const, CodeType) else const for const in code.co_consts)
    bare = code.replace(co_filename="", co_firstlineno=1, co_linetable=b"", co_consts=consts)
    return bare, getattr(code, "co_qualname", code.co_name)


def _inner(code: CodeType) -> CodeType:
    return _bare(code)[0]
