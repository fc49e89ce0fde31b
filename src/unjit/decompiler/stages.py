"""The pipeline stopped in the middle: what it has after a pass, as text."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from types import CodeType

from unjit.bytecode import decode, decoding_once
from unjit.bytecode.constants.shown import shown
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.flow.dump import dump_graph, dump_statements
from unjit.decompiler.lift.build_graph import build_graph
from unjit.decompiler.pipeline import TIERS

_DECODE, _LIFT, _STRUCTURE = "decode", "build_graph", "structure"
_TIER = TIERS[0]  # the most readable one


def _named(passes: Sequence[Callable[..., object]]) -> list[str]:
    """The name of each pass, which is that of its module; one that runs again has a number: `fold_conditions:2`."""
    names: list[str] = []
    for run in passes:
        own, of_module = run.__name__, run.__module__.rpartition(".")[2]
        name = of_module if own.startswith("run") else own  # `count_uses` is a pass by itself
        before = sum(known.partition(":")[0] == name for known in names)
        names.append(f"{name}:{before + 1}" if before else name)
    return names


_GRAPH_PASSES = dict(zip(_named(_TIER.graph_passes), _TIER.graph_passes, strict=True))
_TREE_PASSES = dict(zip(_named(_TIER.tree_passes), _TIER.tree_passes, strict=True))
PASSES = (_DECODE, _LIFT, *_GRAPH_PASSES, _STRUCTURE, *_TREE_PASSES)


def after(code: CodeType, name: str) -> str:
    """What the most readable tier has of `code` after the pass of this name, one of PASSES.

    Raises BytecodeError where the bytes are no bytecode; code that cannot come so far is said to, with the reason.
    """
    assert name in PASSES
    try:
        with decoding_once():
            return _after(code, name)
    except CannotExpress as refusal:
        return f"# {code.co_name} does not come so far: {refusal}"


def _after(code: CodeType, name: str) -> str:
    if name == _DECODE:
        return "\n".join(f"{i.offset:5} {i.line or '':>5} {i.op} {_operand(i.value, i.arg)}" for i in decode(code))
    graph = build_graph(code, eager_locals=_TIER.eager_locals, sees_through=_TIER.sees_through)
    if name == _LIFT:
        return dump_graph(graph)
    for known, run in _GRAPH_PASSES.items():
        run(graph)
        if name == known:
            return dump_graph(graph)
    body: list[ast.stmt] = _TIER.structure(graph)
    for known, rewrite in _TREE_PASSES.items():
        if name == _STRUCTURE:
            break
        body = rewrite(body, graph)
        if name == known:
            break
    return dump_statements(body)


def _operand(value: object, arg: int) -> str:
    return str(arg) if value is None else f"{arg} ({shown(value, 60):.60})"
