"""The nodes that Inductor names in the comment above a kernel, where its record of kernels leaves that one out.

The record leaves out kernels made from templates in a backward, and some of operations on lists, above which the
comment may name none either.
"""

from __future__ import annotations

import re
from typing import Final

from unjit.model import Name

_COMMENTED: Final = re.compile(r"(?P<comment>(?:^#.*\n)+)(?P<kernel>\w+) = async_compile\.", re.MULTILINE)
_NODE: Final = re.compile(r"^#\s+%(\w+) : .*? = call_(?:function|method)\[", re.MULTILINE)


def nodes_in_comments(code: str) -> dict[str, tuple[Name, ...]]:
    """The nodes of the post-grad graph by kernel, of kernels that are called once: of others the first call is told."""
    found = {match["kernel"]: _NODE.findall(match["comment"]) for match in _COMMENTED.finditer(code)}
    return {
        kernel: tuple(map(Name, dict.fromkeys(nodes)))
        for kernel, nodes in found.items()
        if nodes and len(re.findall(rf"\b{kernel}\.run\(", code)) == 1
    }
