"""Tests of what not every torch can do: refused, with the reason that a user gets.

`make matrix` tells them from other skipped tests by the first word of the reason.
"""

from __future__ import annotations

import sys

import pytest

from unjit.model import Unknown
from unjit.torch_private.probes.probe import Probe, import_compiler


def lacking(*probes: Probe) -> str:
    """The first reason why one of these is not there; nothing where all are."""
    import_compiler()
    return next((str(value.reason) for value in map(found, probes) if isinstance(value, Unknown)), "")


def found(probe: Probe):
    """The name, or `Unknown`; of an attribute, what the class has."""
    if not probe.is_attribute:
        return probe.get()
    import torch

    name = probe.name.partition(".")[0]
    homes = (torch._C._dynamo.guards, torch._C._dynamo.eval_frame)
    return probe.of(next(getattr(home, part) for home in homes for part in (name, f"_{name}") if hasattr(home, part)))


def since(version: str) -> bool:
    """Whether this torch is of that release or newer: for words of torch's own."""
    import torch

    return torch.__version__ >= version  # a TorchVersion, which compares numbers


def refused_before(version: str, what: str):
    """A mark for tests of what an older torch cannot do for want of more than a name."""
    import torch

    return pytest.mark.skipif(not since(version), reason=f"refused: torch {torch.__version__} {what}")


needs_dict_sizes = pytest.mark.skipif(
    sys.version_info[:3] == (3, 13, 0),
    reason="refused: on Python 3.13.0 torch does not tell how many items the dict must have",
)
"""For tests that make Python of the guards on a module, whose dicts are guarded by their size."""


def needs_guards_of_attributes(test):
    """A mark for tests of guards on what a module holds."""
    reason = "refused: on Python 3.13.0 torch before 2.13 makes no guards on attributes of modules"
    return pytest.mark.skipif(sys.version_info[:3] == (3, 13, 0) and not since("2.13"), reason=reason)(test)


def needs(*probes: Probe):
    """A mark for tests that need these private names."""
    reason = lacking(*probes)
    return pytest.mark.skipif(bool(reason), reason=f"refused: {reason}")
