"""A capture into files: the data beside the texts that were written while the program ran."""

from __future__ import annotations

import functools
import json
import typing
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any, Final

from unjit.directory import layout
from unjit.directory.files import Files
from unjit.directory.indexing import Indexing, source_paths
from unjit.directory.numbering import stable
from unjit.directory.stable import Stabiliser
from unjit.model import (
    SCHEMA_VERSION,
    Capture,
    CapturedCompile,
    Compile,
    CompileRun,
    Constant,
    Entry,
    Expression,
    FilePath,
    Function,
    Generated,
    Message,
    Run,
    Term,
    Text,
    Unknown,
    UserSource,
    field_types,
    fields_of,
    mapped,
    to_plain,
)
from unjit.render.captures.capture import transformed_text
from unjit.render.captures.telling import tell
from unjit.render.times.trace_events import trace_events_text

_MOST_KNOWN: Final = 4_000
_ADDRESS: Final = " 0x"  # of an object that a Term has the repr of, as of a backend without a name
_NEW: Final = Term("")
_AS_IT_IS: Final = json.JSONEncoder(ensure_ascii=False)
IN_RUN: Final = Unknown(Message("run.json has it"))


class Writer:
    """Writes one process's part of a directory."""

    def __init__(self, files: Files, stable: Stabiliser, written: dict[str, Any] | None = None) -> None:
        """`written` gets each value of the model, by the path of its file, as it would be read from there."""
        self.files = files
        self.stable = stable
        self.written = written
        self._known: dict[type[Text], dict[Text, Text | None]] = defaultdict(dict)  # most come up several times
        self._paths: dict[FilePath, str] = {}

    def write(self, capture: Capture) -> None:
        """All that is known at the end."""
        assert capture.run is not None, "it is this run"
        steady, index = stable(capture), Indexing(self.files.read)
        tell(steady, self, index)
        self.write_rest(steady, index, capture.run.compiles)

    def take_compile(self, compile_: CapturedCompile, entries: tuple[Entry, ...]) -> None:
        """Write a compile with its entries, as a listener; the ids are those that are the same in each run."""
        self.write_compile(compile_)
        for entry in entries:
            self.write_entry(entry, compile_.path)

    def take_function(self, rest: Function) -> None:
        """Write a function, and the entries that no compile made."""
        for number, entry in enumerate(rest.entries):
            self.write_entry(entry, layout.other_entry_folder(rest.key, number))
        self.write_outline(replace(rest, entries=(), compiles=()))

    def write_rest(self, capture: Capture, index: Indexing, compiles: Sequence[CompileRun]) -> None:
        """What belongs to no function. `compiles` are those of the run, in the order in which they began.

        The index comes last, so that whoever sees it sees the rest.
        """
        for file, path in source_paths(capture).items():
            self.files.write(path, next(one.text for one in capture.sources if one.file == file))
        assert capture.run is not None, "it is this run"
        self.write_run(capture.run, compiles)
        self.files.write_pieces(layout.TRACE, functools.partial(trace_events_text, capture.run, compiles))
        self._write_index(capture, index)

    def write_run(self, run: Run, compiles: Iterable[CompileRun]) -> None:
        """What is different in each run; `compiles` stand for those of `run`."""
        alone = to_plain(replace(run, compiles=()))
        data = {"schema": SCHEMA_VERSION, **alone}
        self.files.write_pieces(
            layout.RUN, lambda: _json({**data, "compiles": map(to_plain, compiles)}, _AS_IT_IS.encode)
        )

    def write_compile(self, compile_: CapturedCompile) -> None:
        """One compile's data: its texts are in files of their own."""
        steady = replace(compile_, compile=without_time(compile_.compile))
        self._write_data(f"{compile_.path}/{layout.COMPILE}", steady)

    def write_outline(self, function: Function) -> None:
        """What is known of a function at its first compile, for the case that nothing more will."""
        self._write_data(f"{layout.function_folder(function.key)}/{layout.FUNCTION}", function)

    def write_entry(self, entry: Entry, folder: str) -> None:
        """An entry's data, and its code as source, if nobody has written that since the compile."""
        self._write_data(f"{folder}/{layout.ENTRY}", entry)
        path = f"{folder}/{layout.TRANSFORMED}"
        if not isinstance(entry.code, Unknown) and self.files.read(path) is None:
            self.files.write(path, self.stable.text(transformed_text(entry.code)))

    def write_index(self, capture: Capture) -> None:
        """The two files to begin with, again or before there is anything else."""
        steady, index = stable(capture), Indexing(self.files.read)
        tell(steady, index)
        self._write_index(steady, index)

    def _write_index(self, capture: Capture, index: Indexing) -> None:
        self._write_data(layout.INDEX, index.data(capture))
        pieces = functools.partial(index.pieces, capture)
        self.files.write_pieces(layout.INDEX_TEXT, lambda: map(self.stable.value, pieces()))  # recompiles quote sets

    def _write_data(self, path: str, value: Any) -> None:
        steady = mapped(value, self._text)
        if self.written is not None:
            self.written[path] = steady
        encoder = json.JSONEncoder(ensure_ascii=False, check_circular=False, default=self._fields)
        self.files.write(path, "".join(_json({"schema": SCHEMA_VERSION, **self._fields(steady)}, encoder.encode)))

    def _fields(self, value: Any) -> dict[str, Any]:
        """One level of a value as it is written: paths are abbreviated."""
        found = fields_of(value)
        for name in _paths_in(value.__class__):
            path = found[name]
            found[name] = self._path(path) if isinstance(path, FilePath) else path
        return found

    def _path(self, path: FilePath) -> str:
        """A path with its folder abbreviated; there are few, and many places."""
        known = self._paths.get(path)
        if known is None:
            known = self._paths[path] = self.stable.path(path)
        return known

    def _text(self, text: Text) -> Text:
        """A string of the model as it will be read again; itself if that makes no difference."""
        kind = text.__class__
        if kind is UserSource or (kind is Term and _ADDRESS not in text):  # they are the same in each run
            return text
        known = self._known[kind]
        steady = known.get(text, _NEW)
        if steady is _NEW:
            if len(known) >= _MOST_KNOWN:
                known.clear()
            made = kind(self._steady(text))
            known[text] = steady = None if made == text else made
        return text if steady is None else steady

    def _steady(self, text: Text) -> str:
        """What becomes of a string of the model that may be another in each run."""
        if isinstance(text, FilePath):
            return self.stable.full(self._path(text))
        if isinstance(text, (Expression, Generated)):
            return self.stable.guards(text)
        if isinstance(text, Constant):
            return self.stable.value(text)
        return self.stable.text(text)


def without_time(compile_: Compile) -> Compile:
    """A compile without what differs from run to run."""
    return replace(compile_, seconds=IN_RUN)


@functools.cache
def _paths_in(kind: Any) -> tuple[str, ...]:
    """The fields of a class of the model that hold paths."""
    return tuple(
        name for name, hint in field_types(kind).items() if hint is FilePath or FilePath in typing.get_args(hint)
    )


def _json(data: dict[str, Any], encode: Callable[[Any], str]) -> Iterator[str]:
    """JSON with a line for each field, and for each item of a list: lines for `diff`, at the speed of json without.

    In pieces: what a list would have may come from an iterator.
    """
    before = "{\n"
    for name, value in data.items():
        yield f"{before} {encode(name)}: "
        yield from _items(value, encode) if isinstance(value, (list, tuple, Iterator)) else (encode(value),)
        before = ",\n"
    yield "\n}\n"


def _items(items: Iterable[Any], encode: Callable[[Any], str]) -> Iterator[str]:
    before = "[\n"
    for item in items:
        yield f"{before}  {encode(item)}"
        before = ",\n"
    yield "[]" if before == "[\n" else "\n ]"
