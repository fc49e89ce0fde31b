"""The user's files as the page shows them: the lines that something is to be said at, with some around them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from unjit.artifacts.graph_lines import COMMENT
from unjit.model import Capture, Place, Unknown, known_or
from unjit.model.places import is_of_the_program
from unjit.report.ids import Ids
from unjit.report.sections.notes import Note
from unjit.report.texts.panes import Panes

_AROUND: Final = 3  # lines shown before and after a noted one
_LONGEST: Final = 2000  # characters of a line
_LOUD: Final = ("break", "resume", "recompile", "function")  # kinds of notes that are told in full


@dataclass(frozen=True)
class Line:
    number: int
    text: str  # its beginning, where it is very long
    cut: bool
    loud: tuple[Note, ...]  # told in full below the line
    quiet: tuple[tuple[str, tuple[Note, ...]], ...]  # by kind, told in a word beside it


@dataclass(frozen=True)
class Gap:
    """Lines that are folded, from the first to the last; without text where the file is not known."""

    first: int
    last: int


@dataclass(frozen=True)
class File:
    label: str
    path: str
    whole: bool  # False: only the lines that torch quoted are known
    parts: tuple[Line | Gap, ...]
    noted: int


def files(capture: Capture, ids: Ids, panes: Panes, notes: dict[str, list[Note]]) -> tuple[File, ...]:
    """The files with notes: the program's own before those of installed packages, the most noted first."""
    by_file: dict[str, dict[int, list[Note]]] = {}
    for line, of_line in notes.items():
        label, _, number = line.rpartition(":")
        by_file.setdefault(label, {})[int(number)] = of_line
    texts = {ids.file(source.file): str(source.text) for source in capture.sources}
    quoted = {} if by_file.keys() <= texts.keys() else _quoted(capture, ids, panes)
    found = [_file(label, ids, texts.get(label), quoted.get(label, {}), of) for label, of in by_file.items()]
    return tuple(
        sorted(found, key=lambda file: (not file.whole, not is_of_the_program(file.path), -file.noted, file.label))
    )


class ShownLines:
    """The lines that a link can lead to, by their ids: of a file that is known whole, also those that are folded."""

    def __init__(self, found: tuple[File, ...]) -> None:
        self._files = {file.label: file for file in found}
        self._known: dict[str, frozenset[int]] = {}  # of the files that were asked about

    def __contains__(self, line: str | None) -> bool:
        if line is None:
            return False
        label, _, number = line.rpartition(":")
        if label not in self._known:
            file = self._files.get(label)
            self._known[label] = frozenset() if file is None else frozenset(_numbers(file))
        return int(number) in self._known[label]


def _numbers(file: File) -> Iterator[int]:
    for part in file.parts:
        if isinstance(part, Line):
            yield part.number
        elif file.whole:
            yield from range(part.first, part.last + 1)


def _file(label: str, ids: Ids, text: str | None, quoted: dict[int, str], notes: dict[int, list[Note]]) -> File:
    lines = dict(enumerate(text.splitlines(), 1)) if text is not None else quoted
    around = _AROUND if text is not None else 0
    wanted = {n for at in notes for n in range(at - around, at + around + 1) if n in lines or n == at}
    last = max([*lines, *notes]) if text is not None else max(wanted)
    return File(label, ids.path(label), text is not None, tuple(_parts(sorted(wanted), lines, notes, last)), len(notes))


def _parts(wanted: list[int], lines: dict[int, str], notes: dict[int, list[Note]], last: int) -> Iterator[Line | Gap]:
    before = 0
    for number in wanted:
        if number > before + 1:
            yield Gap(before + 1, number - 1)
        yield _line(number, lines.get(number, ""), notes.get(number, []))
        before = number
    if last > before:
        yield Gap(before + 1, last)


def _line(number: int, text: str, notes: list[Note]) -> Line:
    loud = tuple(note for note in notes if note.kind in _LOUD)
    kinds = dict.fromkeys(note.kind for note in notes if note.kind not in _LOUD)
    quiet = ((kind, tuple(note for note in notes if note.kind == kind)) for kind in kinds)
    return Line(number, text[:_LONGEST], len(text) > _LONGEST, loud, tuple(quiet))


def _quoted(capture: Capture, ids: Ids, panes: Panes) -> dict[str, dict[int, str]]:
    """The lines that torch quotes, of files that the capture does not have."""
    found: dict[str, dict[int, str]] = {}
    for place in _places(capture):
        if not isinstance(place.line, Unknown) and not isinstance(place.code, Unknown):
            found.setdefault(ids.file(place.file), {})[place.line] = str(place.code)
    for texts in panes.shown.values():
        for text in texts:
            for match in COMMENT.finditer(text.text if text.name == "captured" else ""):
                found.setdefault(ids.file(match["file"]), {})[int(match["line"])] = match["code"]
    return found


def _places(capture: Capture) -> Iterator[Place]:
    for function in capture.report.functions:
        yield function.place
        for compile_ in known_or(function.compiles, ()):
            for found in known_or(compile_.breaks, ()):
                if not isinstance(found.place, Unknown):
                    yield found.place
        for entry in function.entries:
            for guard in known_or(entry.guards, ()):
                if isinstance(guard.cause, Place):
                    yield guard.cause
