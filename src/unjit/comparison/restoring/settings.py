"""Settings that hold for all that runs, of torch, NumPy and Python, at one moment, and put back."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

from unjit.comparison.restoring.python_settings import Setting, python_settings


@dataclass(frozen=True)
class Settings:
    """Those that change what is computed or said, and that a program may set within what it compiles."""

    values: list[tuple[Setting, Any]]

    @classmethod
    def now(cls) -> Settings:
        """Of this moment."""
        return cls([((read, write), read()) for read, write in _settings()])

    def put_back(self) -> None:
        """As they were, where they are others now: to set one may warn."""
        for (read, write), before in self.values:
            if read() != before:
                write(before)


def _settings() -> Iterator[Setting]:
    import torch

    set_anomaly = partial(torch.autograd.set_detect_anomaly, check_nan=torch.is_anomaly_check_nan_enabled())
    yield torch.get_default_dtype, torch.set_default_dtype
    yield torch.get_deterministic_debug_mode, torch.set_deterministic_debug_mode
    yield torch.get_float32_matmul_precision, torch.set_float32_matmul_precision
    yield torch.get_num_threads, torch.set_num_threads
    yield torch.is_anomaly_enabled, set_anomaly
    yield _attribute(torch.backends.cudnn, "benchmark")
    yield _attribute(torch.backends.cudnn, "enabled")
    yield _attribute(torch.backends.mkldnn, "enabled")
    yield from python_settings()
    numpy = sys.modules.get("numpy")
    if numpy is not None:
        yield numpy.geterr, lambda errors: numpy.seterr(**errors)


def _attribute(holder: Any, name: str) -> Setting:
    return partial(getattr, holder, name), partial(setattr, holder, name)
