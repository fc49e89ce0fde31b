"""A code object whose source is proved, and what that compiles to run beside it."""

from __future__ import annotations

from types import CodeType

from behaviour import assert_same
from unjit.decompiler import Decompiled, Verdict, decompile


def check(code: CodeType, *texts: str) -> Decompiled:
    """Proved, alike when run, in the same frame; its source holds each of the texts."""
    answer = decompile(code)
    assert answer.verdict is not Verdict.OPAQUE, answer.reason
    made = answer.recompile()
    for name in ("co_argcount", "co_posonlyargcount", "co_kwonlyargcount", "co_freevars", "co_cellvars", "co_flags"):
        assert getattr(made, name) == getattr(code, name), name
    assert made.co_varnames[: code.co_argcount] == code.co_varnames[: code.co_argcount]
    assert_same(code, made)
    for text in texts:
        assert text in answer.source, answer.source
    return answer
