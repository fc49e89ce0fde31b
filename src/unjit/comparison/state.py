"""What a run can change besides its inputs, kept and put back: tensors of modules, sources of random numbers."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from unjit.comparison.randomness import RandomState
from unjit.errors import UnjitError


@dataclass(frozen=True)
class State:
    """The tensors of some modules, and the random state, at one moment."""

    tensors: list[tuple[str, Any, Any]]  # name, the live tensor, a copy of its values
    gradients: list[tuple[Any, Any]]  # parameter, its gradient
    random: RandomState

    @classmethod
    def of(cls, modules: list[Any]) -> State:
        """Now. Raises UnjitError where a module makes its tensors at its first call."""
        named = [
            (name, tensor)
            for number, module in enumerate(modules)
            for name, tensor in _tensors(module, "module" if len(modules) == 1 else f"module_{number}")
        ]
        for name, tensor in named:
            if hasattr(tensor, "materialize"):
                raise UnjitError(
                    f"{name} has no values before the first call of its module, which a run could not take back: "
                    "call it once, then compare"
                )
        return cls(
            [(name, tensor, tensor.detach().clone()) for name, tensor in named],
            [(tensor, tensor.grad) for _, tensor in named if tensor.is_leaf],
            RandomState.now(),
        )

    @property
    def named(self) -> list[tuple[str, Any]]:
        """The live tensors."""
        return [(name, tensor) for name, tensor, _ in self.tensors]

    def put_back(self) -> None:
        """As it was; gradients are taken off, so that a run begins without any."""
        for _, tensor, values in self.tensors:
            if tensor.dtype is not values.dtype:
                tensor.data = values.clone()
            else:
                overwrite(tensor, values)
        for tensor, _ in self.gradients:
            tensor.grad = None
        self.random.put_back()

    def put_back_all(self) -> None:
        """As it was, gradients too."""
        self.put_back()
        for tensor, gradient in self.gradients:
            tensor.grad = gradient


def overwrite(tensor: Any, values: Any) -> None:
    """Write values into a tensor without autograd's notice: a backward that the program has yet to run may need it."""
    import torch

    with torch.inference_mode() if tensor.is_inference() else torch.no_grad():
        tensor.data.copy_(values)


def _tensors(module: Any, name: str) -> Iterator[tuple[str, Any]]:
    yield from ((f"{name}.{path}", tensor) for path, tensor in module.named_parameters())
    yield from ((f"{name}.{path}", tensor) for path, tensor in module.named_buffers())
