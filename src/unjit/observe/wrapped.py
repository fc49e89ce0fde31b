"""Which function a decorator's wrapper stands around.

All wrappers that a decorator makes share one code object, and with it a name that says nothing: `wrapper`. What tells
them apart is the function that each has in a free variable.
"""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from types import CellType, CodeType, FunctionType, MethodType

from unjit.model import Name

_ANY_ARGUMENTS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def may_wrap(code: CodeType) -> bool:
    """Whether it is like a wrapper: made in another function, and called with whatever arguments."""
    return bool(code.co_freevars and code.co_flags & _ANY_ARGUMENTS)


def wrapped(closure: Mapping[str, CellType]) -> tuple[Name, ...]:
    """The qualified names of the functions that these free variables hold."""
    held = map(_held, closure.values())
    functions = (value.__func__ if isinstance(value, MethodType) else value for value in held)
    return tuple(dict.fromkeys(Name(f.__qualname__) for f in functions if isinstance(f, FunctionType)))


def _held(cell: CellType) -> object:
    try:
        return cell.cell_contents
    except ValueError:  # it is empty still
        return None
