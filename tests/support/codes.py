"""The code objects of what a text defines."""

from __future__ import annotations

from types import CodeType


def function_code(source: str, *path: str) -> CodeType:
    """The code of `f`, or of what is nested in it under the names of `path`."""
    code = compile(source, "<sample>", "exec", dont_inherit=True)
    for name in ("f", *path):
        code = next(c for c in code.co_consts if isinstance(c, CodeType) and c.co_name == name)
    return code
