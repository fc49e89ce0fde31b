"""What runs when generated code calls a compiled graph: graph modules, or wrappers that Inductor wrote."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FunctionType, MethodType
from typing import Any, Final, Literal

from unjit.model import Unknown
from unjit.torch_private.compiled_graphs.graphs import is_captured, label_of, reachable
from unjit.torch_private.compiled_graphs.interpreted import interpreter_of, who_interprets
from unjit.torch_private.probes import graph_probes as probes

Stage = Literal["captured", "inference", "forward", "backward"]
_OF_INDUCTOR: Final = "torch._inductor.runtime.compile_tasks."  # begins the names of the modules that Inductor writes


@dataclass(frozen=True, slots=True)
class Running:
    """A part that runs: a graph module, or the function in the file that Inductor wrote.

    Holds live objects: for passing use only.
    """

    stage: Stage
    graph: Any | None = None
    wrapper: Any | None = None
    interpreter: Any | None = None  # what runs the graph node by node, and can be had to run its code
    interpreted_by: str | None = None  # the name of what does, and cannot


def what_runs(name: str | None, compiled: Any) -> tuple[list[Running], bool]:
    """The parts behind what Dynamo calls `name` (None: any name), and whether a backward is still to be compiled."""
    differentiated = next(reachable(compiled, _has_backward), None)
    if differentiated is None:
        part = _inference(name, compiled)
        return ([] if part is None else [part]), False
    forward, backward = probes.AOT_FORWARD.of(differentiated), _backward_of(differentiated)
    parts = [_part("forward", forward), None if backward is None else _part("backward", backward)]
    return [part for part in parts if part is not None], backward is None


def _backward_of(differentiated: type) -> Any:
    """What runs as the backward; None before it is compiled, which torch may put off to the first backward pass.

    When torch tells that it is compiled, what compiled it has the result, and the class not yet.
    """
    found = probes.AOT_BACKWARD.of(differentiated)
    if found is not None:
        return found
    passes = vars(differentiated).get(probes.BACKWARD_PASS.attribute)
    start = passes.__func__ if isinstance(passes, staticmethod) else passes
    compilers = (probes.LAZY_BACKWARD.of(value) for value in reachable(start, _compiled_a_backward))
    return next(compilers, None)


def _compiled_a_backward(value: Any) -> bool:
    found = None if isinstance(value, type) else probes.LAZY_BACKWARD.of(value)
    return found is not None and not isinstance(found, Unknown)


def _has_backward(value: Any) -> bool:
    return isinstance(value, type) and probes.AOT_FORWARD.attribute in vars(value)


def _inference(name: str | None, compiled: Any) -> Running | None:
    """What a backend made of the graph, or else the graph as it was captured."""
    made = _part("inference", compiled)
    if made is not None:
        return made
    named = (graph for graph in _graphs(compiled) if name is None or label_of(graph) in (name, None))
    captured = next(named, None)
    if captured is None:
        return None
    return Running("captured", graph=captured, interpreted_by=who_interprets(captured, compiled))


def _part(stage: Stage, start: Any) -> Running | None:
    wrapper = next(reachable(start, _is_wrapper), None)
    if wrapper is not None:
        return Running(stage, wrapper=wrapper.__func__ if isinstance(wrapper, MethodType) else wrapper)
    made = (graph for graph in _graphs(start) if label_of(graph) is None and not is_captured(graph))
    graph = next(made, None)
    if graph is None:
        return None
    interpreter = interpreter_of(graph, start)
    interpreted_by = who_interprets(graph, start) if interpreter is None else None
    return Running(stage, graph=graph, interpreter=interpreter, interpreted_by=interpreted_by)


def _graphs(start: Any) -> Iterator[Any]:
    return reachable(start, is_graph)


def _is_wrapper(value: Any) -> bool:
    """Whether it is what generated code calls in a module that Inductor wrote, also one that torch has forgotten."""
    function = value.__func__ if isinstance(value, MethodType) else value
    if not isinstance(function, FunctionType) or function.__name__ != "call":
        return False
    module = function.__globals__.get("__name__")
    if isinstance(module, str) and module.startswith(_OF_INDUCTOR):  # its list is emptied with a cache
        return True
    modules = probes.WRAPPER_MODULES.get()
    files = set() if isinstance(modules, Unknown) else {getattr(module, "__file__", None) for module in modules}
    return function.__code__.co_filename in files


def is_graph(value: Any) -> bool:
    """Whether it is a graph module."""
    kind = probes.GRAPH_MODULE.get()
    return not isinstance(kind, Unknown) and isinstance(value, kind)


def forward_of(graph: Any) -> FunctionType | None:
    """The function that torch compiled from a graph's text, made now if torch has put that off; None if it has none."""
    _ = graph.code  # makes the function where torch is lazy
    forward = vars(type(graph)).get("forward")
    return forward if isinstance(forward, FunctionType) and isinstance(forward.__code__, CodeType) else None


def subgraphs(graph: Any) -> Iterator[tuple[str, Any]]:
    """The graph modules that a graph calls itself, with the names of its attributes that hold them."""
    return ((name, module) for name, module in graph.named_children() if is_graph(module))
