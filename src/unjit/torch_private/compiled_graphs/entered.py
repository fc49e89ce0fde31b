"""What a graph has entered, and does not leave where it fails in between: it has no `finally`."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from unjit.model import Unknown
from unjit.torch_private.guard_trees.state import dual_level
from unjit.torch_private.probes import stage_probes


@contextlib.contextmanager
def left_again() -> Iterator[None]:
    """Transforms of functorch, levels of forward-mode differentiation and grad mode are afterwards as they were.

    A captured graph enters each by a node and leaves it by another one, which a graph that fails never comes to.
    """
    import torch
    from torch.autograd import forward_ad

    depth, level = stage_probes.LAYERS.call(), dual_level()
    with torch.set_grad_enabled(torch.is_grad_enabled()):
        try:
            yield
        finally:
            while dual_level() > level:
                forward_ad.exit_dual_level()  # type: ignore[no-untyped-call]
            if not isinstance(depth, Unknown):
                stage_probes.LEAVE_LAYERS.call(depth)
