"""What the helper calls in decompiled source mean, as plain Python.

Some instructions have no syntax. Decompiled source then calls one of these; `Decompiled.recompile()` turns the call
back into the instruction, and these definitions let the same source run as it is printed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from types import CellType
from typing import Any, TypeVar

T = TypeVar("T")
K = TypeVar("K")


def cell_of(reader: Callable[[], object]) -> CellType:
    """The cell that `reader`, a lambda that returns one variable, reads: the variable itself, not its value.

    Raises ValueError when `reader` reads no variable of an enclosing function, or several.
    """
    cells = reader.__closure__ or ()
    if len(cells) != 1:
        raise ValueError("cell_of takes a lambda that returns one variable of the enclosing function")
    return cells[0]


def iterate(iterator: Iterator[T]) -> Iterable[T]:
    """The items of `iterator`, without calling its `__iter__`."""

    class Bare:
        def __iter__(self) -> Iterator[T]:
            return iterator

    return Bare()


def entered(exit_: Callable[..., object]) -> AbstractContextManager[None]:
    """A context that was entered before, of which `exit_` is the exit function: `with` calls it, and nothing before.

    Source says so for code that is entered in the midst of a `with`.
    """

    class Entered:
        def __enter__(self) -> None:
            pass

        def __exit__(self, *exception: object) -> bool:
            return bool(exit_(*exception))

    return Entered()


def get_iter(iterable: Iterable[T]) -> Iterator[T]:
    """What a for loop over `iterable` would take its items from."""
    return iter(iterable)


def list_append(target: list[T], item: T) -> list[T]:
    """Append, as a comprehension does; give the list back."""
    list.append(target, item)
    return target


def list_extend(target: list[T], items: Iterable[T]) -> list[T]:
    """Extend, as `[*target, *items]` does to the list being built; give the list back."""
    list.extend(target, items)
    return target


def set_add(target: set[T], item: T) -> set[T]:
    """Add, as a set comprehension does; give the set back."""
    set.add(target, item)
    return target


def set_update(target: set[T], items: Iterable[T]) -> set[T]:
    """Update, as `{*target, *items}` does; give the set back."""
    set.update(target, items)
    return target


def map_add(target: dict[K, T], key: K, value: T) -> dict[K, T]:
    """Set one item, as a dict comprehension does; give the dict back."""
    dict.__setitem__(target, key, value)
    return target


def dict_update(target: dict[K, T], items: Mapping[K, T]) -> dict[K, T]:
    """Update, as `{**target, **items}` does; give the dict back."""
    dict.update(target, items)
    return target


def dict_merge(target: dict[K, T], items: Mapping[K, T]) -> dict[K, T]:
    """Add keyword arguments, as `f(**target, **items)` does; give the dict back.

    Raises TypeError when a key is in both.
    """
    for key in items:
        if key in target:
            raise TypeError(f"got multiple values for keyword argument {key!r}")
        target[key] = items[key]
    return target


def list_to_tuple(items: list[T]) -> tuple[T, ...]:
    """The tuple of what was gathered in a list, as `(*a, *b)` makes it."""
    return tuple(items)


def build_string(*parts: str) -> str:
    """The text that the parts make, as a formatted string joins them: what is no text raises TypeError."""
    return "".join(parts)


def format_with_spec(value: object, spec: str) -> str:
    """What `f"{value:…}"` makes where the part after the colon is `spec`, which is not formatted itself."""
    return format(value, spec)


def format_str_with_spec(value: object, spec: str) -> str:
    """The same for `f"{value!s:…}"`."""
    return format(str(value), spec)


def format_repr_with_spec(value: object, spec: str) -> str:
    """The same for `f"{value!r:…}"`."""
    return format(repr(value), spec)


def format_ascii_with_spec(value: object, spec: str) -> str:
    """The same for `f"{value!a:…}"`."""
    return format(ascii(value), spec)


def build_map(*keys_and_values: Any) -> dict[Any, Any]:
    """The dict of keys and values in turn: no key is asked for its hash before all of them are there."""
    return dict(zip(keys_and_values[::2], keys_and_values[1::2], strict=True))


def spread(function: Callable[..., T]) -> Callable[[tuple[object, ...], dict[str, object]], T]:
    """`spread(f)(positional, named)` is `f(*positional, **named)`, with no copy of either on the way."""
    return lambda positional, named: function(*positional, **named)


def slice_of(start: object, stop: object) -> slice:
    """The slice that `[start:stop]` makes."""
    return slice(start, stop)


def slice_with_step(start: object, stop: object, step: object) -> slice:
    """The slice that `[start:stop:step]` makes."""
    return slice(start, stop, step)


__all__ = [
    "build_map",
    "build_string",
    "cell_of",
    "dict_merge",
    "dict_update",
    "entered",
    "format_ascii_with_spec",
    "format_repr_with_spec",
    "format_str_with_spec",
    "format_with_spec",
    "get_iter",
    "iterate",
    "list_append",
    "list_extend",
    "list_to_tuple",
    "map_add",
    "set_add",
    "set_update",
    "slice_of",
    "slice_with_step",
    "spread",
]
