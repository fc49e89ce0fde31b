"""What a run can change besides its inputs, kept and put back: tensors of modules, random numbers, torch's settings."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from unjit.comparison.restoring.held_gradients import HeldGradients
from unjit.comparison.restoring.modules import tensors_of, tensors_of_optimizers
from unjit.comparison.restoring.randomness import RandomState
from unjit.comparison.restoring.settings import Settings
from unjit.comparison.restoring.tensors import Remembered
from unjit.errors import UnjitError


@dataclass(frozen=True)
class State:
    """The tensors of some modules, the random state and the settings, at one moment."""

    tensors: list[tuple[str, Any, Remembered]]  # name, the live tensor, what it was
    gradients: HeldGradients
    random: RandomState
    settings: Settings

    @classmethod
    def of(cls, modules: list[Any], optimizers: Sequence[Any] = ()) -> State:
        """Now. Raises UnjitError where a module makes its tensors at its first call."""
        named = list(tensors_of(modules))
        named += tensors_of_optimizers(optimizers, {id(tensor) for _, tensor in named})
        for name, tensor in named:
            if hasattr(tensor, "materialize"):
                raise UnjitError(
                    f"{name} has no values before the first call of its module, which a run could not take back: "
                    "call it once, then compare"
                )
        return cls(
            [(name, tensor, Remembered(tensor)) for name, tensor in named],
            HeldGradients(tensor for _, tensor in named),
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
        """As it was; gradients are taken off."""
        self.settings.put_back()
        self.random.put_back()
        for _, _, remembered in self.tensors:
            remembered.put_back()
        self.gradients.take_off()

    def put_back_all(self) -> None:
        """As it was, gradients too."""
        self.put_back()
        self.gradients.put_back()
