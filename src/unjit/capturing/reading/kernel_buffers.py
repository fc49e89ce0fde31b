"""The buffers that a kernel makes, by the code that calls it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from typing import Final

_SIGNATURE: Final = re.compile(r"(?:\bkernel|^def \w+)\s*\(([^)]*)\)", re.MULTILINE)
_BUFFER: Final = re.compile(r"buf\d+")
_WRITTEN: Final = ("out_ptr", "in_out_ptr")  # what Triton's kernels call them


def buffers_made(code: str, sources: dict[str, str]) -> dict[str, list[str]]:
    """By kernel, the buffers that its calls write; `sources` are the kernels' own texts.

    A kernel that also writes something else, such as an argument of the program's, is left out: of it not all is known.
    """
    try:
        calls = [node for node in ast.walk(ast.parse(code)) if isinstance(node, ast.Call)]
    except (SyntaxError, ValueError, RecursionError):
        return {}
    found: dict[str, list[str | None]] = {}
    for call in calls:
        name = _called(call.func)
        if name in sources:
            found.setdefault(name, []).extend(_buffer(argument) for argument in _written(call, sources[name]))
    return {
        name: [one for one in buffers if one is not None]
        for name, buffers in found.items()
        if buffers and None not in buffers
    }


def _called(function: ast.expr) -> str | None:
    """The kernel of `kernel(…)` and of `kernel.run(…)`."""
    if isinstance(function, ast.Attribute) and function.attr == "run":
        function = function.value
    return function.id if isinstance(function, ast.Name) else None


def _written(call: ast.Call, source: str) -> Iterator[ast.expr | None]:
    """What is given for the parameters that a kernel writes: pointers that are not const, or by their names."""
    signature = _SIGNATURE.search(source)
    for at, parameter in enumerate(signature[1].split(",") if signature else ()):
        words = parameter.strip()
        if words.startswith(_WRITTEN) or ("*" in words and not words.startswith("const ")):
            yield call.args[at] if at < len(call.args) else None


def _buffer(argument: ast.expr | None) -> str | None:
    """The one buffer in an argument, which may be a view of it."""
    names = {node.id for node in ast.walk(argument or ast.Pass()) if isinstance(node, ast.Name)}
    buffers = [name for name in names if _BUFFER.fullmatch(name)]
    return buffers[0] if len(buffers) == 1 else None
