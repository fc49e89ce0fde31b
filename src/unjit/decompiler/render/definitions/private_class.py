"""The class that a function has to be shown in, because a name that it defines is private to that.

In `class C`, `def __f` within a method binds `_C__f`, and the function is called `__f`: outside of a class no
definition does both. Other private names can be written as they are compiled, as in `self._C__x`.
"""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType

from unjit.decompiler.kinds import Kind, kind_of


def private_class(code: CodeType) -> str | None:
    """The name of that class, without leading underscores where the code does not tell them; None if none is needed."""
    if kind_of(code) is not Kind.FUNCTION:
        return None
    told = next(_private_to(code), None)
    around = getattr(code, "co_qualname", "").split(".")[-2:-1]  # 3.11
    return around[0] if told is not None and [name.lstrip("_") for name in around] == [told] else told


def _private_to(code: CodeType) -> Iterator[str]:
    """The `C` of each `_C__f` that the code, or a function in it, binds and that a function in it calls `__f`."""
    for inner in code.co_consts:
        if not isinstance(inner, CodeType):
            continue
        name, bound = inner.co_name, (*code.co_varnames, *code.co_cellvars, *code.co_names)
        if name.startswith("__") and not name.endswith("__") and name not in bound:  # else it is private to nothing
            yield from (
                each[1 : -len(name)]
                for each in bound
                if each.startswith("_") and each.endswith(name) and each[1 : -len(name)].isidentifier()
            )
        if kind_of(inner) is Kind.FUNCTION:
            yield from _private_to(inner)
