"""The guards of each entry as data for the page, which makes a tree of them when it is opened."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from markupsafe import Markup

from unjit.model import (
    Capture,
    CompileId,
    CompileRun,
    CostPart,
    Entry,
    Function,
    Guard,
    GuardNode,
    GuardOrigin,
    Guards,
    Maybe,
    Unknown,
    known_or,
)
from unjit.render.forms.places import where
from unjit.report.blocks import block
from unjit.report.ids import Ids
from unjit.report.sections.notes import line_of

_DEAREST: Final = 3  # parts that are named before the tree is opened


@dataclass(frozen=True)
class GuardedEntry:
    """An entry as the page shows it before its guards are opened."""

    id: str
    function: Function
    entry: Entry
    number: int
    topics: tuple[tuple[str, int], ...]
    failures: int  # of the root: how often these guards said no
    took: str | None  # one check, in words; None where nobody measured it
    dearest: tuple[tuple[float, str, str], ...]  # what takes the longest: µs, value, address of its first guard
    unknown: str | None
    block: Markup | None


def guarded_entries(capture: Capture, ids: Ids) -> tuple[GuardedEntry, ...]:
    """Every cache entry of the capture, in the order of the functions."""
    runs: dict[Maybe[CompileId], CompileRun] = {
        one.compile_id: one for one in (() if capture.run is None else capture.run.compiles)
    }
    return tuple(
        _entry(function, entry, runs.get(entry.compile_id), ids)
        for function in capture.report.functions
        for entry in function.entries
    )


def _entry(function: Function, entry: Entry, run: CompileRun | None, ids: Ids) -> GuardedEntry:
    guards = entry.guards
    name = ids.entry(function, entry)
    took = None if run is None else _took(run)
    if isinstance(guards, Unknown):
        return GuardedEntry(name, function, entry, 0, (), 0, took, (), str(guards.reason), None)
    topics = tuple((str(group.topic), len(group.guards)) for group in guards.groups())
    numbers = iter(range(len(guards)))
    parts = _parts(run)
    tree = _node(guards.tree, numbers, {str(part.source): _micro(part.seconds) for part in parts}, ids)
    data = {
        "tree": tree,
        "epilogue": [_guard(guard, next(numbers), ids) for guard in guards.epilogue],
        "lines": _lines(guards, ids),
    }
    failures = guards.tree.failures if isinstance(guards.tree.failures, int) else 0
    dearest = tuple(_dearest(name, tree, parts))
    return GuardedEntry(name, function, entry, len(guards), topics, failures, took, dearest, None, block(data))


def _took(run: CompileRun) -> str | None:
    """How long one check took when the guards were made, in words: by unjit's measure, else by torch's."""
    if not isinstance(run.guards, Unknown):
        check = run.guards
        return f"a check took {_micro(check.seconds)} µs, {_micro(check.thorough)} µs with nothing skipped"
    with suppress(ValueError, AttributeError):  # torch's metrics may be of another shape in another torch
        took = json.loads(run.metrics).get("forward", {}).get("guard_latency_us")
        return f"a check took {took} µs, as torch measured it" if isinstance(took, int) and took > 0 else None
    return None


def _parts(run: CompileRun | None) -> tuple[CostPart, ...]:
    """The values whose checks were measured, dearest first; of several by one name the dearest."""
    parts = () if run is None or isinstance(run.guards, Unknown) else run.guards.parts
    known = [part for part in parts if not isinstance(part.source, Unknown)]
    return tuple({part.source: part for part in reversed(known)}.values())[::-1]


def _micro(seconds: float) -> float:
    return round(seconds * 1e6, 1)


def _dearest(entry: str, tree: dict[str, Any], parts: tuple[CostPart, ...]) -> Iterator[tuple[float, str, str]]:
    """The dearest parts, each with its first guard, which leads there."""
    for part in parts[:_DEAREST]:
        found = (node for node in _below(tree) if node["source"] == part.source)
        guard = next((guard for node in found for one in _below(node) for guard in one["guards"]), None)
        if guard is not None:
            yield _micro(part.seconds), str(part.subject), f"{entry}/{guard['number']}"


def _below(node: dict[str, Any]) -> Iterator[dict[str, Any]]:
    yield node
    for child in node["children"]:
        yield from _below(child)


def _node(node: GuardNode, numbers: Iterator[int], times: Mapping[str, float], ids: Ids) -> dict[str, Any]:
    """Guards are numbered as `Guards` gives them: a node's own, then those of its children."""
    return {
        "source": known_or(node.source, None),
        "took": times.get(str(node.source)),
        "failures": known_or(node.failures, None),
        "guards": [_guard(guard, next(numbers), ids) for guard in node.guards],
        "children": [_node(child, numbers, times, ids) for child in node.children],
    }


def _guard(guard: Guard, number: int, ids: Ids) -> dict[str, Any]:
    return {
        "number": number,
        "kind": guard.kind,
        "topic": guard.topic,
        "condition": guard.condition,
        "line": line_of(guard.cause, ids),
        "check": known_or(guard.check, None),
        "note": guard.note,
        "at": guard.origin.line if isinstance(guard.origin, GuardOrigin) else None,
    }


def _lines(guards: Guards, ids: Ids) -> list[dict[str, Any]]:
    """The lines of the calls that led to guards, which name the innermost by its number."""
    return [
        {"line": line_of(one.place, ids), "says": where(one.place), "within": one.within}
        for one in known_or(guards.lines, ())
    ]
