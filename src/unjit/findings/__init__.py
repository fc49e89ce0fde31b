"""What of a capture is worth acting on, the most important first: judged from the model alone.

Each module finds one kind of concern; `advice` and the modules named after it say what to do.
"""

from __future__ import annotations

from unjit.findings.breaks import breaks
from unjit.findings.cuda_graphs import cuda_graph_skips
from unjit.findings.functions import failures, uncompiled
from unjit.findings.graphs import no_graphs, small_graphs, unrecovered
from unjit.findings.recompiles import recompiles
from unjit.model import Capture, Concern, Maybe, Place, Unknown

__all__ = ["concerns"]


def concerns(capture: Capture) -> tuple[Concern, ...]:
    """Everything in this process that is worth acting on.

    What keeps code from being compiled comes first, then breaks (those in loops before others, then those that most
    compiles met), recompiles, what only costs a little, and what runs uncompiled and need not be compiled.
    """
    left_alone = tuple(uncompiled(capture))
    to_compile = tuple(one for one in left_alone if one.advice is not None and not _is_of_python(one.place))
    return (
        *failures(capture),
        *no_graphs(capture),
        *to_compile,
        *breaks(capture),
        *recompiles(capture),
        *cuda_graph_skips(capture),
        *small_graphs(capture),
        *unrecovered(capture),
        *(one for one in left_alone if one not in to_compile),
    )


def _is_of_python(place: Maybe[Place]) -> bool:
    """What Python's own libraries do around a break has nothing to compile."""
    return not isinstance(place, Unknown) and place.is_of_python
