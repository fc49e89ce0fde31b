"""Constants as text, without a call of the program: the repr of an object may print, take long, or raise.

Dynamo puts objects of the program among the constants of what it makes, a module's whole namespace among them.
"""

from __future__ import annotations

import reprlib
from types import (
    BuiltinFunctionType,
    CodeType,
    EllipsisType,
    FunctionType,
    ModuleType,
    NoneType,
    WrapperDescriptorType,
)
from typing import Final

_ALONE: Final = (NoneType, bool, int, float, complex, str, bytes, EllipsisType, range, CodeType)
_OBJECTS: Final = (FunctionType, BuiltinFunctionType, ModuleType)
_CONTAINERS: Final = (tuple, list, dict, set, frozenset)
_MOST_PARTS: Final = 100
_DEEPEST: Final = 6


def shown(value: object, longest: int) -> str:
    """What a constant is, in about so many characters. Sets come in the same order in each run."""
    return _Shown(longest).repr(value)


def listable(code: CodeType) -> CodeType:
    """The same code for `dis`, with texts for constants whose repr is the program's; itself if there are none."""
    constants = tuple(_listable(constant) for constant in code.co_consts)
    same = all(one is other for one, other in zip(constants, code.co_consts, strict=True))
    return code if same else code.replace(co_consts=constants)


def _listable(constant: object) -> object:
    if isinstance(constant, CodeType):
        return listable(constant)
    return constant if _says_itself(constant, _DEEPEST) else _Text(shown(constant, _MOST_PARTS))


class _Text:
    """Something whose repr is a given text."""

    def __init__(self, text: str) -> None:
        self._text = text

    def __repr__(self) -> str:
        return self._text


class _Shown(reprlib.Repr):
    """What a container holds as far as there is room for it."""

    def __init__(self, longest: int) -> None:
        super().__init__()
        self.maxother = self.maxstring = self.maxlong = longest
        self.maxtuple = self.maxlist = self.maxset = self.maxfrozenset = self.maxdict = longest // 8

    def repr1(self, x: object, level: int) -> str:
        """By its exact type: a class of the program's may have the name of one of Python's."""
        known = type(x) in _CONTAINERS or type(x) in (str, int)
        return super().repr1(x, level) if known else self.repr_instance(x, level)

    def repr_instance(self, x: object, level: int) -> str:
        del level
        return repr(x) if _says_itself(x, _DEEPEST) else object.__repr__(x)


def _says_itself(value: object, level: int) -> bool:
    """Whether the repr of a value is Python's, or torch's in C, and so is that of all that it holds."""
    kind = type(value)
    if kind in _ALONE or kind in _OBJECTS:
        return True
    if kind in _CONTAINERS:
        parts = [*value.keys(), *value.values()] if isinstance(value, dict) else list(value)  # type: ignore[call-overload]
        return level > 0 and len(parts) <= _MOST_PARTS and all(_says_itself(part, level - 1) for part in parts)
    written = kind.__repr__
    return written in (object.__repr__, type.__repr__) or (
        kind.__module__ == "torch" and isinstance(written, WrapperDescriptorType)  # torch.Size, torch.dtype, …
    )
