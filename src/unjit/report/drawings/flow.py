"""The way of a call through each function: whose guards fit, which code runs, which graphs it calls, where it goes on.

A chart begins at a function of the user's. Below it stand its entries, each with its guards, the code that runs if they
hold, and what that calls: graphs, and resume functions, which have entries in turn.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from unjit.model import Capture, CapturedCompile, Entry, Function, GraphBreak, Name, Place, Unknown, known_or
from unjit.report.drawings import boxes
from unjit.report.drawings.ways import Condition, Way, truth_of, ways
from unjit.report.ids import Ids

Item = dict[str, Any]


def data(capture: Capture, ids: Ids) -> dict[str, Any]:
    """`charts`: for each function of the user's its name, what became of it, boxes and arrows.

    A resume function has a chart of its own where it is not known what leads to it.
    """
    drawn = _Drawn(capture, ids)
    functions = capture.report.functions
    charts = [_Chart(drawn).draw(function) for function in functions if function.resume is None]
    shown = {box["id"] for chart in charts for box in chart["boxes"]}
    rest = [one for one in functions if one.resume is not None and _own(one) not in shown]
    return {"charts": [*charts, *(_Chart(drawn).draw(function) for function in rest)]}


def _own(function: Function) -> str:
    return f"function {function.key}"


class _Drawn:
    """What charts are drawn of, by what is asked for: a log may tell of thousands of functions."""

    def __init__(self, capture: Capture, ids: Ids) -> None:
        self.ids = ids
        self.sources = {one.file: one for one in reversed(capture.sources)}
        self._functions = capture.report.by_key()
        self._compiles = {(one.function, one.compile.compile_id): one for one in reversed(capture.compiles)}

    def function(self, key: Name) -> Function:
        return self._functions[key]

    def compile_of(self, function: Function, entry: Entry) -> CapturedCompile | None:
        return self._compiles.get((function.key, entry.compile_id))


@dataclass
class _Chart:
    drawn: _Drawn
    boxes: dict[str, Item] = field(default_factory=dict)
    arrows: list[Item] = field(default_factory=list)

    @property
    def ids(self) -> Ids:
        return self.drawn.ids

    def draw(self, function: Function) -> dict[str, Any]:
        self.function(function)
        entries = [one for one in self.boxes.values() if one["kind"] == "code"]
        return {
            "id": self.ids.function(function),
            "name": str(function.qualname),
            "place": self.ids.line(function.place) or "",
            "says": _summary(function),
            "entries": len(entries),
            "boxes": [{"id": own, **box} for own, box in self.boxes.items()],
            "arrows": self.arrows,
        }

    def function(self, function: Function) -> str:
        """The function's own box and all below it; its id."""
        own = _own(function)
        if own in self.boxes:
            return own
        resumes = [self.drawn.function(key) for key in function.resume_functions]
        self.boxes[own] = boxes.of_function(function, resumes, self.drawn.sources.get(function.place.file), self.ids)
        before = None
        for entry in function.entries:
            before = self.entry(function, entry, own, before)
        self.otherwise(function, own, before)
        for target in resumes:
            if _own(target) not in self.boxes:
                self.arrow(own, self.function(target), "goes on, from an entry that is not known", kind="resumes")
        return own

    def entry(self, function: Function, entry: Entry, above: str, before: str | None) -> str:
        """An entry's guards, and what is below them; the id of the guards' box."""
        compile_ = self.drawn.compile_of(function, entry)
        guards, code = f"guards {function.key} {entry.index}", f"code {function.key} {entry.index}"
        self.boxes[guards] = boxes.of_guards(function, entry, compile_, self.ids)
        self.boxes[code] = boxes.of_code(function, entry, compile_, self.ids)
        if before is None or isinstance(function.status.state, Unknown):  # nor is the order known, then
            self.arrow(above, guards, "is called", kind="called")
        else:
            self.arrow(before, guards, "one fails", kind="fails")
            self.arrow(above, guards, "", kind="order")
        self.arrow(guards, code, "all hold", kind="holds", count=known_or(entry.hits, None))
        self.below(function, entry, code, compile_)
        return guards

    def below(self, function: Function, entry: Entry, code: str, compile_: CapturedCompile | None) -> None:
        """The graphs and resume functions that an entry's code calls."""
        source = "" if isinstance(entry.code, Unknown) else str(entry.code.source)
        resumes = self.resume_names(entry)
        found = ways(source, [*(str(graph.name) for graph in entry.graphs), *resumes])
        if isinstance(entry.code, Unknown) and compile_ is not None and compile_.artifact("captured") is not None:
            own = f"graph {function.key} {entry.index}"
            self.boxes[own] = boxes.of_captured(compile_, self.ids)
            self.arrow(code, own, "calls", kind="calls")
        for graph in entry.graphs:
            own = f"graph {function.key} {entry.index} {graph.name}"
            self.boxes[own] = boxes.of_graph(graph, compile_, self.ids)
            label = _label([way for way in found if way.name == graph.name], None) or "calls"
            self.arrow(code, own, label, kind="calls")
        for key in entry.resume_functions:
            target = self.drawn.function(key)
            taken = [way for way in found if resumes.get(way.name) == key]
            label = _label(taken, _decision(compile_)) or "goes on"
            self.arrow(code, self.function(target), label, kind="resumes")

    def otherwise(self, function: Function, own: str, before: str | None) -> None:
        """What happens where no entry fits."""
        end = f"end {function.key}"
        self.boxes[end] = boxes.of_end(function)
        if before is None or isinstance(function.status.state, Unknown):
            self.arrow(own, end, "is called", kind="called")
        else:
            self.arrow(before, end, "one fails", kind="fails")
            self.arrow(own, end, "", kind="order")

    def arrow(self, start: str, to: str, label: str, *, kind: str, count: int | None = None) -> None:
        self.arrows.append({"from": start, "to": to, "label": label, "kind": kind, "count": count})

    def resume_names(self, entry: Entry) -> dict[str, str]:
        """How code names the resume functions that it calls: the key for each name."""
        found = {}
        for key in entry.resume_functions:
            resume = self.drawn.function(key).resume
            found.update({str(name): str(key) for name in (() if resume is None else resume.global_names)})
        return found


def _summary(function: Function) -> str:
    """What became of a function, in a few words."""
    if function.entries:
        number = len(function.entries)
        resumes = len(function.resume_functions)
        parts = f", continued by {resumes} resume function{'s' * (resumes > 1)}" if resumes else ""
        return f"{number} {'entries' if number > 1 else 'entry'}{parts}"
    return known_or(function.status.state, "what became of it is unknown")


def _decision(compile_: CapturedCompile | None) -> GraphBreak | None:
    """The break that decides where the code goes on, if there is just one."""
    found = () if compile_ is None or isinstance(compile_.compile.breaks, Unknown) else compile_.compile.breaks
    return found[0] if len(found) == 1 else None


def _label(taken: list[Way], decision: GraphBreak | None) -> str:
    """When a way is taken, in the user's words where it is sure that they mean the same."""
    if len(taken) != 1:
        return " or ".join(dict.fromkeys(_words(way, None) for way in taken if way.conditions)) if taken else ""
    return _words(taken[0], decision)


def _words(way: Way, decision: GraphBreak | None) -> str:
    said = [_condition(one, decision if len(way.conditions) == 1 else None) for one in way.conditions]
    words = " and ".join(said)
    loop = "in a loop" if way.repeated else ""
    return ", ".join(part for part in (f"if {words}" if words else "", loop) if part)


def _condition(condition: Condition, decision: GraphBreak | None) -> str:
    place = None if decision is None else decision.place
    if isinstance(place, Place) and not isinstance(place.code, Unknown) and condition.plain:
        value = truth_of(place.code)
        if value is not None:
            return f"{value} is {'true' if condition.holds else 'false'}"
    return f"{condition.test} is {'true' if condition.holds else 'false'}"
