"""The graphs that compiled code calls."""

from __future__ import annotations

from dataclasses import dataclass

from unjit.model.plain.brief import Brief
from unjit.model.texts import Expression, Generated, Name, Size, Term
from unjit.model.unknown import Maybe


@dataclass(frozen=True, slots=True)
class TensorShape:
    """What a backend may assume of a tensor. A size may be a symbol: `s0`."""

    shape: tuple[Size, ...]
    stride: Maybe[tuple[Size, ...]]
    dtype: Term
    device: Term


@dataclass(frozen=True, slots=True)
class GraphInput:
    """A placeholder of a graph."""

    name: Name
    source: Maybe[Expression]  # the user's value that is passed for it
    value: Maybe[Expression]  # what the backend was told about it, in one word: f32[3][1]cpu, s0, 2
    tensor: Maybe[TensorShape] | None  # None: not a tensor


@dataclass(frozen=True, slots=True, repr=False)
class Graph(Brief):
    """One graph, called in a cache entry's code by the name that Dynamo gave it."""

    name: Name  # __compiled_fn_1
    backend: Maybe[Term]
    stage: Maybe[Term]  # which of the graphs a backend makes this is: "captured", "forward", …
    source: Maybe[Generated]  # readable Python with shapes, strides, dtypes and devices
    inputs: Maybe[tuple[GraphInput, ...]]
    operations: Maybe[int]  # nodes that compute something
