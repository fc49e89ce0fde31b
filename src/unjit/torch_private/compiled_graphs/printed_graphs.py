"""The graph that torch prints for its trace, found while it is printed: it knows more of its nodes than the text says.

The graph is gone soon after. But the frame that writes the record has it.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from unjit.model import Maybe, Message, Unknown
from unjit.torch_private.calling.frames import frame_of
from unjit.torch_private.probes import graph_probes, trace_probes

_GONE: Final = Unknown(Message("the graph was not at hand when torch printed it"))


def graph_being_printed(text: str) -> Maybe[Any]:
    """The `fx.Graph` that is being printed as `text`; asked within the handler of torch's trace.

    A graph is taken for the one that is printed if the text has the names of all its nodes, in order.
    """
    graphs = [graph for graph in _graphs_at_hand() if _is_printed(graph, text)]
    return max(graphs, key=lambda graph: len(graph.nodes)) if graphs else _GONE


def stacks_of_nodes(graph: Any) -> Iterator[tuple[str, str]]:
    """Each node's name with torch's text of the calls that made it, outermost first; without those that have none."""
    for node in graph.nodes:
        if node.op not in ("placeholder", "output") and node.stack_trace:
            yield str(node.name), node.stack_trace


def _graphs_at_hand() -> Iterator[Any]:
    """The graphs among the variables of the function that writes the record."""
    writer, kind = trace_probes.WRITE_RECORD.get(), graph_probes.GRAPH_MODULE.get()
    if isinstance(writer, Unknown) or isinstance(kind, Unknown):
        return
    frame = frame_of(writer)
    if frame is not None and frame.f_back is not None:
        yield from (value.graph for value in list(frame.f_back.f_locals.values()) if isinstance(value, kind))


def _is_printed(graph: Any, text: str) -> bool:
    at = 0
    for node in graph.nodes:
        if node.op != "output":
            at = text.find(str(node.name), at)
            if at < 0:
                return False
    return True
