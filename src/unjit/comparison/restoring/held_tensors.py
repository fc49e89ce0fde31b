"""The tensors that a function holds besides those of modules and optimizers, such as a cache in a global.

A call may write into them, as into its inputs, and then that is a part of what it does.
"""

from __future__ import annotations

import contextlib
from collections import OrderedDict, deque
from collections.abc import Iterable, Iterator, Mapping
from types import FunctionType, MethodType
from typing import Any, Final

from unjit.comparison.restoring.modules import named_modules
from unjit.comparison.restoring.undoing import MISSING, content
from unjit.comparison.restoring.weak import behind
from unjit.comparison.values.leaves import tensors

# By which Python's own containers tell what they hold: one of a class of the program's may read files to tell it.
_OF_PYTHON: Final = {dict.items, OrderedDict.items, list.__iter__, tuple.__iter__, deque.__iter__}


def held_tensors(function: Any, modules: list[Any], among: Mapping[int, Any]) -> Iterator[tuple[str, Any]]:
    """Those of `among`, by id, to which what the function names leads, each once, with the expression that reaches it.

    So do the attributes of its modules that are neither parameters nor buffers, and the globals that their forwards
    name. What only functions that these call name has no name here, nor what a container of a class of its own tells.
    """
    seen: set[int] = set()
    for name, value in _named(function, modules) if among else ():
        with contextlib.suppress(ReferenceError):  # a proxy of something that is gone
            for path, tensor in tensors(behind(value), name, follow=_asks_nobody):
                if id(tensor) in among and id(tensor) not in seen:
                    seen.add(id(tensor))
                    yield path, tensor


def _asks_nobody(value: Any) -> bool:
    """Whether none of the program's code runs where it is asked what a value holds."""
    kind = type(value)
    if isinstance(value, Mapping):
        return kind.items in _OF_PYTHON
    return not isinstance(value, (list, tuple, deque)) or kind.__iter__ in _OF_PYTHON


def _named(function: Any, modules: list[Any]) -> Iterator[tuple[str, Any]]:
    forwards: list[Any] = []
    if isinstance(function, MethodType):
        yield "self", function.__self__
    for name, module in named_modules(modules):
        forwards.append(type(module).forward)
        yield from ((f"{name}.{key}", value) for key, value in vars(module).items() if not key.startswith("_"))
    for one in dict.fromkeys(_functions([function, *forwards])):
        yield from _named_by(one)


def _functions(found: Iterable[Any]) -> Iterator[FunctionType]:
    for one in found:
        function = getattr(one, "__func__", one)
        function = getattr(function, "__wrapped__", function)
        if isinstance(function, FunctionType):
            yield function


def _named_by(function: FunctionType) -> Iterator[tuple[str, Any]]:
    names, cells = function.__code__.co_freevars, function.__closure__ or ()
    captured = ((name, content(cell)) for name, cell in zip(names, cells, strict=True))
    yield from ((f"closure {name}", held) for name, held in captured if held is not MISSING)
    scope = function.__globals__
    yield from ((f"global {name}", scope[name]) for name in function.__code__.co_names if name in scope)
