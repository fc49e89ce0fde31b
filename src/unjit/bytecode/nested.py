"""A code object and all that are nested in it."""

from __future__ import annotations

from types import CodeType


def with_nested(code: CodeType) -> list[CodeType]:
    """The code object, then every one that its constants hold, at any depth."""
    found, work = [], [code]
    while work:
        found.append(work.pop())
        work += [const for const in found[-1].co_consts if isinstance(const, CodeType)]
    return found
