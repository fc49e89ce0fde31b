"""What a value holds now, remembered so that it can be put back in place: one function for each kind of value."""

from __future__ import annotations

import inspect
import random
import sys
from collections import OrderedDict, deque
from collections.abc import Callable
from functools import partial
from types import CellType, FunctionType, MemberDescriptorType, WrapperDescriptorType
from typing import Any, Final

MISSING: Final = object()

Undo = Callable[[], object]


def content(cell: CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:
        return MISSING


def cell_undone(cell: CellType) -> Undo:
    before = content(cell)

    def undo() -> None:
        if content(cell) is before:
            return
        if before is MISSING:
            del cell.cell_contents
        else:
            cell.cell_contents = before

    return undo


def global_undone(scope: dict[str, Any], name: str, before: Any) -> Undo:
    def undo() -> None:
        if scope.get(name, MISSING) is before:
            return
        if before is MISSING:
            del scope[name]
        else:
            scope[name] = before

    return undo


def container_undone(value: Any) -> Undo | None:
    """Of a dict, list, deque or set, and of one of a class below these; None of anything else."""
    if isinstance(value, dict):
        return dict_undone(value)
    if isinstance(value, (list, deque)):
        return sequence_undone(value)
    return set_undone(value) if isinstance(value, set) else None


def dict_undone(value: dict[Any, Any]) -> Undo:
    kind: Any = OrderedDict if isinstance(value, OrderedDict) else dict
    before = list(kind.items(value))

    def undo() -> None:
        if _same([part for item in kind.items(value) for part in item], [part for item in before for part in item]):
            return
        kind.clear(value)
        for key, part in before:
            kind.__setitem__(value, key, part)

    return undo


def sequence_undone(value: list[Any] | deque[Any]) -> Undo:
    before = list(value)

    def undo() -> None:
        if not _same(list(value), before):
            value.clear()
            value.extend(before)

    return undo


def set_undone(value: set[Any]) -> Undo:
    before = set(value)

    def undo() -> None:
        if value != before:
            value.clear()
            value.update(before)

    return undo


def exchange(value: set[Any], held: Any, other: Any) -> None:
    """Have a set hold something else than one of its items."""
    value.discard(held)
    value.add(other)


def defaults_undone(function: FunctionType) -> Undo:
    before = function.__defaults__

    def undo() -> None:
        if function.__defaults__ is not before:
            function.__defaults__ = before

    return undo


def put_arguments(value: partial[Any], args: tuple[Any, ...]) -> None:
    """Give a partial other arguments in front, if it has not these."""
    if value.args is not args:
        restored: Any = value
        restored.__setstate__((value.func, args, value.keywords, value.__dict__ or None))


def cache_undone(cached: Any) -> Undo | None:
    """Of what `functools.lru_cache` gives, as far as Python can empty it again: not what it held before."""
    return None if cached.cache_info().currsize else cached.cache_clear


def class_undone(kind: type) -> Undo:
    """Without names in underscores, in which Python and others keep what they work out of a class."""
    before = attributes(kind)

    def undo() -> None:
        now = attributes(kind)
        for name in {*before, *now}:
            if name not in before:
                _of_metaclass(kind, "__delattr__")(kind, name)
            elif now.get(name, MISSING) is not before[name]:
                set_attribute(kind, name, before[name])

    return undo


def set_attribute(kind: type, name: str, value: Any) -> None:
    """Give a class an attribute, whatever its metaclass thinks of that."""
    _of_metaclass(kind, "__setattr__")(kind, name, value)


def _of_metaclass(kind: type, method: str) -> Any:
    """That of `type`, or of a metaclass written in C, whose classes Python lets no other change: no program's own."""
    held = (vars(base).get(method) for base in inspect.getmro(type(kind)))
    return next(found for found in held if isinstance(found, WrapperDescriptorType))


def attributes(kind: type) -> dict[str, Any]:
    """What a class itself holds, without what Python keeps there."""
    return {name: value for name, value in vars(kind).items() if not is_special(name)}


def is_special(name: str) -> bool:
    """Whether it is one of Python's own, as of a method that Python calls."""
    return name.startswith("__") and name.endswith("__")


def kind_undone(value: Any) -> Undo:
    """Of an object that may become one of another class, as torch's lazy modules do at their first call."""
    before = type(value)

    def undo() -> None:
        if type(value) is not before:
            object.__setattr__(value, "__class__", before)

    return undo


def slots_undone(value: Any, slots: list[MemberDescriptorType]) -> Undo:
    before = [(slot, slot_content(value, slot)) for slot in slots]

    def undo() -> None:
        for slot, held in before:
            if slot_content(value, slot) is held:
                continue
            if held is MISSING:
                slot.__delete__(value)
            else:
                slot.__set__(value, held)

    return undo


def slot_content(value: Any, slot: MemberDescriptorType) -> Any:
    try:
        return slot.__get__(value)
    except AttributeError:
        return MISSING


def _same(one: list[Any], other: list[Any]) -> bool:
    return len(one) == len(other) and all(a is b for a, b in zip(one, other, strict=True))


def generator_undone(value: Any) -> Undo | None:
    """Of a source of random numbers that the program has made for itself: those of torch, Python and NumPy."""
    import torch

    if isinstance(value, torch.Generator):
        return partial(value.set_state, value.get_state())
    if isinstance(value, random.Random) and not isinstance(value, random.SystemRandom):
        return partial(value.setstate, value.getstate())
    numpy = sys.modules.get("numpy")
    if numpy is None:
        return None
    if isinstance(value, numpy.random.RandomState):
        return partial(value.set_state, value.get_state())
    if isinstance(value, numpy.random.Generator):
        return partial(setattr, value.bit_generator, "state", value.bit_generator.state)
    return None
