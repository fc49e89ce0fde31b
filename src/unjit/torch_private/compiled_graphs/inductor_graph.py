"""Which graph Inductor compiles now: the halves of one have the same number, which no record of torch's trace has."""

from __future__ import annotations

from dataclasses import dataclass

from unjit.torch_private.calling.frames import frame_of
from unjit.torch_private.probes.stage_probes import COMPILE_HALF


@dataclass(frozen=True, slots=True)
class InductorGraph:
    """A half of a graph, as Inductor counts them."""

    number: int
    is_backward: bool


def graph_in_inductor() -> InductorGraph | None:
    """The graph that this thread has Inductor compile; None if there is none, or torch does not number it."""
    frame = frame_of(COMPILE_HALF.get())
    given = None if frame is None else frame.f_locals.get("kwargs")
    if not isinstance(given, dict) or not isinstance(given.get("graph_id"), int):
        return None
    return InductorGraph(given["graph_id"], given.get("is_backward") is True)
