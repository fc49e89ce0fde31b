"""A capture into files: the data beside the texts that were written while the program ran."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any, Final

from unjit.directory import layout
from unjit.directory.files import Files
from unjit.directory.numbering import stable_ids, with_ids
from unjit.directory.stable import Stabiliser
from unjit.model import (
    SCHEMA_VERSION,
    Capture,
    CapturedCompile,
    Compile,
    Constant,
    Entry,
    Expression,
    FilePath,
    Function,
    Generated,
    Index,
    ListedFunction,
    ListedSource,
    Message,
    Run,
    Term,
    Text,
    Unknown,
    UserSource,
    to_plain,
)
from unjit.render.capture import index_text, transformed_text
from unjit.render.trace_events import trace_events_text

IN_RUN: Final = Unknown(Message("run.json has it"))


class Writer:
    """Writes one process's part of a directory."""

    def __init__(self, files: Files, stable: Stabiliser) -> None:
        self.files = files
        self.stable = stable
        self._known: dict[tuple[type[Text], Text], str] = {}  # most strings come up several times

    def write(self, capture: Capture) -> None:
        """All that is known at the end; the index comes last, so that who sees it sees the rest."""
        steady = with_ids(capture, stable_ids(capture))
        for function in steady.report.functions:
            self.write_function(function, steady)
        for compile_ in steady.compiles:
            self.write_compile(compile_)
        for file, path in source_paths(steady).items():
            self.files.write(path, next(one.text for one in steady.sources if one.file == file))
        assert capture.run is not None, "it is this run"
        self.write_run(capture.run)
        self.files.write(layout.TRACE, trace_events_text(capture.run))
        self.write_index(steady)

    def write_run(self, run: Run) -> None:
        """What is different in each run."""
        self.files.write(layout.RUN, _json({"schema": SCHEMA_VERSION, **to_plain(run)}))

    def write_compile(self, compile_: CapturedCompile) -> None:
        """One compile's data: its texts are in files of their own."""
        steady = replace(compile_, compile=without_time(compile_.compile))
        self.files.write(f"{compile_.path}/{layout.COMPILE}", self._data(steady))

    def write_function(self, function: Function, capture: Capture) -> None:
        """A function's data, and that of each entry beside the compile that made it."""
        alone = replace(function, entries=(), compiles=())
        paths = {one.compile.compile_id: one.path for one in capture.compiles if one.function == function.key}
        others = 0
        for entry in function.entries:
            made_by = paths.get(entry.compile_id)
            self.write_entry(entry, made_by or layout.other_entry_folder(function.key, others))
            others += made_by is None
        self.write_outline(alone)

    def write_outline(self, function: Function) -> None:
        """What is known of a function at its first compile, for the case that nothing more will."""
        self.files.write(f"{layout.function_folder(function.key)}/{layout.FUNCTION}", self._data(function))

    def write_entry(self, entry: Entry, folder: str) -> None:
        """An entry's data, and its code as source, if nobody has written that since the compile."""
        self.files.write(f"{folder}/{layout.ENTRY}", self._data(entry))
        path = f"{folder}/{layout.TRANSFORMED}"
        if not isinstance(entry.code, Unknown) and self.files.read(path) is None:
            self.files.write(path, self.stable.text(transformed_text(entry.code)))

    def write_index(self, capture: Capture) -> None:
        """The two files to begin with."""
        self.files.write(layout.INDEX, self._data(index_of(capture)))
        self.files.write(layout.INDEX_TEXT, self.stable.value(index_text(capture)))  # recompiles quote sets

    def _data(self, value: Any) -> str:
        return _json({"schema": SCHEMA_VERSION, **to_plain(value, self._text)})

    def _text(self, text: Text) -> str:
        """A string of the model as it is written."""
        key = text.__class__, text
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = self._steady(text)
        return known

    def _steady(self, text: Text) -> str:
        """What becomes of a string of the model: words stay, paths and torch's texts become the same in each run."""
        if isinstance(text, FilePath):
            return self.stable.path(text)
        if isinstance(text, (Expression, Generated)):
            return self.stable.guards(text)
        if isinstance(text, Constant):
            return self.stable.value(text)
        return str(text) if isinstance(text, (Term, UserSource)) else self.stable.text(text)


def source_paths(capture: Capture) -> dict[FilePath, str]:
    """Where the source files of a capture are written."""
    found: dict[FilePath, str] = {}
    for one in capture.sources:
        found[one.file] = layout.source_file(one.file, found.values())
    return found


def without_time(compile_: Compile) -> Compile:
    """A compile without what differs from run to run."""
    return replace(compile_, seconds=IN_RUN)


def index_of(capture: Capture) -> Index:
    """The list of all that is in the directory of a capture."""
    report = capture.report
    return Index(
        finished=capture.finished,
        torch=report.torch_version,
        python=report.python_version,
        functions=tuple(_listed(function, capture) for function in report.functions),
        roots=report.roots,
        left_out=capture.left_out,
        losses=report.losses,
        processes=capture.processes,
        sources=tuple(ListedSource(file, Term(path)) for file, path in source_paths(capture).items()),
    )


def _listed(function: Function, capture: Capture) -> ListedFunction:
    return ListedFunction(
        key=function.key,
        qualname=function.qualname,
        path=Term(layout.function_folder(function.key)),
        compiles=tuple(one.path for one in capture.compiles if one.function == function.key),
    )


def _json(data: dict[str, Any]) -> str:
    """JSON with a line for each field, and for each item of a list: lines for `diff`, at the speed of json without."""
    return "{\n" + ",\n".join(f" {json.dumps(name)}: {_value(value)}" for name, value in data.items()) + "\n}\n"


def _value(value: Any) -> str:
    if not isinstance(value, list) or not value:
        return json.dumps(value, ensure_ascii=False)
    return "[\n" + ",\n".join(f"  {json.dumps(item, ensure_ascii=False)}" for item in value) + "\n ]"
