"""The actions on displays: silent and exact while nothing else has seen them, events like any other afterwards.

What they do to known contents is what Python does to a list, tuple or dict of value numbers. Where an operation could
fail, or ask an object for its hash, it is left to be an event.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from unjit.verifier.machine.displays import DICT, LIST, SLICE, TUPLE, Display
from unjit.verifier.machine.events import event

if TYPE_CHECKING:
    from unjit.verifier.machine.machine import Machine
    from unjit.verifier.machine.program import Step


MOST_PARTS = 2000  # else a list that doubles in a silent loop grows too large before the loop is seen to be one
_SOLE = frozenset((str, int, type(None)))  # classes of constants of which none equals one of another class


# ---------------------------------------------------------------- what is known
def sequence(m: Machine, number: int) -> Sequence[int] | None:
    """The elements of a list or tuple, where they are known."""
    display = m.displays.get(number)
    if display is not None:
        return display.parts if display.kind in (LIST, TUPLE) else None
    whole = _constant(m, number, tuple)
    return tuple(map(m.values.constant, whole)) if isinstance(whole, tuple) else None


def entries(m: Machine, number: int) -> dict[object, int] | None:
    """The entries of a dict, where they are known."""
    display = m.displays.get(number)
    return dict(zip(display.keys, display.parts, strict=True)) if display and display.kind == DICT else None


def _contents(m: Machine, number: int) -> list[int] | None:
    """The elements of a list that may be changed."""
    display = m.displays.get(number)
    return list(display.parts) if display and display.kind == LIST else None


def _constant(m: Machine, number: int, kind: type) -> object:
    """The constant, if it is one of exactly this type."""
    value = m.values.objects.get(number)
    return value if type(value) is kind else None


def _is_key(m: Machine, number: int) -> bool:
    """Whether it is a constant that is hashed and compared without asking anybody, and equal to none but the same."""
    return number in m.values.objects and _is_sole(m.values.objects[number])


def _is_sole(value: object) -> bool:
    """Of numbers those are that no other class has: 1 is equal to True and to 1.0, and nan not even to itself."""
    if type(value) is float:
        return not (value.is_integer() or math.isnan(value))
    return type(value) in _SOLE or (type(value) is tuple and all(map(_is_sole, value)))


def _place(m: Machine, number: int, length: int) -> int | slice | None:
    """The constant index or slice that a number is, if it is one that fits this length."""
    index = _constant(m, number, int)
    if isinstance(index, int):
        return index if -length <= index < length else None
    parts = _bounds(m, number)
    bounds = [None if part == m.values.none else _constant(m, part, int) for part in parts]
    if not parts or any(b is None and part != m.values.none for b, part in zip(bounds, parts, strict=True)):
        return None
    return None if bounds[2:] == [0] else slice(*bounds)


def _bounds(m: Machine, number: int) -> Sequence[int]:
    """The parts of a slice; of anything else none."""
    whole = _constant(m, number, slice)
    if isinstance(whole, slice):
        return [m.values.constant(part) for part in (whole.start, whole.stop, whole.step)]
    display = m.displays.get(number)
    return display.parts if display is not None and display.kind == SLICE else ()


def _container(m: Machine, step: Step) -> int:
    """What the step adds to; it lies below what the step takes off the stack."""
    place = len(m.stack) - step.micro.pops - step.micro.reads[0]
    if place < 0:
        raise IndexError("the stack is too short")
    return m.stack[place]


# ---------------------------------------------------------------- steps
def _done(m: Machine, step: Step, *results: int) -> int:
    """End a silent step: take its operands off the stack, put the results there, go to the next step."""
    bottom = len(m.stack) - step.micro.pops
    m.stack[bottom:] = results
    return step.at + 1


def operands(m: Machine, step: Step) -> list[int]:
    """The entries that the step takes off the stack."""
    bottom = len(m.stack) - step.micro.pops
    if bottom < 0:
        raise IndexError("the stack is too short")
    return m.stack[bottom:]


def _changed(m: Machine, step: Step, container: int, parts: Sequence[int], added: int = 1) -> int:
    """Let the list have these elements, so many of which were added.

    With more than MOST_PARTS, and than code without a loop can have added, the step is an event like any other.
    """
    if len(parts) > max(MOST_PARTS, len(m.program.steps), added):
        return event(m, step)
    m.displays[container] = Display(LIST, tuple(parts))
    return _done(m, step)


def _new(m: Machine, kind: str, parts: Sequence[int]) -> int:
    number = m.values.symbol()
    m.displays[number] = Display(kind, tuple(parts))
    return number


def _new_tuple(m: Machine, parts: Sequence[int]) -> int:
    """A tuple of constants is a constant, whether loaded or built."""
    if all(map(m.values.is_constant, parts)):
        return m.values.constant_tuple(parts)
    return _new(m, TUPLE, parts)


def _new_dict(m: Machine, contents: dict[object, int]) -> int:
    number = m.values.symbol()
    m.displays[number] = Display(DICT, tuple(contents.values()), tuple(contents))
    return number


def build_list(m: Machine, step: Step) -> int:
    return _done(m, step, _new(m, LIST, operands(m, step)))


def build_tuple(m: Machine, step: Step) -> int:
    return _done(m, step, _new_tuple(m, operands(m, step)))


def build_slice(m: Machine, step: Step) -> int:
    """A slice of constants is a constant, whether loaded or built: Dynamo loads some where the compiler builds them."""
    parts = operands(m, step)
    if all(map(m.values.is_constant, parts)):
        return _done(m, step, m.values.constant(slice(*map(m.values.object, parts))))
    return _done(m, step, _new(m, SLICE, parts))


def build_map(m: Machine, step: Step) -> int:
    parts = operands(m, step)
    return _build_map(m, step, parts[::2], parts[1::2])


def build_const_key_map(m: Machine, step: Step) -> int:
    *parts, top = operands(m, step)
    keys = sequence(m, top)
    if keys is None or len(keys) != len(parts):
        return event(m, step)
    return _build_map(m, step, keys, parts)


def _build_map(m: Machine, step: Step, keys: Sequence[int], parts: Sequence[int]) -> int:
    if not all(_is_key(m, number) for number in keys):
        return m.stop(("map",), [number for pair in zip(keys, parts, strict=True) for number in pair])
    return _done(m, step, _new_dict(m, dict(zip(map(m.values.object, keys), parts, strict=True))))


def get_item(m: Machine, step: Step) -> int:
    container, key = operands(m, step)
    parts = sequence(m, container)
    if parts is None:
        return m.stop(step.micro.key, (container, key))
    place = _place(m, key, len(parts))
    if place is None:
        return event(m, step)
    if isinstance(place, int):
        return _done(m, step, parts[place])
    if container in m.displays and m.displays[container].kind == LIST:
        return _done(m, step, _new(m, LIST, parts[place]))
    if place.step in (None, 1) and range(len(parts))[place] == range(len(parts)):
        return _done(m, step, container)  # the whole of a tuple, one after the other, is the tuple
    return _done(m, step, _new_tuple(m, parts[place]))


def set_item(m: Machine, step: Step) -> int:
    value, container, key = operands(m, step)
    parts = _contents(m, container)
    place = None if parts is None else _place(m, key, len(parts))
    if parts is None or place is None:
        return event(m, step)
    if isinstance(place, int):
        parts[place] = value
    else:
        new = sequence(m, value)
        if new is None or place.step not in (None, 1):
            return event(m, step)
        parts[place] = new
    return _changed(m, step, container, parts)


def delete_item(m: Machine, step: Step) -> int:
    container, key = operands(m, step)
    parts = _contents(m, container)
    place = None if parts is None else _place(m, key, len(parts))
    if parts is None or place is None:
        return event(m, step)
    del parts[place]
    return _changed(m, step, container, parts)


def list_append(m: Machine, step: Step) -> int:
    container = _container(m, step)
    parts = _contents(m, container)
    if parts is None:
        return event(m, step)
    return _changed(m, step, container, [*parts, *operands(m, step)])


def list_extend(m: Machine, step: Step) -> int:
    container = _container(m, step)
    parts, more = _contents(m, container), sequence(m, m.stack[-1])
    if parts is None or more is None:
        return event(m, step)
    return _changed(m, step, container, [*parts, *more], len(more))


def list_to_tuple(m: Machine, step: Step) -> int:
    parts = _contents(m, m.stack[-1])
    return event(m, step) if parts is None else _done(m, step, _new_tuple(m, parts))


def map_add(m: Machine, step: Step) -> int:
    key, value = operands(m, step)
    return _update(m, step, {m.values.object(key): value} if _is_key(m, key) else None, merges=False)


def map_update(m: Machine, step: Step) -> int:
    return _update(m, step, entries(m, m.stack[-1]), merges=False)


def map_merge(m: Machine, step: Step) -> int:
    return _update(m, step, entries(m, m.stack[-1]), merges=True)


def _update(m: Machine, step: Step, more: dict[object, int] | None, *, merges: bool) -> int:
    container = _container(m, step)
    contents = entries(m, container)
    if contents is None or more is None or (merges and contents.keys() & more.keys()):
        return event(m, step)
    contents.update(more)
    if len(contents) > MOST_PARTS:
        return event(m, step)
    m.displays[container] = Display(DICT, tuple(contents.values()), tuple(contents))
    return _done(m, step)


def unpack(m: Machine, step: Step) -> int:
    parts = sequence(m, m.stack[-1])
    if parts is None or len(parts) != len(step.micro.results):
        return event(m, step)
    return _done(m, step, *reversed(parts))
