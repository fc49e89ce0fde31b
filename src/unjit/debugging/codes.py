"""Generated code on pages of ours, and the graphs that it calls."""

from __future__ import annotations

import sys
import weakref
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

from unjit.debugging.folder import Folder, Stop
from unjit.debugging.graphs import Graphs
from unjit.debugging.stages import ReadableStage, Stages
from unjit.directory import layout
from unjit.model.words.wording import in_words
from unjit.observe.functions.names import identifier, unused
from unjit.pages import code_page
from unjit.torch_private.compiled_graphs.graphs import names_of_graphs
from unjit.torch_private.compiled_graphs.running import what_runs


@dataclass
class _Call:
    """A compiled graph that generated code calls."""

    name: str  # of the global
    folder: str  # of its pages
    what: str
    compiled: Callable[[], Any] = lambda: None  # what the global has held while a part was missing, weakly


class Codes:
    """Puts generated code on pages, and the graphs that it calls as they become known."""

    def __init__(self, folder: Folder, stage: ReadableStage | None, tell: Callable[[object], None]) -> None:
        self._folder = folder
        self._keys: dict[int, str] = {}
        self._originals: list[CodeType] = []  # keeps the identities in `_keys` those of these
        self._open: dict[str, _Call] = {}  # graphs of which a part is still to be compiled
        self._graphs = Graphs(folder)
        self._stages = None if stage is None else Stages(stage, self._graphs, tell)

    def key_of(self, original: CodeType) -> str:
        """The name of a function, which is that of its folder."""
        if id(original) not in self._keys:
            self._keys[id(original)] = unused(identifier(original), self._keys.values())
            self._originals.append(original)
        return self._keys[id(original)]

    def place(
        self, original: CodeType, generated: CodeType, compile_id: object, *, older: bool = False
    ) -> tuple[CodeType, Stop]:
        """The generated code on a page of its own, and where to stop on it; `older` than the block that it is for."""
        key = self.key_of(original)
        word = "older entry" if older else "compile"
        number = self._folder.number(f"{word} of {key}")
        folder = layout.other_entry_folder(key, number) if older else layout.compile_folder(key, number)
        what = f"{key}, {word} {number}"
        user = f"{original.co_name} at {original.co_filename}:{original.co_firstlineno}"
        page = code_page(generated, [f"{what}: runs in place of {user} (compile {compile_id})"], runs_from_here=True)
        file = self._folder.file(folder, layout.TRANSFORMED)
        self._folder.write(file, page.text)
        for index, name in enumerate(names_of_graphs(generated)):
            part = f"graph_{index + 1}" if index else ""
            self._open[name] = _Call(name, f"{folder}/{part}".rstrip("/"), f"{what} {part}".rstrip())
        return page.on(generated, file), Stop(what, file, page.body_line)

    def restore(self) -> None:
        """Graphs as they were before; generated code stays on its page."""
        try:
            if self._stages is not None:
                self._stages.restore()
        finally:
            self._graphs.restore()

    def place_graphs(self, scope: dict[str, Any] | None = None) -> Iterator[Stop | str]:
        """Put on pages what has come to run since this was last asked, and tell what runs as it is, and why.

        `scope` are the globals to look in first: those of code that was executed by hand belong to no module.
        """
        for call in list(self._open.values()):
            try:
                yield from self._place_graph(call, scope)
            except Exception as error:  # the other graphs have theirs all the same
                self._open.pop(call.name, None)
                yield f"{call.what}: a graph has no file: {in_words(error)}"

    def _place_graph(self, call: _Call, scope: dict[str, Any] | None) -> Iterator[Stop | str]:
        found = _globals_with(call.name, scope)
        if found is not None and self._stages is not None:
            self._open.pop(call.name, None)
            reason = self._stages.exchange(found, call.name, call.folder, call.what)
            yield from [] if reason is None else [reason]
            return
        compiled = call.compiled() if found is None else found[call.name]
        if compiled is None:
            return
        running, unfinished = what_runs(call.name, compiled)
        if not (running or unfinished):
            yield f"{call.what}: its graph has no file: what the backend made of it is neither a graph nor Inductor's"
        for part in running:
            yield from self._graphs.place(part, call.folder, call.what)
        if unfinished:
            call.compiled = weakref.ref(compiled)  # the backward is compiled when nobody tells the globals
        else:
            self._open.pop(call.name, None)


def _globals_with(name: str, scope: dict[str, Any] | None) -> dict[str, Any] | None:
    """The globals that have a name which Dynamo made, and which occurs once in a process; None if no module has it."""
    modules = (getattr(module, "__dict__", {}) for module in list(sys.modules.values()))
    return next((found for found in (scope or {}, *modules) if name in found), None)
