"""The functions that a log tells of. Nothing of them is alive, so what records do not have is unknown."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

from unjit.capturing.assemble import id_of
from unjit.capturing.building import Building
from unjit.ingesting.program import NOT_IN_LOG
from unjit.model import Entry, FilePath, Function, Message, Name, Place, Report, ResumePoint, Status, Term, Unknown
from unjit.observe.recorder_compiles import outcome, read_compile, status_without_entries
from unjit.torch_private.resumes import NAME_PREFIX

MISSING: Final = Message(
    "it was read from a log that torch wrote without unjit, which has no source, generated code, guards as a tree, or "
    "Inductor's operations before and after fusion; of functions it has the name without classes, and bytecode at "
    "most of resume functions, and of the calls that led to a compile all but the innermost one or two"
)
_AT_THE_END: Final = Unknown(Message("a log does not tell which entries there were at the end"))
_RESUME_NAME: Final = re.compile(rf"{NAME_PREFIX}(?P<of>.+)_at_(?P<line>\d+)")


def read_functions(compiles: Iterable[Building], resets: int) -> tuple[Function, ...]:
    """Every function that Dynamo compiled, or tried to, in the order of first compiles."""
    by_key: dict[Name, list[Building]] = {}
    for building in compiles:
        by_key.setdefault(building.function, []).append(building)
    return tuple(_function(key, own, resets) for key, own in by_key.items())


def report(functions: tuple[Function, ...], torch: Term, python: Term, losses: Iterable[Message]) -> Report:
    """All of one log."""
    roots = tuple(function.key for function in functions if function.resume is None)
    return Report("events", torch, python, roots, functions, (MISSING, *losses))


def _function(key: Name, compiles: list[Building], resets: int) -> Function:
    places = (building.recorded.place for building in compiles)
    file, line, name = next((place for place in places if place), ("<unknown>", 0, str(key)))
    resume = _RESUME_NAME.fullmatch(name)
    return Function(
        key=key,
        qualname=Name(name),
        place=Place(FilePath(file), line, Name(name), NOT_IN_LOG),
        status=_status(compiles),
        resume=ResumePoint(Name(resume["of"]), (), *[NOT_IN_LOG] * 4) if resume else None,
        entries=tuple(_entries(compiles, resets)),
        compiles=tuple(read_compile(one.recorded, id_of(one, resets), NOT_IN_LOG) for one in compiles),
    )


def _status(compiles: list[Building]) -> Status:
    found = status_without_entries([building.recorded for building in compiles])
    return Status(_AT_THE_END, None, None) if found.state == "invalidated" else found


def _entries(compiles: list[Building], resets: int) -> Iterable[Entry]:
    """The entry that each compile made; what is in it was not logged."""
    made = (building for building in compiles if outcome(building.recorded) == "compiled")
    for index, building in enumerate(made):
        yield Entry(
            index=index,
            kind="cache entry",
            compile_id=id_of(building, resets),
            backend=NOT_IN_LOG,
            invalid=None,
            hits=NOT_IN_LOG,
            guards=NOT_IN_LOG,
            code=NOT_IN_LOG,
            graphs=(),
            resume_functions=(),
        )
