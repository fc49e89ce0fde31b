"""Whether a run talks to other ranks of a job.

What one rank says the others have to hear: a run that only one of them makes has the others wait for ever, or take what
was meant for another of their runs. So of a call that talks each rank makes the same runs in the same order, whatever
its own values are: no run in float64, which is made where something differs, and none of single steps of the compiler.
"""

from __future__ import annotations

from typing import Any, Final

from unjit.model import Message, Unknown
from unjit.model.captured.ranks import NAMESPACES
from unjit.torch_private.process_groups import are_several_ranks, messages_sent

TALKS: Final = Unknown(Message("not run: it talks to other ranks, which would all have to make the same run"))


def has_collectives(graph: Any) -> bool:
    """Whether a graph talks to other ranks of the job that this process is in, by what it calls."""
    if not are_several_ranks():
        return False
    inner = (part.graph for part in graph.modules() if hasattr(part, "graph"))
    return any(str(node.target).partition(".")[0] in NAMESPACES for each in inner for node in each.nodes)


class Talk:
    """Counts from when it is made what this rank exchanges with others."""

    def __init__(self) -> None:
        self._several = are_several_ranks()
        self._before = messages_sent() if self._several else 0

    def was_heard(self) -> bool:
        """Whether there was any; also where torch does not count it."""
        return self._several and (isinstance(self._before, Unknown) or messages_sent() != self._before)
