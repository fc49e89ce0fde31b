"""Torch's settings that hold for all that runs, at one moment, and put back."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Settings:
    """Those that change what is computed, and that a program may set within what it compiles."""

    default_dtype: Any
    determinism: int  # the debug mode: 0 none asked for, 1 a warning, 2 an error
    matmul_precision: str

    @classmethod
    def now(cls) -> Settings:
        """Of this moment."""
        import torch

        return cls(
            torch.get_default_dtype(), torch.get_deterministic_debug_mode(), torch.get_float32_matmul_precision()
        )

    def put_back(self) -> None:
        """As they were, where they are others now: to set one may warn."""
        import torch

        now = Settings.now()
        if now.default_dtype is not self.default_dtype:
            torch.set_default_dtype(self.default_dtype)
        if now.determinism != self.determinism:
            torch.set_deterministic_debug_mode(self.determinism)
        if now.matmul_precision != self.matmul_precision:
            torch.set_float32_matmul_precision(self.matmul_precision)
