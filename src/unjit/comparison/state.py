"""What a run can change besides its inputs, kept and put back: tensors of modules, random numbers, torch's settings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjit.comparison.modules import tensors_of
from unjit.comparison.randomness import RandomState
from unjit.comparison.settings import Settings
from unjit.comparison.tensors import Remembered
from unjit.errors import UnjitError


@dataclass(frozen=True)
class State:
    """The tensors of some modules, the random state and the settings, at one moment."""

    tensors: list[tuple[str, Any, Remembered]]  # name, the live tensor, what it was
    gradients: list[tuple[Any, Any]]  # parameter, its gradient
    random: RandomState
    settings: Settings

    @classmethod
    def of(cls, modules: list[Any]) -> State:
        """Now. Raises UnjitError where a module makes its tensors at its first call."""
        named = list(tensors_of(modules))
        for name, tensor in named:
            if hasattr(tensor, "materialize"):
                raise UnjitError(
                    f"{name} has no values before the first call of its module, which a run could not take back: "
                    "call it once, then compare"
                )
        return cls(
            [(name, tensor, Remembered(tensor)) for name, tensor in named],
            [(tensor, tensor.grad) for _, tensor in named if tensor.is_leaf],
            RandomState.now(),
            Settings.now(),
        )

    @property
    def named(self) -> list[tuple[str, Any]]:
        """The live tensors."""
        return [(name, tensor) for name, tensor, _ in self.tensors]

    @property
    def values(self) -> dict[str, Any]:
        """What the tensors held then."""
        return {name: remembered.values for name, _, remembered in self.tensors}

    def put_back(self) -> None:
        """As it was; gradients are taken off, so that a run begins without any."""
        self.settings.put_back()
        self.random.put_back()
        for _, _, remembered in self.tensors:
            remembered.put_back()
        for tensor, _ in self.gradients:
            tensor.grad = None

    def put_back_all(self) -> None:
        """As it was, gradients too."""
        self.put_back()
        for tensor, gradient in self.gradients:
            tensor.grad = gradient
