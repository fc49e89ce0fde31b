"""Values out of memory: in a scratch file, beside the files that are made of them."""

from __future__ import annotations

import dataclasses
import functools
import io
import operator
import pickle
from collections.abc import Callable, Sequence
from typing import Any, BinaryIO, Generic, TypeVar, overload

from unjit.directory.files import Files
from unjit.model import Text

T = TypeVar("T")


class Spool(Generic[T]):
    """Keeps values in a scratch file, and gives copies of them back by the places at which they were put.

    `shared` are objects that values refer to and that are not copied. What cannot be written stays in memory.
    """

    def __init__(self, files: Files, *shared: object) -> None:
        self._file = files.scratch()
        self._end = 0
        self._kept: dict[int, T] = {}
        self._shared = shared
        self._numbers = {id(one): number for number, one in enumerate(shared)}

    def put(self, value: T) -> int:
        """Where it is from now on."""
        place, packed = self._end, io.BytesIO()
        try:
            _Pickler(packed, self._numbers).dump(value)
            self._file.seek(place)
            taken = self._file.write(packed.getbuffer()) == packed.tell()
        except (OSError, RecursionError):
            taken = False
        if not taken:
            self._kept[place] = value
        self._end += packed.tell() + 1  # no two at one place
        return place

    def get(self, place: int) -> T:
        """What was put there."""
        if place in self._kept:
            return self._kept[place]
        self._file.seek(place)
        value: T = _Unpickler(self._file, self._shared).load()
        return value


class Spooled(Sequence[T]):
    """A list of values that are in a spool, by their places: one is in memory while it is looked at."""

    def __init__(self, spool: Spool[T], places: Sequence[int]) -> None:
        self._spool = spool
        self._places = places

    def __len__(self) -> int:
        return len(self._places)

    @overload
    def __getitem__(self, at: int) -> T: ...
    @overload
    def __getitem__(self, at: slice) -> Spooled[T]: ...
    def __getitem__(self, at: int | slice) -> T | Spooled[T]:
        if isinstance(at, slice):
            return Spooled(self._spool, self._places[at])
        return self._spool.get(self._places[at])


class _Pickler(pickle.Pickler):
    def __init__(self, file: BinaryIO, numbers: dict[int, int]) -> None:
        super().__init__(file, pickle.HIGHEST_PROTOCOL)
        self._numbers = numbers

    def persistent_id(self, value: object) -> int | None:
        return self._numbers.get(id(value))

    def reducer_override(self, value: object) -> Any:
        """Values of the model by their fields, which takes half as long as what pickle does with frozen classes."""
        kind: Any = value.__class__
        fields = _fields_of(kind)
        return NotImplemented if fields is None else (value.__class__, fields(value))


@functools.cache
def _fields_of(kind: type[Any]) -> Callable[[Any], tuple[Any, ...]] | None:
    """What a value of this class is made of again; None for classes that are not the model's."""
    if issubclass(kind, Text):
        return lambda text: (str(text),)
    if not dataclasses.is_dataclass(kind) or not kind.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        return None
    names = [field.name for field in dataclasses.fields(kind)]
    get = operator.attrgetter(*names)
    return get if len(names) > 1 else lambda value: (get(value),)


class _Unpickler(pickle.Unpickler):
    def __init__(self, file: BinaryIO, shared: Sequence[object]) -> None:
        super().__init__(file)
        self._shared = shared

    def persistent_load(self, number: Any) -> object:
        return self._shared[number]
