"""The gradients that tensors have when a call is compared: each run finds them, and none writes into the program's own.

An optimizer's step reads nothing else, and a training loop that adds up gradients goes on from what is there.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unjit.comparison.runs.room import bytes_of, check_room
from unjit.comparison.values.without_values import cloned


class HeldGradients:
    """Those of some tensors, at one moment."""

    def __init__(self, tensors: Iterable[Any]) -> None:
        self._held = [(tensor, tensor.grad) for tensor in tensors if tensor.is_leaf]

    def take_off(self) -> None:
        """Leave the tensors without any."""
        for tensor, _ in self._held:
            tensor.grad = None

    def give_copies(self) -> None:
        """Give the tensors copies for a run. Raises UnjitError where there is no memory for them."""
        found = [(tensor, gradient) for tensor, gradient in self._held if gradient is not None]
        check_room(bytes_of([gradient for _, gradient in found]), "copies of the gradients that a run finds")
        for tensor, gradient in found:
            tensor.grad = cloned(gradient)

    def put_back(self) -> None:
        """Give the tensors their own again."""
        for tensor, gradient in self._held:
            tensor.grad = gradient


def copy_gradients(sources: Iterable[Any], copies: Iterable[Any]) -> None:
    """Give copies of tensors, in the same order, the gradients of their sources in their own type."""
    for source, copy in zip(sources, copies, strict=True):
        if source.grad is not None:
            copy.grad = source.grad.detach().to(copy.dtype, copy=True)
