"""What a run on copies must heed on a GPU: a CUDA graph that is being recorded, and memory that others need."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Final

from unjit.errors import UnjitError
from unjit.model import Maybe, Message
from unjit.torch_private.cache.backends import Compiler, records_cuda_graphs

RECORDED: Final = Message(
    "a CUDA graph is being recorded: all that runs meanwhile would be replayed with it, and no value can be read"
)


def is_recorded() -> bool:
    """Whether what this thread calls now becomes part of a CUDA graph, of whoever records it."""
    import torch

    return _are_used() and torch.cuda.is_current_stream_capturing()


def check_not_recorded() -> None:
    """Raises UnjitError within a recording."""
    if is_recorded():
        raise UnjitError(RECORDED)


def may_be_replayed(backend: Maybe[Compiler]) -> bool:
    """Whether calls for this backend may be CUDA graphs, whose results the next call writes over."""
    return _are_used() and records_cuda_graphs(backend)


@contextlib.contextmanager
def memory_given_back() -> Iterator[None]:
    """GPU memory that torch takes within the block, and has no more use for after it, it gives back to the system.

    Else it keeps it for itself: other libraries would lack it, and CUDA graphs that are recorded later.
    """
    import torch

    before = _kept()
    try:
        yield
    finally:
        with contextlib.suppress(RuntimeError):  # while another thread records a graph torch may refuse
            if _kept() > before:
                torch.cuda.empty_cache()


def _kept() -> int:
    """Bytes that torch has taken from GPUs, in use or not."""
    import torch

    return sum(map(torch.cuda.memory_reserved, range(torch.cuda.device_count()))) if _are_used() else 0


def _are_used() -> bool:
    """Whether the program has begun to use GPUs: to ask anything else of torch would begin it."""
    import torch

    return bool(torch.cuda.is_initialized())  # type: ignore[no-untyped-call]
