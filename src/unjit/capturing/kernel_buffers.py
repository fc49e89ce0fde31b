"""The buffers that a kernel makes, by the code that calls it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

_SIGNATURE: Final = re.compile(r"(?:\bkernel|^def \w+)\s*\(([^)]*)\)", re.MULTILINE)
_CALL: Final = re.compile(r"^ +(\w+)(?:\.run)?\(.*\)$", re.MULTILINE)
_BUFFER: Final = re.compile(r"buf\d+")
_WRITTEN: Final = ("out_ptr", "in_out_ptr")  # what Triton's kernels call them


def buffers_made(code: str, sources: dict[str, str]) -> dict[str, list[str]]:
    """By kernel, the buffers that its calls write; `sources` are the kernels' own texts."""
    written = {name: list(_written(source)) for name, source in sources.items()}
    found: dict[str, list[str]] = {}
    for match in _CALL.finditer(code):
        if match[1] in written:
            found.setdefault(match[1], []).extend(_arguments(match[0].strip(), written[match[1]]))
    return found


def _written(source: str) -> Iterator[int]:
    """The positions of the parameters that a kernel writes: pointers that are not const, or by their names."""
    signature = _SIGNATURE.search(source)
    for at, parameter in enumerate(signature[1].split(",") if signature else ()):
        words = parameter.strip()
        if words.startswith(_WRITTEN) or ("*" in words and not words.startswith("const ")):
            yield at


def _arguments(call: str, positions: list[int]) -> Iterator[str]:
    try:
        tree = ast.parse(call, mode="eval").body
    except SyntaxError:  # a call over several lines
        return
    arguments = tree.args if isinstance(tree, ast.Call) else []
    for at in positions:
        for node in ast.walk(arguments[at]) if at < len(arguments) else ():
            if isinstance(node, ast.Name) and _BUFFER.fullmatch(node.id):
                yield node.id
