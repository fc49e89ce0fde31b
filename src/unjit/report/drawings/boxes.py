"""The boxes of a flow chart: each a heading, lines of code or facts, and notes. A line may lead to another place."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from typing import Any, Final

from unjit.model import (
    CapturedCompile,
    Compile,
    Entry,
    Function,
    Graph,
    Guard,
    Guards,
    Listing,
    Message,
    Place,
    Unknown,
)
from unjit.report.drawings.listings import listing_at
from unjit.report.ids import Ids

Item = dict[str, Any]
_NOT_ASKED: Final = Unknown(Message("not asked"))
_OWN: Final = ("arguments", "shapes", "closure", "globals", "module")  # topics of guards on what is the user's
_ASIDE: Final = (  # kinds of such guards that rarely fail: they are counted and not shown
    *("DIMENSION_DYNAMIC_MARKING", "NO_TENSOR_ALIASING", "STORAGE_OVERLAPPING", "NO_HASATTR"),
)
_RENAMED: Final = re.compile(r"(\w+) = (?i:\1)$")  # l_x_ = L_x_: torch's way of naming an input
_TELLING: Final = ("TENSOR_MATCH", "LAMBDA", "EQUALS_MATCH", "SYMBOLIC_SHAPE")  # what a call is likely to change
_TURNS: Final = ("first", "second", "third", "fourth")
_PROVED: Final = {
    "identical": "proved: it compiles to the bytecode that runs",
    "equivalent": "proved: it does the same as the bytecode that runs",
    "opaque": "not recovered as source",
}


def of_function(function: Function, resumes: Iterable[Function], file: Listing | None, ids: Ids) -> Item:
    """What the user wrote: the function, or of a resume function the part that it goes on with.

    `resumes` are the functions in which it is resumed, `file` is the whole file that it stands in, if that is known.
    """
    resume = function.resume
    if resume is None:
        title, says = str(function.qualname), "your code"
    else:
        at = "" if isinstance(resume.place, Unknown) else f" at line {resume.place.line}"
        title, says = f"{resume.of} goes on{at}", "your code, from where it was left (a resume function)"
    found = _source(function, resumes, file)
    first = 0
    if resume is not None and isinstance(resume.place, Place) and isinstance(resume.place.line, int):
        first = resume.place.line
    lines = [] if found is None else _listed(found, first, ids)
    choice = {"kind": "function", "id": ids.function(function)}
    return _box("resume" if resume else "yours", title, says, lines, choice, _handed_over(function))


def _source(function: Function, resumes: Iterable[Function], file: Listing | None) -> Listing | None:
    """The lines of the function, or those of its first line alone."""
    for resume in (one.resume for one in (function, *resumes)):
        if resume is not None and isinstance(resume.source, Listing):
            return resume.source
    place = function.place
    if isinstance(place.line, Unknown):
        return None
    found = None if file is None else listing_at(file, place.line)
    return found or (None if isinstance(place.code, Unknown) else Listing(place.file, place.line, place.code))


def _listed(listing: Listing, first: int, ids: Ids) -> list[Item]:
    lines = []
    for number, line in enumerate(textwrap.dedent(str(listing.text)).split("\n"), listing.first_line):
        place = Place(listing.file, number, _NOT_ASKED, _NOT_ASKED)
        if number >= first:
            lines.append({"number": number, "text": line, "select": {"kind": "line", "id": ids.line(place)}})
    return lines


def _handed_over(function: Function) -> list[Item]:
    resume = function.resume
    if resume is None or isinstance(resume.locals, Unknown) or not resume.locals:
        return []
    return [{"text": f"gets {', '.join(map(str, resume.locals))} from the code before"}]


def of_guards(function: Function, entry: Entry, compile_: CapturedCompile | None, ids: Ids) -> Item:
    """The conditions under which an entry may be used: those on the user's values, the others counted."""
    order = "" if isinstance(function.status.state, Unknown) else f"tried {_turn(entry.index)}"
    title = f"Guards of entry {entry.compile_id}"
    choice = {"kind": "entry", "id": ids.entry(function, entry)}
    notes = [] if compile_ is None else _why_compiled(compile_.compile, ids)
    if isinstance(entry.guards, Unknown):
        return _box("guards", title, order, [], choice, [*notes, {"text": str(entry.guards)}])
    numbered = list(enumerate(entry.guards))
    own = [(number, guard) for number, guard in numbered if guard.topic in _OWN and guard.kind not in _ASIDE]
    shared = _shared(function)
    own.sort(key=lambda one: (str(one[1].condition) in shared, one[1].kind not in _TELLING))
    lines = [_guard_line(function, entry, number, guard, ids, shared) for number, guard in own]
    rest = len(numbered) - len(own)
    if rest:
        notes.insert(
            0, {"text": f"and {rest} more: on torch's state, on imported code, on aliasing and marks of tensors"}
        )
    return _box("guards", title, order, lines, choice, notes)


def _turn(index: int) -> str:
    return _TURNS[index] if index < len(_TURNS) else f"as number {index + 1}"


def _shared(function: Function) -> set[str]:
    """The conditions that all entries of a function have."""
    known = [
        {str(guard.condition) for guard in one.guards} for one in function.entries if isinstance(one.guards, Guards)
    ]
    return set.intersection(*known) if known else set()


def _guard_line(function: Function, entry: Entry, number: int, guard: Guard, ids: Ids, shared: set[str]) -> Item:
    choice = {"kind": "guard", "id": ids.guard(function, entry, number)}
    line = {"number": None, "text": str(guard.condition), "select": choice}
    return line if str(guard.condition) in shared else line | {"mark": "differs"}


def _why_compiled(compile_: Compile, ids: Ids) -> list[Item]:
    """Why the entries that there were did not fit."""
    if isinstance(compile_.failed_guards, Unknown):
        return []
    return [
        {"text": f"made because {failed.entry} did not fit: {failed.told}", "select": _place(failed.cause, ids)}
        for failed in compile_.failed_guards
    ]


def _place(place: Any, ids: Ids) -> Item | None:
    line = ids.line(place) if isinstance(place, Place) else None
    return None if line is None else {"kind": "line", "id": line}


def of_code(function: Function, entry: Entry, compile_: CapturedCompile | None, ids: Ids) -> Item:
    """What runs in the function's place."""
    choice = {"kind": "entry", "id": ids.entry(function, entry)}
    notes = [] if compile_ is None else _breaks(compile_.compile, ids)
    if isinstance(entry.code, Unknown):
        return _box("code", "What runs instead", "", [], choice, [*notes, {"text": str(entry.code)}])
    source, verdict = str(entry.code.source), str(entry.code.verdict)
    lines = [{"number": number, "text": line} for number, line in enumerate(source.rstrip("\n").split("\n"), 1)]
    return _box("code", "What runs instead", _PROVED[verdict], lines, choice, notes)


def _breaks(compile_: Compile, ids: Ids) -> list[Item]:
    if isinstance(compile_.breaks, Unknown):
        return []
    return [
        {"text": f"graph break{_at(found.place)}: {found.reason}", "select": _place(found.place, ids)}
        for found in compile_.breaks
    ]


def _at(place: Any) -> str:
    return f" at line {place.line}" if isinstance(place, Place) and not isinstance(place.line, Unknown) else ""


def of_graph(graph: Graph, compile_: CapturedCompile | None, ids: Ids) -> Item:
    """A graph of tensor operations, which the backend compiled."""
    known = not isinstance(graph.operations, Unknown)
    says = f"{graph.operations} operation{'s' * (graph.operations != 1)}" if known else ""
    backend = "" if isinstance(graph.backend, Unknown) else f", compiled by {graph.backend}"
    lines = [] if compile_ is None else _operations(compile_)
    choice = None if compile_ is None else {"kind": "text", "id": ids.text(compile_, "captured")}
    return _box("graph", f"Graph {graph.name}", f"{says}{backend}".lstrip(", "), lines, choice, [])


def of_captured(compile_: CapturedCompile, ids: Ids) -> Item:
    """The graph that a compile captured, where the code that calls it is not known."""
    choice = {"kind": "text", "id": ids.text(compile_, "captured")}
    return _box("graph", "Graph", "", _operations(compile_), choice, [])


def _operations(compile_: CapturedCompile) -> list[Item]:
    """The graph's own lines, without comments and without what frees values."""
    artifact = compile_.artifact("captured")
    if artifact is None or isinstance(artifact.text, Unknown):
        return []
    _, _, body = artifact.text.partition("def forward(")
    lines = [line.strip().split(";  ")[0] for line in body.split("\n")[1:]]
    kept = [line for line in lines if line and not line.startswith("#") and not _RENAMED.match(line)]
    return [{"number": None, "text": line} for line in kept]


def of_end(function: Function) -> Item:
    """What happens to a call that no entry fits."""
    status = function.status
    notes = [{"text": str(text)} for text in (status.detail, status.advice) if text is not None]
    if isinstance(status.state, Unknown):
        return _box("end", "No entry", str(status.state), [], None, notes)
    title, says = _ENDS.get(status.state, ("No entry fits", status.state))
    return _box("end", title, says, [], None, notes)


_ENDS: Final = {
    "compiled": ("No entry fits", "Dynamo compiles the function again for this call, and tries the new entry first"),
    "recompile limit": ("No entry fits", "the function runs as plain Python: Dynamo gave up making entries"),
    "skipped": ("Not compiled", "it runs as plain Python"),
    "never ran": ("Not compiled yet", "it has not run under torch.compile"),
    "invalidated": ("No entry left", "Dynamo compiles it at the next call"),
    "failed": ("Not compiled", "the compile failed"),
}


def _box(kind: str, title: str, says: str, lines: list[Item], choice: Item | None, notes: list[Item]) -> Item:
    return {"kind": kind, "title": title, "says": says, "lines": lines, "select": choice, "notes": notes}
