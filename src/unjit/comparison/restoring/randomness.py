"""The sources of random numbers, kept and put back, so that every run draws the same."""

from __future__ import annotations

import pickle
import random
import sys
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, eq=False)
class RandomState:
    """Where Python's, torch's and numpy's generators are at one moment."""

    python: Any
    cpu: Any
    gpus: tuple[Any, ...]
    numpy: Any  # None where the program has no numpy

    @classmethod
    def now(cls) -> RandomState:
        """Of this moment."""
        import torch

        # To ask for a GPU's state begins to use every one; the program may never do so.
        gpus = tuple(torch.cuda.get_rng_state_all()) if torch.cuda.is_initialized() else ()  # type: ignore[no-untyped-call]
        numpy = sys.modules["numpy"].random.get_state() if "numpy" in sys.modules else None
        return cls(random.getstate(), torch.get_rng_state(), gpus, numpy)

    def put_back(self) -> None:
        """The same numbers come next as at that moment."""
        import torch

        random.setstate(self.python)
        torch.set_rng_state(self.cpu)
        if self.gpus:
            torch.cuda.set_rng_state_all(list(self.gpus))
        if self.numpy is not None:
            sys.modules["numpy"].random.set_state(self.numpy)


def drew_alike(before: RandomState, one: RandomState, other: RandomState) -> bool:
    """Whether two runs in different types, both begun at `before`, drew the same numbers as far as it can be told.

    On the CPU a generator that has gone equally far has given the same: `rand` takes more of it for each float64 than
    for a float32, and `bernoulli` the same for both. On a GPU it says nothing, so no run may have drawn any there.
    """
    used_gpus = not _same(before.gpus, one.gpus) or not _same(before.gpus, other.gpus)
    alike = one.python == other.python and _same((one.cpu,), (other.cpu,))
    return not used_gpus and alike and pickle.dumps(one.numpy) == pickle.dumps(other.numpy)


def _same(one: tuple[Any, ...], other: tuple[Any, ...]) -> bool:
    return len(one) == len(other) and all(bool((a == b).all()) for a, b in zip(one, other, strict=True))
