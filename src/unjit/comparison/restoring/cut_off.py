"""Copies in place of what a run would use up, while runs last.

Tensors that the program has computed before a call are cut off from what they were computed from. A backward goes
through it, as the program's own will. It can do so once: what it was computed from would be gone. And iterators.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from unjit.comparison.restoring.iterators import Guard, again
from unjit.comparison.restoring.weak import behind
from unjit.comparison.values.without_values import cloned

Place = tuple[Any, Callable[[Any], None]]  # what is held, and what puts something else in its place


class CutOff:
    """Puts copies in place of what a run would use up, wherever that is held. What puts the holders back ends it."""

    def __init__(self, is_source: Callable[[Any], bool]) -> None:
        self._is_source = is_source  # an iterator that is to be copied
        self._places: list[Place] = []
        self._copies: dict[int, Any] = {}
        self._guard = Guard()

    def note(self, places: Iterable[Place]) -> None:
        """Look for such tensors and iterators in these places."""
        self._places += [(held, put) for held, put in places if self._is_used_up(held)]

    def refuse_taking(self) -> None:
        """Raises UnjitError if a run has asked an iterator for something that has no copy."""
        self._guard.refuse()

    def put(self) -> None:
        """Put a new copy in the place of each, the same one wherever it is held."""
        self._copies.clear()
        for held, put in self._places:
            put(self._copied(held))

    def _copied(self, held: Any) -> Any:
        if not self._is_used_up(held):
            return held
        if id(held) not in self._copies:
            if isinstance(held, tuple):
                copy = _tuple_of(type(held), map(self._copied, held))
            elif self._is_source(held):
                copy = again(held, self._guard)
            else:
                copy = cloned(held).requires_grad_()
            self._copies[id(held)] = copy
        return self._copies[id(held)]

    def now(self, tensor: Any) -> Any:
        """What is in the place of a tensor: its copy, or itself."""
        return self._copies.get(id(tensor), tensor)

    def _is_used_up(self, value: Any) -> bool:
        """Whether it is such a tensor or iterator, or a tuple with one in it; not what refers to one weakly."""
        import torch

        if behind(value) is not value:
            return False
        if isinstance(value, tuple):
            return any(map(self._is_used_up, value))
        return self._is_source(value) or (isinstance(value, torch.Tensor) and not value.is_leaf)


def _tuple_of(kind: Any, parts: Iterable[Any]) -> Any:
    """A tuple of a class: a named one takes its parts one by one, one of Python's or torch's own all at once."""
    return kind(parts) if kind is tuple or hasattr(kind, "n_fields") else kind(*parts)
