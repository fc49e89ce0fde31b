"""Iterators of the program's own, of which a run may take nothing: what is taken is gone.

While runs last a copy stands in the place of each that can be copied, and of any other a guard, which refuses the
comparison if a run asks it for something.
"""

from __future__ import annotations

import ast
import copy
import io
import itertools
from collections.abc import Generator, Iterator
from typing import Any, Final

from unjit.errors import UnjitError
from unjit.model.words.wording import with_article

_GIVING: Final[tuple[Any, ...]] = (
    (), [], range(0), range(2**70), "", b"", bytearray(), {}, {}.values(), {}.items(), set(), reversed([]),
)  # fmt: skip
_COPIED: Final = tuple(type(iter(made)) for made in _GIVING)
_AROUND: Final = (enumerate, filter, map, zip)  # others, which their copies would share


def is_source(value: Any) -> bool:
    """Whether it is an iterator that no attributes put back; a file is one, and has other uses."""
    kind = type(value)
    return hasattr(kind, "__next__") and hasattr(kind, "__iter__") and not isinstance(value, io.IOBase)


def again(source: Any, guard: Guard) -> Any:
    """What gives the same as an iterator will, and takes nothing from it; where there is no such thing, a guard."""
    made = _copied(source)
    return _Guarded(source, guard) if made is None else made


def _copied(source: Any) -> Any:
    if isinstance(source, _COPIED):
        return copy.copy(source)
    if type(source) is itertools.count:
        return _counting(source)
    if type(source) not in _AROUND:
        return None
    kind, parts, *state = source.__reduce__()
    copies = [_copied(part) if is_source(part) else part for part in parts]
    if any(one is None and part is not None for one, part in zip(copies, parts, strict=True)):
        return None
    made = kind(*copies)
    if state:
        made.__setstate__(*state)
    return made


def _counting(source: itertools.count[Any]) -> itertools.count[Any] | None:
    """Since Python 3.14 a count has no copies, but it tells where it is."""
    call = ast.parse(repr(source), mode="eval").body
    try:
        return itertools.count(*(ast.literal_eval(number) for number in getattr(call, "args", ())))
    except ValueError:  # it counts in numbers of another kind
        return None


class Guard:
    """Remembers what was asked for something."""

    def __init__(self) -> None:
        self.asked: list[Any] = []

    def refuse(self) -> None:
        """Raises UnjitError if one of them was asked."""
        if self.asked:
            kind = type(self.asked[0]).__name__
            raise UnjitError(
                f"it takes from {with_article(kind)} of the program's own: what a run takes would be missing there"
            )


class _Guarded(Iterator[Any]):
    """Stands in the place of an iterator, and gives nothing of it away."""

    def __init__(self, source: Any, guard: Guard) -> None:
        self._source = source
        self._guard = guard

    def __next__(self) -> Any:
        return self._refused()

    def __len__(self) -> int:
        return len(self._source)

    def __deepcopy__(self, _memo: object) -> _Guarded:
        return self

    def __getattr__(self, name: str) -> Any:
        if name in ("send", "throw", "close") and isinstance(self._source, Generator):
            return self._refused
        return getattr(self._source, name)

    def _refused(self, *_given: object) -> Any:
        self._guard.asked.append(self._source)
        self._guard.refuse()
