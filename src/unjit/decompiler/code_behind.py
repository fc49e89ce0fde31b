"""From anything to the code object behind it, by looking alone: nothing that a user wrote is run.

A property, a `__getattr__` or a `__repr__` may do anything, and an object may claim to be of a class that it is not of
(mocks do both). So what counts is the type that an object has, and what it keeps itself.
"""

from __future__ import annotations

import inspect
from functools import cached_property, partial, partialmethod, singledispatchmethod
from types import (
    AsyncGeneratorType,
    CodeType,
    CoroutineType,
    FrameType,
    FunctionType,
    GeneratorType,
    GetSetDescriptorType,
    MemberDescriptorType,
    ModuleType,
    TracebackType,
)
from typing import Any

_KEPT_BY: dict[type, str] = {
    partial: "func",
    partialmethod: "func",
    cached_property: "func",
    singledispatchmethod: "func",
    GeneratorType: "gi_code",
    CoroutineType: "cr_code",
    AsyncGeneratorType: "ag_code",
    FrameType: "f_code",
}
_KEPT_BY_ANY = ("__code__", "__func__", "__wrapped__", "fget")
_READ_BY_PYTHON = (MemberDescriptorType, GetSetDescriptorType)
_BASES, _CONTENTS, _QUALNAME = (vars(type)[name] for name in ("__mro__", "__dict__", "__qualname__"))


def code_of(target: object) -> CodeType:
    """The code object behind a function, bound method, property getter, generator, frame, callable instance or code.

    Raises TypeError, with what to give instead where there is such, when there is none.
    """
    seen: list[object] = []
    found = target
    while not any(found is known for known in seen):
        if type(found) is CodeType:
            return found
        seen.append(found)
        found = _behind(found)
    raise TypeError(_refusal(target))


def _behind(target: object) -> object:
    """One step towards the code; None where there is none."""
    if _is(target, type) or _is(target, ModuleType):
        return None  # what is in one of them is not its own
    names = [name for known, name in _KEPT_BY.items() if _is(target, known)] or _KEPT_BY_ANY
    inner = (_kept(target, name) for name in names)
    return next((value for value in inner if value is not None), _python_call(type(target)))


def _is(target: object, kind: type) -> bool:
    """By the type alone: isinstance asks the object for its `__class__` as well."""
    return issubclass(type(target), kind)


def _kept(target: object, name: str) -> Any:
    """An attribute that is there without any code of the object's being run; else None."""
    found = inspect.getattr_static(target, name, None)
    if type(found) in _READ_BY_PYTHON:
        try:
            return found.__get__(target)
        except AttributeError:  # a slot with nothing in it
            return None
    return None if _is(found, property) else found


def _python_call(kind: type) -> FunctionType | None:
    """What a call of an instance calls, if it is written in Python."""
    contents = (_CONTENTS.__get__(base) for base in _BASES.__get__(kind))
    call = next((known["__call__"] for known in contents if "__call__" in known), None)
    return call if type(call) is FunctionType else None


def _refusal(target: object) -> str:
    """One sentence: what it is, by its type and name, and what to give instead."""
    name, file = _kept(target, "__qualname__") or _kept(target, "__name__"), _kept(target, "__file__")
    if _is(target, type) and "__module__" in _CONTENTS.__get__(target):
        name = _QUALNAME.__get__(target)
        return (
            f"the class {name} has no bytecode of its own: give one of its methods, "
            f"or decompile its body from its file, as in unjit decompile FILE.py:{name}"
        )
    if _is(target, ModuleType) and type(file) is str and file.endswith(".py"):
        return f"the module {name} has kept no bytecode: unjit decompile {file} reads its file"
    if _is(target, TracebackType):
        return "a traceback has no bytecode but that of its frames: give one of them, as traceback.tb_frame"
    kind = f"of type {_QUALNAME.__get__(type(target))}"
    subject = f"{name}, {kind}," if type(name) is str else f"an object {kind}"
    return f"{subject} has no Python bytecode"
