"""The directory of a capture back to the model."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeVar

from unjit.directory import layout
from unjit.directory.files import DiskFiles, Files
from unjit.directory.numbering import Ids, stable_ids
from unjit.directory.stable import Stabiliser
from unjit.errors import BadDirectory
from unjit.model import (
    IN_FILE,
    SCHEMA_VERSION,
    Artifact,
    Capture,
    CapturedCompile,
    Entry,
    FilePath,
    Function,
    Generated,
    Index,
    Listing,
    Maybe,
    Message,
    Name,
    Place,
    Report,
    Run,
    Status,
    Term,
    Text,
    Unknown,
    UserSource,
    from_plain,
)
from unjit.model.places import UNNAMED

if TYPE_CHECKING:
    from unjit.model import Ranks

T = TypeVar("T")
_NOT_WRITTEN = Unknown(Message("the file is gone, or could not be written"))
GONE = "is gone from the directory, or cannot be read"
_DAMAGED = "if it was damaged, remove it, and the rest is read without it, or make the capture once more"
_CUT_OFF = "the compile had not ended, or it could not be written"
_WHICH = "give one that `unjit run --out` or `unjit.capture` wrote, or that `unjit ingest` made from a log"
_MOST_TEXTS = 20  # that are gone: who removed a directory need not read of all
_UNFINISHED = Message("the capture ended without a word: what is known at the end of a run is missing")


def read_capture(files: Files, where: str, written: Mapping[str, Any] | None = None) -> Capture:
    """The capture in these files; BadDirectory if there is none, or one of another schema.

    `written` has values of files by their paths, as who has just written them knows them: those are not read again.
    """
    index = _index(files, where)
    reader = _Reader(files, where, written or {})
    if index is None and not files.folders(layout.FUNCTIONS):
        return reader.of_others()
    return reader.finished(index) if index is not None and index["finished"] else reader.unfinished(index)


def _index(files: Files, where: str) -> dict[str, Any] | None:
    data = _read(files, layout.INDEX, where)
    try:
        return None if data is None or from_plain(Index, data) is None else data
    except (ValueError, TypeError) as error:
        raise BadDirectory(f"{where}/{layout.INDEX} does not fit the schema: {error}; {_DAMAGED}") from None


def read_ranks(files: Files, where: str) -> Ranks | None:
    """What `unjit merge` wrote about the ranks in these files; None if it did not. BadDirectory if it does not fit."""
    from unjit.model import Ranks

    data = _read(files, layout.RANKS, where)
    try:
        return None if data is None else from_plain(Ranks, data)
    except (ValueError, TypeError) as error:
        raise BadDirectory(f"{where}/{layout.RANKS} does not fit the schema: {error}; {_DAMAGED}") from None


def read_compile(files: Files, path: str, where: str) -> CapturedCompile | None:
    """One compile of a capture that need not have ended, by its folder; None if it is not there."""
    return _Reader(files, where, {}).compile(path)


def _read(files: Files, path: str, where: str) -> dict[str, Any] | None:
    text = files.read(path)
    if text is None:
        return None
    try:
        data: Any = json.loads(text)
    except ValueError as error:
        raise BadDirectory(f"{where}/{path} is no JSON: {error}; {_DAMAGED}") from None
    schema = data.pop("schema", None) if isinstance(data, dict) else None
    if schema != SCHEMA_VERSION:
        raise BadDirectory(f"{where}/{path} {_of_another_schema(schema)}")
    assert isinstance(data, dict), "it names its schema"
    return data


def _of_another_schema(schema: object) -> str:
    """What is wrong with such a file, and what can be done about it."""
    if not isinstance(schema, int):
        return f"is not of a capture: it names no schema; {_DAMAGED}"
    if schema > SCHEMA_VERSION:
        return f"is of schema {schema}, and this unjit reads schema {SCHEMA_VERSION}: read it with a newer unjit"
    made_anew = "make the capture once more, or read it with the unjit that wrote it"
    return f"is of schema {schema}, of an older unjit, and this one reads schema {SCHEMA_VERSION}: {made_anew}"


class _Reader:
    """One reading of a directory."""

    def __init__(self, files: Files, where: str, written: Mapping[str, Any]) -> None:
        self.files = files
        self.where = where
        self.written = written
        self.entries: dict[str, dict[str, Entry | None]] = {}  # of each function, by their folders
        self.losses: list[Message] = []  # what the index tells of and is not there
        self.run = self.model(Run, layout.RUN, None)
        self.stable = Stabiliser(self.run.folders if self.run else ())

    def finished(self, index: Mapping[str, Any]) -> Capture:
        """A capture that was written to its end."""
        paths = [path for listed in index["functions"] for path in listed["compiles"]]
        keys = [listed["key"] for listed in index["functions"]]
        found, ids = self.compiles(paths, keys)
        functions = {key: self.function(key, found, ids) for key in keys}
        gone = sorted(set(paths) - {one.path for one in found}, key=paths.index)
        gone += [layout.function_folder(key) for key, one in functions.items() if one is None]
        gone += [path for key in keys for path in self.entries_gone(key)]
        gone += [text.path for one in found for text in one.artifacts if text.text == _NOT_WRITTEN][:_MOST_TEXTS]
        gone += [] if self.run else [layout.RUN]
        self.losses = [Message(f"{path} {GONE}") for path in gone]
        return self.capture(index, tuple(one for one in functions.values() if one is not None), found, self.run)

    def of_others(self) -> Capture:
        """The top of a directory in which no process but those below wrote, as ranks do: it has nothing of its own."""
        processes = self.files.folders(layout.PROCESSES)
        if not processes and isinstance(self.files, DiskFiles) and not self.files.top.exists():
            raise BadDirectory(f"there is no directory {self.where}: {_WHICH}")
        if not processes:
            raise BadDirectory(f"{self.where} holds no capture, as it has no {layout.INDEX}: {_WHICH}")
        first = _read(self.files, f"{layout.PROCESSES}/{processes[0]}/{layout.INDEX}", self.where) or {}
        versions: dict[str, Any] = {name: first[name] for name in ("torch", "python") if name in first}
        return self.capture({"finished": True, **versions}, (), (), self.run)

    def unfinished(self, index: Mapping[str, Any] | None) -> Capture:
        """What a process left that was killed, or that is still running: the compiles that had ended."""
        listed = [one["key"] for one in (index or {}).get("functions", ())]
        keys = [*listed, *(key for key in self.files.folders(layout.FUNCTIONS) if key not in listed)]
        paths = [
            f"{layout.function_folder(key)}/{name}"
            for key in keys
            for name in self.files.folders(layout.function_folder(key))
            if name.startswith("compile_")
        ]
        found, ids = self.compiles(paths, listed)
        unended = sorted(set(paths) - {one.path for one in found}, key=paths.index)
        self.losses = [Message(f"{path} has no {layout.COMPILE}: {_CUT_OFF}") for path in unended]
        functions = tuple(self.function(key, found, ids) or _from_compiles(key, found) for key in keys)
        return self.capture(index or {}, functions, found, self.run)

    def capture(
        self,
        index: Mapping[str, Any],
        functions: tuple[Function, ...],
        compiles: tuple[CapturedCompile, ...],
        run: Run | None,
    ) -> Capture:
        """The parts put together."""
        finished = bool(index.get("finished"))
        losses = [*(Message(loss) for loss in index.get("losses", ())), *self.losses]
        report = Report(
            reader="events",
            torch_version=Term(index.get("torch", "unknown")),
            python_version=Term(index.get("python", "unknown")),
            roots=tuple(Name(key) for key in index.get("roots", ())),
            functions=functions,
            losses=tuple(dict.fromkeys(losses if finished else [*losses, _UNFINISHED])),
        )
        left_out = tuple(Message(text) for text in index.get("left_out", ()))
        processes = tuple(Term(name) for name in self.files.folders(layout.PROCESSES))
        listed = index.get("sources", ())
        found = tuple(source for one in listed if (source := self.source(one["file"], one["path"])) is not None)
        outside = tuple(Term(path) for path in index.get("outside", ()))
        return Capture(finished, report, compiles, left_out, run, processes, found, outside)

    def compiles(self, paths: list[str], keys: list[Name]) -> tuple[tuple[CapturedCompile, ...], Ids]:
        """The compiles in these folders with torch's own ids, and these ids by those that are in the files.

        `keys` are the functions of the index. Without them it was written before there was anything to number, and
        what is in the files is torch's own, as is what a compile says of itself that ended after the index was written.
        """
        found = [one for one in map(self.compile, paths) if one is not None]
        ids = stable_ids(keys, found, self.run).inverse() if keys else Ids({})
        told = {one.path for one in (self.run.compiles if self.run and keys else ())}
        return tuple(ids.in_compile(one) if one.path in told else one for one in found), ids

    def source(self, file: str, path: str) -> Listing | None:
        """A file of the user's program; None where it is gone."""
        text = self.files.read(path)
        return None if text is None else Listing(FilePath(self.stable.full(file)), 1, UserSource(text))

    def compile(self, path: str) -> CapturedCompile | None:
        """One compile, with its texts."""
        found = self.model(CapturedCompile, f"{path}/{layout.COMPILE}", self.text)
        if found is None:
            return None
        timed = replace(found.compile, seconds=self.seconds(path))
        return replace(found, compile=timed, artifacts=tuple(map(self.artifact, found.artifacts)))

    def artifact(self, artifact: Artifact) -> Artifact:
        """The artifact with its text, where that was kept."""
        if isinstance(artifact.text, Unknown) and artifact.text != IN_FILE:
            return artifact
        text = self.files.read(artifact.path)
        return replace(artifact, text=_NOT_WRITTEN if text is None else Generated(text))

    def seconds(self, path: str) -> Maybe[float]:
        """How long a compile took."""
        found = [one.seconds for one in (self.run.compiles if self.run else ()) if one.path == path]
        return found[0] if found else Unknown(Message("run.json does not say"))

    def function(self, key: str, compiles: Sequence[CapturedCompile], ids: Ids) -> Function | None:
        """A function with its entries and compiles."""
        folder = layout.function_folder(key)
        found = self.model(Function, f"{folder}/{layout.FUNCTION}", self.text)
        if found is None:
            return None
        folders = [f"{folder}/{name}" for name in self.files.folders(folder)]
        entries = {one: self.model(Entry, f"{one}/{layout.ENTRY}", self.text) for one in folders}
        self.entries[key] = entries
        own = tuple(one.compile for one in compiles if one.function == key)
        own_ids = (ids.in_entry(entry) for entry in entries.values() if entry is not None)
        kept = sorted(own_ids, key=lambda entry: entry.index)
        known = found.compiles if isinstance(found.compiles, Unknown) else own
        return replace(found, status=ids.in_status(found.status), entries=tuple(kept), compiles=known)

    def entries_gone(self, key: str) -> Iterator[str]:
        """The files of entries of which only the other one is left: code is written beside the data of each."""
        for folder, entry in self.entries.get(key, {}).items():
            code = self.files.read(f"{folder}/{layout.TRANSFORMED}")
            if entry is None and code is not None:
                yield f"{folder}/{layout.ENTRY}"
            if entry is not None and code is None and not isinstance(entry.code, Unknown):
                yield f"{folder}/{layout.TRANSFORMED}"

    def model(self, kind: type[T], path: str, text: Any) -> T | None:
        """One value of the model from its file; None if the file is not there."""
        if path in self.written:
            known = self.written[path]
            assert isinstance(known, kind)
            return known
        data = _read(self.files, path, self.where)
        if data is None:
            return None
        try:
            value = from_plain(kind, data, text)
        except (ValueError, TypeError) as error:
            raise BadDirectory(f"{self.where}/{path} does not fit the schema: {error}; {_DAMAGED}") from None
        assert isinstance(value, kind)
        return value

    def text(self, text: Text) -> Text:
        """Paths as they are on the machine on which the program ran."""
        return FilePath(self.stable.full(text)) if isinstance(text, FilePath) else text


def _from_compiles(key: str, compiles: tuple[CapturedCompile, ...]) -> Function:
    """What can be said of a function by its compiles alone."""
    unknown = Unknown(_UNFINISHED)
    return Function(
        key=Name(key),
        qualname=Name(key),
        place=Place(UNNAMED, unknown, unknown, unknown),
        status=Status(unknown, _UNFINISHED, None),
        resume=None,
        entries=(),
        compiles=tuple(one.compile for one in compiles if one.function == key),
    )
