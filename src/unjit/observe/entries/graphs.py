"""The graphs that an entry's code calls, found alive."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType
from typing import Any

from unjit.model import (
    Expression,
    Generated,
    Graph,
    GraphInput,
    Maybe,
    Message,
    Name,
    Size,
    TensorShape,
    Term,
    Unknown,
)
from unjit.torch_private.compiled_graphs import graphs as torch_graphs

_NO_COMPUTATION = {"placeholder", "output", "get_attr"}


def called_graphs(code: CodeType, scope: Maybe[dict[str, Any]]) -> Iterator[tuple[str, Any]]:
    """The name of each graph that the code calls, with torch's graph module, or Unknown where none is alive."""
    for name in torch_graphs.names_of_graphs(code):
        if isinstance(scope, Unknown):
            yield name, scope
        elif name not in scope:
            yield name, Unknown(Message("Dynamo has removed it from the function's globals"))
        else:
            yield name, torch_graphs.graph_of(name, scope[name])


def read_graph(name: str, backend: Maybe[Term], module: Any) -> Graph:
    """One graph as data."""
    if isinstance(module, Unknown):
        operations: Maybe[int] = 0 if module is torch_graphs.COMPUTES_NOTHING else module
        return Graph(Name(name), backend, module, module, module, operations)
    text = torch_graphs.readable(module)
    nodes = list(module.graph.nodes)
    return Graph(
        name=Name(name),
        backend=backend,
        stage=Term("captured"),
        source=text if isinstance(text, Unknown) else Generated(text.strip("\n")),
        inputs=tuple(_input(node) for node in nodes if node.op == "placeholder"),
        operations=sum(1 for node in nodes if node.op not in _NO_COMPUTATION),
    )


def _input(node: Any) -> GraphInput:
    source = torch_graphs.input_source(node)
    example = node.meta.get("example_value", node.meta.get("val"))
    tensor = _tensor(example)
    return GraphInput(
        name=Name(str(node.name)),
        source=source if isinstance(source, Unknown) else Expression(source),
        value=_word(example, tensor),
        tensor=tensor,
    )


def _tensor(example: Any) -> Maybe[TensorShape] | None:
    if example is None:
        return Unknown(Message("the graph keeps no example of it"))
    if not hasattr(example, "dtype") or not hasattr(example, "shape"):
        return None
    try:
        stride: Maybe[tuple[Size, ...]] = tuple(Size(str(step)) for step in example.stride())
    except (RuntimeError, NotImplementedError) as error:  # sparse and nested layouts have no strides
        stride = Unknown(Message(f"no strides: {error}"))
    return TensorShape(
        shape=tuple(Size(str(size)) for size in example.shape),
        stride=stride,
        dtype=Term(str(example.dtype).removeprefix("torch.")),
        device=Term(str(example.device)),
    )


def _word(example: Any, tensor: Maybe[TensorShape] | None) -> Maybe[Expression]:
    if isinstance(tensor, Unknown):
        return tensor
    if tensor is None:
        return Expression(str(example))
    stride = "" if isinstance(tensor.stride, Unknown) else f"[{', '.join(tensor.stride)}]"
    return Expression(f"{tensor.dtype}[{', '.join(tensor.shape)}]{stride} {tensor.device}")
