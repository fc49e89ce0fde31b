"""The notes that the page has at each line of the user's program."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from unjit.model import Capture, Function, Maybe, Place, Unknown, known_or
from unjit.render.forms.outline import count
from unjit.render.functions.entry_counts import entries_counted
from unjit.report.ids import Ids
from unjit.report.sections.happenings import Happenings
from unjit.report.texts.panes import Panes

Kind = Literal["function", "break", "resume", "recompile", "graph", "kernel", "guard"]


@dataclass(frozen=True)
class Note:
    """Something about a line, and where on the page there is more."""

    kind: Kind
    says: str
    link: str


def notes(capture: Capture, ids: Ids, panes: Panes, happenings: Happenings) -> dict[str, list[Note]]:
    """The notes of each line, by its id; those that matter most come first."""
    found: dict[str, dict[Note, None]] = defaultdict(dict)
    parts = (
        _functions(capture, ids), _breaks(happenings, ids), _resumes(capture, ids), _comprehensions(capture, ids),
        _recompiles(happenings, ids), _graphs(panes), _kernels(capture, ids), _guards(capture, ids),
    )  # fmt: skip
    for part in parts:
        for line, note in part:
            found[line][note] = None
    return {line: list(of_line) for line, of_line in found.items()}


def line_of(place: Maybe[Place] | None, ids: Ids) -> str | None:
    """The id of a place's line; None where there is none."""
    return None if place is None or isinstance(place, Unknown) else ids.line(place)


def _functions(capture: Capture, ids: Ids) -> Iterator[tuple[str, Note]]:
    for function in capture.report.functions:
        line = ids.line(function.place)
        if line is not None and function.resume is None:
            says = f"{function.key}: {_entries(function)}"
            yield line, Note("function", says, f"function={function.key}")


def _entries(function: Function) -> str:
    if function.entries:
        return entries_counted(entry.kind for entry in function.entries)
    return "state unknown" if isinstance(function.status.state, Unknown) else str(function.status.state)


def _breaks(happenings: Happenings, ids: Ids) -> Iterator[tuple[str, Note]]:
    for broke in happenings.breaks:
        line = line_of(broke.found.place, ids)
        if line is not None:
            yield line, Note("break", f"graph break: {broke.found.reason}", broke.id)


def _resumes(capture: Capture, ids: Ids) -> Iterator[tuple[str, Note]]:
    for function in capture.report.functions:
        line = line_of(function.resume.place, ids) if function.resume is not None else None
        if line is not None:
            yield line, Note("resume", f"goes on here as {function.key}", f"function={function.key}")


def _comprehensions(capture: Capture, ids: Ids) -> Iterator[tuple[str, Note]]:
    for function in capture.report.functions:
        for entry in function.entries:
            for taken_out in entry.comprehensions:
                line = line_of(taken_out.place, ids)
                if line is not None:
                    says = f"runs as written, as {taken_out.name}: the graph breaks within"
                    yield line, Note("resume", says, f"entry={ids.entry(function, entry)}")


def _recompiles(happenings: Happenings, ids: Ids) -> Iterator[tuple[str, Note]]:
    for again in happenings.recompiles:
        for guard in again.failed:
            line = line_of(guard.cause, ids)
            if line is not None:
                yield line, Note("recompile", f"{again.function.key} was compiled again: {guard.condition}", again.id)


def _graphs(panes: Panes) -> Iterator[tuple[str, Note]]:
    """How many nodes of which graph a line became, and where each graph begins."""
    for compile_, texts in panes.shown.items():
        rows = next((one.rows for one in texts if one.name == "captured"), [])
        nodes = Counter(tag for row in rows if row.id is not None for tag in row.from_ if tag.startswith("line="))
        for at, (tag, number) in enumerate(nodes.items()):
            begins = "graph begins here, " if at == 0 else ""
            says = f"{begins}{count(number, 'node')} of {compile_}"
            yield tag.removeprefix("line="), Note("graph", says, f"text={compile_}/captured")


def _kernels(capture: Capture, ids: Ids) -> Iterator[tuple[str, Note]]:
    for compile_ in capture.compiles:
        for kernel in compile_.kernels:
            for place in known_or(kernel.places, ()):
                line = ids.line(place)
                if line is not None:
                    yield line, Note("kernel", f"in {kernel.name}", f"kernel={ids.kernel(compile_, kernel)}")


def _guards(capture: Capture, ids: Ids) -> Iterator[tuple[str, Note]]:
    for function in capture.report.functions:
        for entry in function.entries:
            guards = known_or(entry.guards, ())
            caused = Counter(line for guard in guards if (line := line_of(guard.cause, ids)) is not None)
            for line, number in caused.items():
                says = f"{count(number, 'guard')} of {function.key}, {entry.name}"
                yield line, Note("guard", says, f"entry={ids.entry(function, entry)}")
