"""Inductor's kernels beside the graph that they were made from: each buffer that a wrapper fills, in its order."""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePath
from types import FunctionType, MethodType
from typing import Any

from unjit.comparison.copying import copied
from unjit.comparison.differences import difference
from unjit.comparison.state import State
from unjit.torch_private.stages import Lowered

_HOOK = "__unjit_ran__"
_BUFFER = re.compile(r"buf\d+")
_NO_KERNEL = re.compile(
    r"empty_strided\w*|reinterpret_tensor|alloc_from_pool|assert_\w+|run_intermediate_hooks|\w+\.clear"
)
_USER_LINE = re.compile(r'File "(.+?)", line (\d+)')


@dataclass(frozen=True)
class Comparison:
    """How the buffers of one run compare with the graph's values on the same inputs."""

    graph: str  # "f, compile 0, forward"
    kernels: int
    compared: int  # buffers
    unmatched: int  # buffers that hold no node's value by itself
    first: str | None  # the first kernel that differs or gives nan, in a sentence

    def __str__(self) -> str:
        if self.first is not None:
            return f"{self.graph}: the first kernel that differs is {self.first}"
        rest = f"; {self.unmatched} hold no value of one node" if self.unmatched else ""
        return f"{self.graph}: {self.compared} buffers of {self.kernels} kernels hold what the graph computes{rest}"


def compare(lowered: Lowered, name: str, inputs: Sequence[Any]) -> Comparison:
    """Run the kernels and the graph on copies of the inputs, from the same random state, and compare what they hold."""
    assert isinstance(lowered.wrapper, MethodType)
    state = State.of([])
    ran: list[tuple[str, dict[str, Any]]] = []
    known: set[str] = set()

    def hook(kernel: str | None, buffers: dict[str, Any]) -> None:
        """`kernel` is None for a part of what the last one gave."""
        met = {buffer: value for buffer, value in buffers.items() if buffer not in known and hasattr(value, "clone")}
        known.update(met)
        if kernel is not None:
            ran.append((kernel, {}))
        if ran:
            ran[-1][1].update((buffer, value.clone()) for buffer, value in met.items())

    try:
        _observed(lowered.wrapper, hook)(copied(list(inputs), []))
        state.put_back_random()
        values = _values(lowered, copied(list(inputs), []))
    finally:
        state.put_back_random()
    return _compared(lowered, name, ran, values)


def _compared(lowered: Lowered, name: str, ran: list[tuple[str, dict[str, Any]]], values: dict[str, Any]) -> Comparison:
    matched = unmatched = 0
    first: str | None = None
    for kernel, buffers in ran:
        for buffer, found in buffers.items():
            node = lowered.origins.get(buffer, (None, ()))[0]
            expected = values.get(node or "")
            if expected is None or expected.numel() != found.numel():
                unmatched += 1
                continue
            matched += 1
            says = difference(expected, found.reshape(expected.shape)) or _nans(found)
            if says is not None and first is None:
                first = (
                    f"{kernel}, in {buffer}, {_described(lowered, buffer)}: {says.replace('in eager', 'in the graph')}"
                )
    return Comparison(name, len(ran), matched, unmatched, first)


def _nans(found: Any) -> str | None:
    count = int(found.isnan().sum()) if found.is_floating_point() else 0
    return f"{count} of {found.numel()} values are nan, as in the graph" if count else None


def _described(lowered: Lowered, buffer: str) -> str:
    """The node that a buffer holds, what was fused into it, and the user's line."""
    node, fused = lowered.origins[buffer]
    others = [name for name in fused if name != node]
    found = next((each for each in lowered.graph.graph.nodes if each.name == node), None)
    lines = _USER_LINE.findall(getattr(found, "stack_trace", None) or "")
    place = f", {PurePath(lines[-1][0]).name}:{lines[-1][1]}" if lines else ""
    return f"which holds {node}" + (f" (fused with {', '.join(others)})" if others else "") + place


def _values(lowered: Lowered, inputs: Sequence[Any]) -> dict[str, Any]:
    """The value of each node that a buffer holds."""
    from torch.fx import Interpreter

    wanted = {node for node, _ in lowered.origins.values() if node is not None}
    values: dict[str, Any] = {}

    class Noting(Interpreter):
        def run_node(self, n: Any) -> Any:
            result = super().run_node(n)
            if n.name in wanted and hasattr(result, "clone"):
                values[n.name] = result.clone()
            return result

    Noting(lowered.graph).run(*inputs)
    return values


def _observed(wrapper: MethodType, hook: Callable[[str | None, dict[str, Any]], None]) -> Callable[[list[Any]], Any]:
    """The wrapper with a call of `hook` behind each statement that runs a kernel. The wrapper itself stays as it is."""
    function = wrapper.__func__
    assert isinstance(function, FunctionType)
    scope = {**function.__globals__, _HOOK: hook}
    text = Path(function.__globals__["__file__"]).read_text(encoding="utf-8")
    bodies = (node for node in ast.walk(ast.parse(text)) if isinstance(node, ast.FunctionDef) and node.name == "call")
    call = next(bodies)
    call.body = [each for statement in call.body for each in _with_hook(statement)]
    module = ast.fix_missing_locations(ast.Module([call], []))
    exec(compile(module, "<unjit: a wrapper, observed>", "exec"), scope)  # noqa: S102 (Inductor's own text)
    made: Callable[[list[Any]], Any] = MethodType(scope["call"], wrapper.__self__)
    return made


def _with_hook(statement: ast.stmt) -> list[ast.stmt]:
    for block in ("body", "orelse", "finalbody"):
        inner = getattr(statement, block, None)
        if inner:
            setattr(statement, block, [each for part in inner for each in _with_hook(part)])
            return [statement]
    value = statement.value if isinstance(statement, ast.Expr | ast.Assign) else None
    is_kernel = isinstance(value, ast.Call) and not _NO_KERNEL.fullmatch(ast.unparse(value.func))
    if not is_kernel and not isinstance(value, ast.Subscript):
        return [statement]
    kernel = ast.unparse(value.func) if isinstance(value, ast.Call) else None
    names = (node.id for node in ast.walk(statement) if isinstance(node, ast.Name) and _BUFFER.fullmatch(node.id))
    buffers = ", ".join(f"{name!r}: {name}" for name in dict.fromkeys(names))
    return [statement, ast.parse(f"{_HOOK}({kernel!r}, {{{buffers}}})").body[0]]
