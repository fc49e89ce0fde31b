"""Which function a decorator's wrapper stands around.

All wrappers that a decorator makes share one code object, and with it a name that says nothing: `wrapper`. What tells
them apart is the function that each has in a free variable.
"""

from __future__ import annotations

import dis
import inspect
from collections.abc import Mapping
from types import BuiltinFunctionType, CellType, CodeType, FunctionType, MethodType

from unjit.model import Maybe, Message, Name, Unknown

_HANDS_ON = dis.opmap["CALL_FUNCTION_EX"]
_ANY_ARGUMENTS = inspect.CO_VARARGS | inspect.CO_VARKEYWORDS


def may_wrap(code: CodeType) -> bool:
    """Whether it is like a wrapper: made in another function, called with whatever arguments, and handing such on.

    A method that says `super()` has its class in a free variable, and no function made it.
    """
    is_made = any(name != "__class__" for name in code.co_freevars)
    takes_any = is_made and bool(code.co_flags & _ANY_ARGUMENTS)
    return takes_any and _HANDS_ON in code.co_code[::2]


def wrapped(closure: Mapping[str, CellType]) -> Maybe[tuple[Name, ...]]:
    """The qualified name of the one function that these free variables hold; of a module and the like, its class's.

    Unknown where they hold several: an ordinary closure may as well.
    """
    names = map(_name, map(_held, closure.values()))
    found = tuple(dict.fromkeys(Name(name) for name in names if name is not None))
    return found if len(found) < 2 else Unknown(Message("several of its free variables hold functions"))


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
