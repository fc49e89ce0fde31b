"""Autocast as a thread has it, and put back: a graph that fails within it does not leave it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Autocast:
    """Where autocast is on, in which type; how many blocks of it are entered, and whether they keep what they cast."""

    kinds: tuple[tuple[str, bool, Any], ...]  # of device: its name, whether autocast is on, in which type
    keeps: bool
    depth: int

    @classmethod
    def now(cls) -> Autocast:
        """Of this thread, on the CPU and on what accelerator there is."""
        import torch

        # torch 2.6 raises where there is none
        accelerator = torch.accelerator.current_accelerator() if torch.accelerator.is_available() else None
        names = ["cpu"] if accelerator is None else ["cpu", accelerator.type]
        kinds = [
            (name, torch.is_autocast_enabled(name), torch.get_autocast_dtype(name))
            for name in names
            if torch.amp.is_autocast_available(name)
        ]
        return cls(tuple(kinds), torch.is_autocast_cache_enabled(), _depth())

    def put_back(self) -> None:
        """As it was. What was cast meanwhile is forgotten where no block of autocast is left that may want it."""
        import torch

        while _depth() > self.depth:
            if torch.autocast_decrement_nesting() == 0:
                torch.clear_autocast_cache()
        for name, is_on, kind in self.kinds:
            torch.set_autocast_enabled(name, is_on)
            torch.set_autocast_dtype(name, kind)
        torch.set_autocast_cache_enabled(self.keeps)


def _depth() -> int:
    """How many blocks are entered, which torch tells who enters or leaves one."""
    import torch

    torch.autocast_increment_nesting()
    return torch.autocast_decrement_nesting()
