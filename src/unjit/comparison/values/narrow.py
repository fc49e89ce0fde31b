"""The least exact type that graphs compute in: under autocast it is not that of the results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

_BY_EXACTNESS: Final = ("torch.float16", "torch.bfloat16")


def narrowest_of(types: Iterable[str | None]) -> str | None:
    """The least exact of them; None where none is narrower than float32."""
    return max((one for one in types if one in _BY_EXACTNESS), key=_BY_EXACTNESS.index, default=None)


def narrowest_in(graph: Any) -> str | None:
    """The least exact that its nodes give, as Dynamo or AOTAutograd noted it, also those of graphs within."""
    inner = (part.graph for part in graph.modules() if hasattr(part, "graph"))
    return narrowest_of(kind for each in inner for node in each.nodes for kind in _types(node))


def _types(node: Any) -> Iterator[str]:
    noted = node.meta.get("example_value", node.meta.get("val"))
    for value in noted if isinstance(noted, (tuple, list)) else (noted,):
        yield str(getattr(value, "dtype", None))
