"""Compiling as if for the first time, and with everything told: private caches and torch's own tracking.

For a block in a program that goes on by its settings, for a whole program by its environment, before it imports torch.
"""

from __future__ import annotations

import contextlib
import importlib
import itertools
from collections.abc import Iterator
from pathlib import Path

from unjit.model import Unknown
from unjit.torch_private.probes import trace_probes as probes
from unjit.torch_private.probes.probe import there


@contextlib.contextmanager
def fresh_compiles() -> Iterator[None]:
    """A block in which Inductor's and AOTAutograd's caches are empty ones of its own.

    In it torch also notes which kernel came from which operation, and leaves its profiler out of generated code; what
    this torch cannot do is left as it is. Imports torch.
    """
    for module in ("torch._dynamo", "torch._inductor.utils", "torch._inductor.config"):
        importlib.import_module(module)
    with contextlib.ExitStack() as stack:
        for probe in itertools.islice(there(probes.FRESH_CACHE, probes.OLD_FRESH_CACHE), 1):
            stack.enter_context(probe.get()())
        for probe, value in ((probes.PROVENANCE_LEVEL, 1), (probes.PROFILER_CALLS, False)):
            if not isinstance(probe.get(), Unknown):
                stack.enter_context(_set(probe.name, value))
        yield


def fresh_variables(folder: str) -> dict[str, str]:
    """The environment in which a torch that is not imported yet does the same, with its caches in `folder`.

    The calls of its profiler stay in generated code: no variable leaves them out.
    """
    return {
        "TORCHINDUCTOR_CACHE_DIR": folder,
        "TRITON_CACHE_DIR": str(Path(folder, "triton")),
        "INDUCTOR_PROVENANCE": "1",
    }


@contextlib.contextmanager
def _set(name: str, value: object) -> Iterator[None]:
    """A setting of torch's at another value."""
    module, _, setting = name.partition(".config.")
    config = importlib.import_module(f"{module}.config")
    with config.patch({setting: value}):
        yield
