"""Running compiled code with eager's random numbers and eager's autograd."""

from __future__ import annotations

import contextlib
from contextlib import AbstractContextManager

from unjit.model import known_or
from unjit.torch_private.probes import graph_probes, stage_probes


def eagers_random_numbers() -> AbstractContextManager[object]:
    """A block in which what Inductor compiles draws eager's random numbers, where torch can do that."""
    return known_or(graph_probes.INDUCTOR_PATCH.call({"fallback_random": True}), contextlib.nullcontext())


def plain_autograd() -> AbstractContextManager[object]:
    """Within it, a backward runs as autograd recorded it: what compiled autograd makes of it is a graph of its own."""
    return known_or(stage_probes.PLAIN_AUTOGRAD.call(), contextlib.nullcontext())
