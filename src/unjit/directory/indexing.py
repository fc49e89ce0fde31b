"""index.json and index.md in the making: they list each function when its data are known, one after the other."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final, TypeAlias

from unjit.directory import layout
from unjit.model import (
    Capture,
    CapturedCompile,
    Entry,
    FilePath,
    Function,
    Index,
    ListedFunction,
    ListedSource,
    Name,
    Term,
)
from unjit.render.captures.index import IndexText, TextsOf

_Texts: TypeAlias = tuple[tuple[str, str], ...]  # names of files, and what is in them
_OF_FUNCTION: Final[_Texts] = ((layout.SOURCE, "its source"), (layout.ORIGINAL_BYTECODE, "its instructions"))
_OF_COMPILE: Final[_Texts] = ((layout.BYTECODE, "all instructions of what runs in its place"),)


class Indexing:
    """A listener that keeps what index.json and index.md say of what it is told.

    `read` gives the text of a file, or None: of a function those are linked that are there when it is told.
    """

    def __init__(self, read: Callable[[str], str | None]) -> None:
        self._text = IndexText(texts_of(read))
        self._functions: list[ListedFunction] = []
        self._compiles: list[Term] = []  # folders, of the function that is being told

    def take_compile(self, compile_: CapturedCompile, entries: tuple[Entry, ...]) -> None:
        """List a compile."""
        self._compiles.append(compile_.path)
        self._text.take_compile(compile_, entries)

    def take_function(self, rest: Function) -> None:
        """List a function, with the compiles since the last one."""
        path = Term(layout.function_folder(rest.key))
        self._functions.append(ListedFunction(rest.key, rest.qualname, path, tuple(self._compiles)))
        self._compiles = []
        self._text.take_function(rest)

    def pieces(self, capture: Capture) -> Iterator[str]:
        """index.md; of `capture`, what it says besides functions."""
        return self._text.pieces(capture)

    def data(self, capture: Capture) -> Index:
        """index.json."""
        report = capture.report
        return Index(
            finished=capture.finished,
            torch=report.torch_version,
            python=report.python_version,
            functions=tuple(self._functions),
            roots=report.roots,
            left_out=capture.left_out,
            losses=report.losses,
            processes=capture.processes,
            sources=tuple(ListedSource(file, Term(path)) for file, path in source_paths(capture).items()),
            outside=capture.outside,
        )


def texts_of(read: Callable[[str], str | None]) -> TextsOf:
    """Which texts there are of a function itself, or of a compile besides its artifacts, and what they are."""

    def found(of: Name | CapturedCompile) -> Iterator[tuple[str, str]]:
        if isinstance(of, CapturedCompile):
            folder, texts = str(of.path), _OF_COMPILE
        else:
            folder, texts = layout.function_folder(of), _OF_FUNCTION
        paths = ((f"{folder}/{name}", what) for name, what in texts)
        return ((path, what) for path, what in paths if read(path) is not None)

    return found


def source_paths(capture: Capture) -> dict[FilePath, str]:
    """Where the source files of a capture are written."""
    found: dict[FilePath, str] = {}
    for one in capture.sources:
        found[one.file] = layout.source_file(one.file, found.values())
    return found
