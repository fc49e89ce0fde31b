"""Finding the graph that a compiled function was made from, and reading it."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterator
from functools import partial
from types import BuiltinMethodType, CodeType, FunctionType, MethodType
from typing import Any

from unjit.bytecode import free_variables
from unjit.model import Maybe, Message, Unknown
from unjit.model.words.wording import in_words
from unjit.torch_private.probes import graph_probes as probes

GLOBAL_PREFIX = "__compiled_fn_"
# What torch's own graph code runs with: the names that a printed graph may use without saying where they come from.
_PREAMBLE = """\
import torch
import torch.fx._pytree as fx_pytree
import torch.utils._pytree as pytree
from math import inf, nan
from torch import device
NoneType = type(None)

"""
_NO_IDENTIFIER = re.compile(r"^(\s*class )<(\w+)>", re.MULTILINE)  # torch names a graph's class after a lambda
_CLASS = re.compile(r"^( *)class (\w+)\(", re.MULTILINE)  # a graph, or one inside of it
_GRAPHS_INSIDE = "\n# The graphs inside are called as modules.\n"
_EMPTY_LOADER = re.compile(r"^def load_args\(reader\):\n(?=\S)", re.MULTILINE)
_LEFT_OUT = re.compile(r"^( +self\.\w+ = )(<\w+>|\w+(?=\(\n))\((?:\n(?: +[()].*\n)*)?\)$", re.MULTILINE)
_MOST_OBJECTS = 2000  # wrappers around a graph are a few dozen; a bound keeps an odd backend from costing time
COMPUTES_NOTHING = Unknown(Message("it computes nothing, and torch handed it to no backend"))
_NOT_KEPT = Unknown(Message("not kept by the backend; capture it"))


def names_of_graphs(code: CodeType) -> list[str]:
    """The globals by which generated code calls graphs, in the order in which it first names them."""
    return [name for name in code.co_names if name.startswith(GLOBAL_PREFIX)]


def calls_graphs(code: CodeType) -> bool:
    """Whether it is generated code by its names alone: torch keeps no list of what aot_compile generated."""
    return bool(names_of_graphs(code))


def graph_of(name: str, compiled: Any) -> Any:
    """The graph that Dynamo handed to the backend under this name, or Unknown if nothing alive leads to it."""
    kind = probes.GRAPH_MODULE.get()
    if isinstance(kind, Unknown):
        return kind
    empty, unnamed = probes.EMPTY_GRAPH.get(), None
    for found in reachable(compiled, lambda value: value is empty or isinstance(value, kind)):
        if found is empty:
            return COMPUTES_NOTHING
        label = label_of(found)
        if label == name:
            return found
        if label is None and unnamed is None and is_captured(found):
            unnamed = found
    return _NOT_KEPT if unnamed is None else unnamed


def label_of(graph_module: Any) -> Any:
    """The name under which Dynamo handed the graph to the backend; None where torch does not note it."""
    meta = probes.GRAPH_META.of(graph_module)
    return meta.get("backend_id") if isinstance(meta, dict) else None


def is_captured(graph_module: Any) -> bool:
    """Whether it is a graph that Dynamo captured, and not one that a backend made."""
    return not isinstance(probes.GRAPH_REASON.of(graph_module), Unknown)


def reachable(start: Any, wanted: Callable[[Any], bool]) -> Iterator[Any]:
    """What is wanted and reachable through wrappers, closures and torch's own objects, nearest first.

    The search does not go on from what it finds.
    """
    pending, seen = deque([start]), {id(start)}
    while pending and len(seen) < _MOST_OBJECTS:
        value = pending.popleft()
        if wanted(value):
            yield value
            continue
        for inner in _inside(value):
            if id(inner) not in seen:
                seen.add(id(inner))
                pending.append(inner)


def _inside(value: Any) -> Iterator[Any]:
    """What a value holds, read without running any of its code."""
    if isinstance(value, MethodType):
        yield from (value.__self__, value.__func__)
    elif isinstance(value, BuiltinMethodType):  # as `apply` of a class of autograd's
        yield value.__self__
    elif isinstance(value, partial):
        yield from (value.func, *value.args, *value.keywords.values())
    elif isinstance(value, FunctionType):
        yield from free_variables(value).values()
        yield from value.__dict__.values()
    elif isinstance(value, (list, tuple)):
        yield from value[:32]
    elif type(value).__module__.partition(".")[0] == "torch" and not isinstance(value, type):
        yield from getattr(value, "__dict__", {}).values() if not _is_tensor(value) else ()


def _is_tensor(value: Any) -> bool:
    return hasattr(type(value), "__torch_function__")


def readable(graph_module: Any) -> Maybe[str]:
    """The graph as Python with shapes, strides, dtypes and devices; changes nothing in the graph."""
    try:
        return str(graph_module.print_readable(print_output=False, include_stride=True, include_device=True))
    except Exception as error:
        return Unknown(Message(f"torch could not print the graph: {in_words(error)}"))


def input_source(node: Any) -> Maybe[str]:
    """Dynamo's word for the user's value that is passed for a placeholder."""
    source = probes.INPUT_SOURCE.of(node)
    if isinstance(source, Unknown):
        return source
    name = getattr(source, "name", None)
    try:
        return str(name() if callable(name) else name)  # a method up to torch 2.9
    except Exception as error:
        return Unknown(Message(f"the source has no name: {in_words(error)}"))


def keep_input_sources(graph_module: Any, copied: Any) -> None:
    """Give a copy of a graph the sources of its placeholders, which torch's own copy leaves out."""
    for node, other in zip(graph_module.graph.nodes, copied.graph.nodes, strict=False):
        source = probes.INPUT_SOURCE.of(node)
        if node.name == other.name and not isinstance(source, Unknown):
            setattr(other, probes.INPUT_SOURCE.attribute, source)


def as_program(readable_graph: str) -> str:
    """A graph that torch printed, as Python that can be run.

    It gets its imports and a name that is one. Of a graph inside torch prints a class, and calls a module of that name.
    """
    program = _PREAMBLE + _NO_IDENTIFIER.sub(r"\1\2_", readable_graph.lstrip("\n"))
    inside = [".".join(path) for path in _classes(program) if len(path) > 1]
    made = "".join(f"{path} = {path}()\n" for path in reversed(inside))  # the innermost first
    return f"{program.rstrip()}\n{_GRAPHS_INSIDE}{made}" if made else program


def _classes(program: str) -> Iterator[tuple[str, ...]]:
    """The name of each graph, after those of the graphs that it lies in, in the order of the text."""
    path: list[tuple[int, str]] = []
    for found in _CLASS.finditer(program):
        indent = len(found[1])
        path = [(outer, name) for outer, name in path if outer < indent] + [(indent, found[2])]
        yield tuple(name for _, name in path)


def as_runnable(program: str) -> str:
    """torch's program that compiles one graph, as Python takes it.

    Without inputs torch leaves a body empty. For a graph inside of the graph it writes `<lambda>()`, with a line after
    the opening parenthesis for each graph in that.
    """
    program = _LEFT_OUT.sub(r"\1None  # torch's program does not have what is in \2()", program)
    return _EMPTY_LOADER.sub(r"\g<0>    pass\n", program)
