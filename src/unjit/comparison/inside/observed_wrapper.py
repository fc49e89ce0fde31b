"""Inductor's wrapper with a call of ours after each statement that runs a kernel."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable
from pathlib import Path
from types import FunctionType, MethodType
from typing import Any

_HOOK = "__unjit_ran__"
_BUFFER = re.compile(r"buf\d+")
_NO_KERNEL = re.compile(
    r"empty_strided\w*|reinterpret_tensor|alloc_from_pool|assert_\w+|run_intermediate_hooks|\w+\.clear"
    r"|torch\.\w+\.set_device|get_raw_stream|workspace_\w+\.zero_|start_graph|end_graph"
)
Hook = Callable[[str | None, dict[str, Any]], None]


def observed(wrapper: FunctionType | MethodType, hook: Hook) -> Callable[[list[Any]], Any]:
    """The wrapper's double, which tells `hook` of each kernel that ran: its name, and the buffers that it was given.

    The name is None for a statement that takes a part of what the kernel before it gave. The wrapper itself stays as
    it is.
    """
    function = wrapper.__func__ if isinstance(wrapper, MethodType) else wrapper
    assert isinstance(function, FunctionType)
    scope = {**function.__globals__, _HOOK: hook}
    text = Path(function.__globals__["__file__"]).read_text(encoding="utf-8")
    bodies = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name == "call")
    call = next(bodies)
    call.body = [each for statement in call.body for each in _with_hook(statement)]
    module = ast.fix_missing_locations(ast.Module([call], []))
    exec(compile(module, "<unjit: a wrapper, observed>", "exec"), scope)  # noqa: S102 (Inductor's own text)
    made: Callable[[list[Any]], Any] = scope["call"]
    return MethodType(made, wrapper.__self__) if isinstance(wrapper, MethodType) else made


def _with_hook(statement: ast.stmt) -> list[ast.stmt]:
    blocks = [name for name in ("body", "orelse", "finalbody") if getattr(statement, name, None)]
    for name in blocks:
        inner: list[ast.stmt] = getattr(statement, name)
        setattr(statement, name, [each for part in inner for each in _with_hook(part)])
    if blocks:
        return [statement]
    value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    is_kernel = isinstance(value, ast.Call) and not _NO_KERNEL.fullmatch(ast.unparse(value.func))
    if not is_kernel and not isinstance(value, ast.Subscript):
        return [statement]
    kernel = ast.unparse(value.func).removesuffix(".run") if isinstance(value, ast.Call) else None
    names = (node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and _BUFFER.fullmatch(node.id))
    buffers = ", ".join(f"{name!r}: {name}" for name in dict.fromkeys(names))
    return [statement, ast.parse(f"{_HOOK}({kernel!r}, {{{buffers}}})").body[0]]
