"""The guards of each entry as data for the page, which makes a tree of them when it is opened."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from unjit.model import Capture, Entry, Function, Guard, GuardNode, Unknown
from unjit.report.blocks import block
from unjit.report.ids import Ids
from unjit.report.notes import line_of


@dataclass(frozen=True)
class GuardedEntry:
    """What is said of an entry before its guards are opened."""

    id: str
    function: Function
    entry: Entry
    number: int
    topics: tuple[tuple[str, int], ...]
    failures: int  # of the root: how often these guards said no
    latency: int | None  # µs for one check, as torch measured it when it compiled; None where it did not
    unknown: str | None
    block: Markup | None


def guarded_entries(capture: Capture, ids: Ids) -> tuple[GuardedEntry, ...]:
    """Every cache entry of the capture, in the order of the functions."""
    took = _latencies(capture)
    return tuple(
        _entry(function, entry, took.get(entry.compile_id), ids)
        for function in capture.report.functions
        for entry in function.entries
    )


def _latencies(capture: Capture) -> dict[object, int]:
    """By compile, what torch measured: its metrics are as JSON, and may be of another shape in another torch."""
    found: dict[object, int] = {}
    for compile_ in () if capture.run is None else capture.run.compiles:
        with suppress(ValueError, AttributeError):
            took = json.loads(compile_.metrics).get("forward", {}).get("guard_latency_us")
            if isinstance(took, int) and took > 0:
                found[compile_.compile_id] = took
    return found


def _entry(function: Function, entry: Entry, took: int | None, ids: Ids) -> GuardedEntry:
    guards = entry.guards
    name = ids.entry(function, entry)
    if isinstance(guards, Unknown):
        return GuardedEntry(name, function, entry, 0, (), 0, took, str(guards.reason), None)
    topics = tuple((str(group.topic), len(group.guards)) for group in guards.groups())
    numbers = iter(range(len(guards)))
    data = {
        "tree": _node(guards.tree, numbers, ids),
        "epilogue": [_guard(guard, next(numbers), ids) for guard in guards.epilogue],
    }
    failures = guards.tree.failures if isinstance(guards.tree.failures, int) else 0
    return GuardedEntry(name, function, entry, len(guards), topics, failures, took, None, block(data))


def _node(node: GuardNode, numbers: Iterator[int], ids: Ids) -> dict[str, Any]:
    """Guards are numbered as `Guards` gives them: a node's own, then those of its children."""
    return {
        "source": None if isinstance(node.source, Unknown) else node.source,
        "failures": None if isinstance(node.failures, Unknown) else node.failures,
        "guards": [_guard(guard, next(numbers), ids) for guard in node.guards],
        "children": [_node(child, numbers, ids) for child in node.children],
    }


def _guard(guard: Guard, number: int, ids: Ids) -> dict[str, Any]:
    return {
        "number": number,
        "kind": guard.kind,
        "topic": guard.topic,
        "condition": guard.condition,
        "line": line_of(guard.cause, ids),
        "check": None if isinstance(guard.check, Unknown) else guard.check,
        "note": guard.note,
    }
