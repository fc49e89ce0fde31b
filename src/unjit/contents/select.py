"""Nodes by their paths, as a person types them."""

from __future__ import annotations

import fnmatch

from unjit.contents.node import Node

_SUFFIXES = (".py", ".txt", ".json", ".md")


def select(top: Node, path: str) -> list[Node]:
    """The nodes that a path means: one for a plain path, all that match where it has `*`, `?` or `[`; none for neither.

    A path is that of the tree, or that of the file in the directory: `toy/compile_0/captured`, or
    `functions/toy/compile_0/captured.py`. A plain path may leave out its beginning where the rest says enough.
    """
    wanted = path.strip("/").removeprefix("functions/").replace("/functions/", "/")
    nodes = list(top.walk()) if wanted else [top]
    for exact in (wanted, _stem(wanted)):
        found = [node for node in nodes if node.path == exact]
        if found:
            return found
    if any(mark in wanted for mark in "*?["):
        return [node for node in nodes if fnmatch.fnmatchcase(node.path, wanted)]
    return [node for node in nodes if f"/{node.path}".endswith((f"/{wanted}", f"/{_stem(wanted)}"))]


def _stem(path: str) -> str:
    return next((path.removesuffix(suffix) for suffix in _SUFFIXES if path.endswith(suffix)), path)
