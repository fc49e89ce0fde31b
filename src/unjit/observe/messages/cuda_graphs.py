"""Why torch runs a graph without CUDA graphs, as its metrics have it, taken apart."""

from __future__ import annotations

import re
from collections.abc import Iterable

from unjit.model import CudaGraphSkip, Message, Unknown
from unjit.model.words.stack_text import places_in
from unjit.observe.messages.failed_guards import innermost

_BEGINS = re.compile(r"^(?:(?:skipping|disabling) cudagraphs (?:for backward )?due to )+")  # torch may say it twice
_FOUND = re.compile(r"\.?\s*\bFound from\s*:?")  # after it the line of the program
_NOT_TOLD = Unknown(Message("torch names no line of the program for it"))


def cuda_graph_skips(texts: Iterable[str | None]) -> tuple[CudaGraphSkip, ...]:
    """What torch says of each graph, forward before backward; None where it skipped nothing."""
    return tuple(map(_skip, filter(None, texts)))


def _skip(text: str) -> CudaGraphSkip:
    reason, *found = _FOUND.split(text, maxsplit=1)
    place = innermost([place for part in found for place in places_in(part)])
    return CudaGraphSkip(Message(" ".join(_BEGINS.sub("", reason).split())), place or _NOT_TOLD)
