"""What a graph has entered, and does not leave where it fails in between: it has no `finally`."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator

from unjit.model import Unknown
from unjit.torch_private.compiled_graphs.autocast import Autocast
from unjit.torch_private.guard_trees.state import dual_level
from unjit.torch_private.probes import stage_probes


@contextlib.contextmanager
def left_again() -> Iterator[None]:
    """A block after which transforms, forward-mode differentiation, grad mode and autocast are as before it."""
    leave = how_to_leave()
    try:
        yield
    finally:
        leave()


@contextlib.contextmanager
def left_where_it_fails() -> Iterator[None]:
    """A block that, if it raises, leaves all of these as they were before it; otherwise what it sets stays."""
    leave = how_to_leave()
    try:
        yield
    except BaseException:
        leave()
        raise


def how_to_leave() -> Callable[[], None]:
    """What puts transforms of functorch, levels of forward-mode differentiation, grad mode and autocast back.

    A captured graph enters each by a node and leaves it by another one, which a graph that fails never comes to.
    """
    import torch
    from torch.autograd import forward_ad

    depth, level = stage_probes.LAYERS.call(), dual_level()
    gradients, autocast = torch.is_grad_enabled(), Autocast.now()

    def leave() -> None:
        while dual_level() > level:
            forward_ad.exit_dual_level()  # type: ignore[no-untyped-call]
        if not isinstance(depth, Unknown):
            stage_probes.LEAVE_LAYERS.call(depth)
        autocast.put_back()
        torch.set_grad_enabled(gradients)

    return leave
