"""Graphs that torch, or a backend, formats for a log under a name: vLLM so tells those before and after its passes.

The function that formats them has been imported in many places, and most often what it gives goes nowhere. So its code
is exchanged, in place, while somebody listens.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from types import CodeType, FunctionType
from typing import Any, Final

from unjit.model import Maybe, Unknown
from unjit.torch_private.probes.trace_probes import FORMATTED_GRAPH

Listener = Callable[[str, Any], None]  # gets the name, without a number that may follow it, and the graph module
_lock: Final = threading.Lock()
_listeners: Final[list[Listener]] = []
_own: Final[list[CodeType]] = []  # torch's code, while ours runs in its place


def on_named_graph(listener: Listener) -> Maybe[Callable[[], None]]:
    """Call `listener`, which must not raise, with each graph that is formatted from here on; gives what ends this."""
    function = FORMATTED_GRAPH.get()
    if isinstance(function, Unknown):
        return function
    with _lock:
        _listeners.append(listener)
        if not _own:
            _own.append(function.__code__)
            function.__code__ = _instead.__code__

    def end() -> None:
        with _lock:
            if listener in _listeners:
                _listeners.remove(listener)
            if not _listeners and _own:
                if function.__code__ is _instead.__code__:  # else somebody has exchanged it since
                    function.__code__ = _own[0]
                _own.clear()  # after that: another thread may be about to call what stood there

    return end


def _instead(name: str, gm: Any, maybe_id: int | None = None, **kwargs: Any) -> Any:
    """Runs in the place of torch's, with the globals of its module."""
    from unjit.torch_private.following.named_graphs import told

    return told(name, gm, maybe_id, kwargs)


def told(name: str, graph: Any, number: int | None, settings: dict[str, Any]) -> Any:
    """What torch's function gives, when all listeners have had the graph."""
    for listener in tuple(_listeners):  # other threads begin and end theirs meanwhile
        listener(name, graph)
    function, own = FORMATTED_GRAPH.get(), tuple(_own)
    return FunctionType(own[0] if own else function.__code__, function.__globals__)(name, graph, number, **settings)
