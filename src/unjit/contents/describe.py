"""A node in text, for a pipe."""

from __future__ import annotations

from unjit.contents.node import Node
from unjit.render.forms.printable import printable


def described(node: Node) -> str:
    """A node's text, and what there is inside it."""
    inside = node.inside()
    lines = [f"== {node.path or 'all of it'}: {node.title}", node.text().rstrip()]
    if inside:
        width = max(len(child.path) for child in inside)
        lines += ["", "Inside, for --select:", *(f"  {child.path:<{width}}  {child.title}" for child in inside)]
    return printable("\n".join(lines))
