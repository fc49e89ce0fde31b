"""Which function a decorator's wrapper stands around.

All wrappers that a decorator makes share one code object, and with it a name that says nothing: `wrapper`. What tells
them apart is the function that each has in a free variable.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType

from unjit.model import Name

_ANY_ARGUMENTS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def may_wrap(code: CodeType) -> bool:
    """Whether it is like a wrapper: made in another function, and called with whatever arguments."""
    return bool(code.co_freevars and code.co_flags & _ANY_ARGUMENTS)


def wrapped(closure: Mapping[str, CellType]) -> tuple[Name, ...]:
    """The qualified names of the functions that these free variables hold; of modules and the like, the classes'."""
    names = map(_name, map(_held, closure.values()))
    return tuple(dict.fromkeys(Name(name) for name in names if name is not None))


def _name(value: object) -> str | None:
    kind = type(value)
    if kind is MethodType:
        return _name(value.__func__)  # type: ignore[attr-defined]
    if kind is FunctionType:
        return value.__qualname__  # type: ignore[attr-defined, no-any-return]
    if kind is BuiltinFunctionType:
        return value.__name__  # type: ignore[attr-defined, no-any-return]  # the qualified one of torch's is no name
    return kind.__qualname__ if callable(value) and not issubclass(kind, type) else None


def _held(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # it is empty still
        return None
