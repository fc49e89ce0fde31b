"""Constants as text, without a call of the program: the repr of an object may print, take long, or raise.

Dynamo puts objects of the program among the constants of what it makes, a module's whole namespace among them.
"""

from __future__ import annotations

import re
import reprlib
import sys
from collections.abc import Collection, Iterator
from types import (
    BuiltinFunctionType,
    CodeType,
    EllipsisType,
    FunctionType,
    ModuleType,
    NoneType,
    WrapperDescriptorType,
)
from typing import Any, Final

_ALONE: Final = (NoneType, bool, int, float, complex, str, bytes, EllipsisType, CodeType)
_RANGES: Final = (range, slice)  # slices are constants from Python 3.14 on
_OBJECTS: Final = (FunctionType, BuiltinFunctionType)
_CONTAINERS: Final = (tuple, list, dict, set, frozenset)
_MOST_PARTS: Final = 100  # of one container
_MOST_IN_ALL: Final = 10_000
_DEEPEST: Final = 6
_BASES: Final = type.__dict__["__mro__"].__get__
_NAMESPACE: Final = type.__dict__["__dict__"].__get__
_FLAGS: Final = type.__dict__["__flags__"].__get__
_MADE_BY_PYTHON: Final = 1 << 9  # Py_TPFLAGS_HEAPTYPE: a class that was made while the program runs
_ADDRESS: Final = re.compile(r" at 0x[0-9A-Fa-f]+(?=>$|, file )")  # of an object, or of code
_MOST_BITS: Final = 2_000  # of a number: Python can be told to print no number of more than 640 digits


def shown(value: object, longest: int) -> str:
    """What a constant is, in about so many characters: the same in each run, with sets in order and no address."""
    return _Shown(longest).repr(value)


def listable(code: CodeType) -> CodeType:
    """The same code for `dis`; itself if the repr of each constant is Python's, and the same in each run.

    Texts stand in it for the others: objects of the program, and sets.
    """
    constants = tuple(_listable(constant) for constant in code.co_consts)
    same = all(one is other for one, other in zip(constants, code.co_consts, strict=True))
    return code if same else code.replace(co_consts=constants)


def _listable(constant: object) -> object:
    """`dis` asks each constant for an attribute, too, which an object of the program may make up."""
    kind = type(constant)
    if kind is CodeType:
        return listable(constant)  # type: ignore[arg-type]
    is_plain = is_any(kind, (*_ALONE, *_RANGES, *_CONTAINERS)) and _says_itself(constant)
    if is_plain and not _may_differ(constant):
        return constant
    return _Text(_Whole().repr(constant) if is_plain else shown(constant, _MOST_PARTS))


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
        self.maxlevel = 3
        self.maxother = self.maxstring = self.maxlong = longest
        self.maxtuple = self.maxlist = self.maxset = self.maxfrozenset = self.maxdict = longest // 8
        self._longest = longest

    def repr1(self, x: object, level: int) -> str:
        """By its exact type: a class of the program's may have the name of one of Python's."""
        known = is_any(type(x), (*_CONTAINERS, slice, str, int))
        return super().repr1(x, level) if known else self.repr_instance(x, level)

    def repr_int(self, x: int, level: int) -> str:
        return super().repr_int(x, level) if _is_short(x) else _cut(hex(x), self._longest)

    def repr_set(self, x: set[Any], level: int) -> str:
        return f"{{{self._in_order(x, level)}}}" if x else "set()"

    def repr_frozenset(self, x: frozenset[Any], level: int) -> str:
        return f"frozenset({{{self._in_order(x, level)}}})" if x else "frozenset()"

    def repr_dict(self, x: dict[Any, Any], level: int) -> str:
        """As they stand in it: to sort keys, or to look one up, would call the program."""
        if level <= 0 and x:
            return "{...}"
        first = list(x.items())[: self.maxdict]
        parts = [f"{self.repr1(key, level - 1)}: {self.repr1(value, level - 1)}" for key, value in first]
        return f"{{{', '.join([*parts, '...'] if len(x) > len(first) else parts)}}}"

    def repr_instance(self, x: object, level: int) -> str:
        del level
        if type(x) is ModuleType:
            return _module(x)
        text = repr(x) if _says_itself(x) else object.__repr__(x)
        return text if type(x) is bytes else _ADDRESS.sub("", text)

    def repr_slice(self, x: slice, level: int) -> str:
        parts = (self.repr1(part, level - 1) for part in (x.start, x.stop, x.step))
        return f"slice({', '.join(parts)})" if level > 0 else "slice(...)"

    def _in_order(self, x: Collection[Any], level: int) -> str:
        return self.repr_list(sorted(x) if _can_be_sorted(x) else self._by_text(x, level), level)[1:-1]

    def _by_text(self, x: Collection[Any], level: int) -> list[Any]:
        parts = list(x)
        return sorted(parts, key=lambda one: self.repr1(one, level - 1)) if len(parts) <= _MOST_PARTS else parts


class _Whole(_Shown):
    """All that a container holds."""

    def __init__(self) -> None:
        super().__init__(sys.maxsize)
        self.maxlevel = _DEEPEST + 1


def _may_differ(value: Any) -> bool:
    """Whether Python may tell it otherwise in another run: a set in another order, an object at another address."""
    kind = type(value)
    if kind is dict:
        return any(map(_may_differ, (*value, *value.values())))
    if kind is slice:
        return any(map(_may_differ, (value.start, value.stop, value.step)))
    if is_any(kind, (tuple, list)):
        return any(map(_may_differ, value))
    return not is_any(kind, (*_ALONE, range))


def _can_be_sorted(values: Collection[object]) -> bool:
    """Whether an order of these is Python's own."""
    kinds = list(map(type, list(values)))
    return any(all(is_any(kind, alike) for kind in kinds) for alike in ((str,), (bytes,), (bool, int, float)))


def _says_itself(value: object) -> bool:
    """Whether the repr of a value is Python's, or torch's in C, and so is that of all that it holds."""
    return _is_said(value, _DEEPEST, iter(range(_MOST_IN_ALL)))


def _is_said(value: Any, level: int, room: Iterator[int]) -> bool:
    kind = type(value)
    if next(room, None) is None:
        return False
    if kind is int:
        return _is_short(value)
    if is_any(kind, _RANGES):
        return all(_is_said(part, level, room) for part in (value.start, value.stop, value.step))
    if is_any(kind, (*_ALONE, *_OBJECTS)):
        return True
    if is_any(kind, _CONTAINERS):
        parts = [*value.keys(), *value.values()] if kind is dict else list(value)
        return level > 0 and len(parts) <= _MOST_PARTS and all(_is_said(part, level - 1, room) for part in parts)
    written = _written(kind)
    return written is object.__repr__ or written is type.__repr__ or _is_torchs(kind, written)


def _written(kind: type) -> object:
    """Where the repr of a class is, without its metaclass, which may be the program's."""
    found = (_NAMESPACE(base) for base in _BASES(kind))
    return next(names["__repr__"] for names in found if "__repr__" in names)


def _is_torchs(kind: type, written: object) -> bool:
    """Whether it is a class that torch has in C: torch.Size, torch.dtype and the like."""
    in_c = type(written) is WrapperDescriptorType and not _FLAGS(kind) & _MADE_BY_PYTHON
    return in_c and kind.__module__ == "torch"


def is_any(kind: type, kinds: tuple[type, ...]) -> bool:
    """Whether it is one of these: to compare or to hash a class may call its metaclass."""
    return any(kind is one for one in kinds)


def _is_short(number: int) -> bool:
    return number.bit_length() <= _MOST_BITS


def _module(module: ModuleType) -> str:
    """As Python has it, which would ask its loader, and the module itself for what it lacks."""
    names = vars(module)
    name, file = (found if type(found) is str else None for found in map(names.get, ("__name__", "__file__")))
    return f"<module {name!r}>" if file is None else f"<module {name!r} from {file!r}>"


def _cut(text: str, longest: int) -> str:
    return text if len(text) <= longest else f"{text[:longest]}…"
