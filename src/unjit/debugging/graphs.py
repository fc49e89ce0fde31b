"""Graphs and Inductor's wrappers under files of ours, while a block lasts."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

from unjit.debugging.folder import Folder, Stop
from unjit.model import Maybe
from unjit.pages import Page, code_page, graph_page
from unjit.pages.page import below
from unjit.torch_private.compiled_graphs.graphs import readable
from unjit.torch_private.compiled_graphs.interpreted import code_that_runs_code, operators_that_interpret
from unjit.torch_private.compiled_graphs.running import Running, forward_of, subgraphs


class Graphs:
    """The functions whose code was put on pages. Their instructions stay; `restore` takes the pages away.

    What interprets a graph instead of running its code runs the code meanwhile.
    """

    def __init__(self, folder: Folder) -> None:
        self._folder = folder
        self._placed: dict[int, tuple[FunctionType, CodeType, CodeType]] = {}  # the function, its code before, and now

    def place(self, running: Running, folder: str, what: str) -> Iterator[Stop | str]:
        """Put what runs on a page in a folder; nothing where that was done before. Tells where no debugger stops."""
        title = [f"{what}, {running.stage}"]
        if running.wrapper is not None:
            file = self._folder.file(folder, f"{running.stage}_output_code.py")
            yield from self._wrapper(running.wrapper, file, title)
        else:
            file = self._folder.file(folder, f"{running.stage}.py")
            yield from self._graph(running.graph, readable(running.graph), (), file, title, running.interpreted_by)
            if running.interpreter is not None and id(running.interpreter) not in self._placed:
                self._exchange(running.interpreter, code_that_runs_code())

    def restore(self) -> None:
        """Give each function its own code back, unless somebody else has given it another."""
        for function, before, placed in self._placed.values():
            if function.__code__ is placed:
                function.__code__ = before
        self._placed.clear()

    def _graph(
        self,
        graph: Any,
        text: Maybe[str],
        inside: Sequence[str],
        file: str,
        title: Sequence[str],
        interprets: str | None = None,
    ) -> Iterator[Stop | str]:
        """A graph and those inside of it; `interprets` names what runs it node by node, if anything does."""
        function = forward_of(graph)
        if function is not None and id(function) not in self._placed:
            page = graph_page(function.__code__, graph.code, text, inside, title)
            own = file if page.shows_all else file.removesuffix(".py") + "".join(f"_{part}" for part in inside) + ".py"
            self._put(function, page, own)
            what = ", ".join([title[0], *inside])
            yield Stop(what, own, page.body_line) if interprets is None else _no_stop(what, interprets)
        operators = operators_that_interpret(graph)
        for name, inner in subgraphs(graph):
            yield from self._graph(inner, text, (*inside, name), file, title, operators.get(name))

    def _wrapper(self, function: FunctionType, file: str, title: Sequence[str]) -> Iterator[Stop]:
        code = function.__code__
        if id(function) in self._placed:
            return
        page = _wrapper_page(code, title)
        self._put(function, page, file)
        yield Stop(f"{title[0]}, Inductor's wrapper", file, page.body_line)

    def _put(self, function: FunctionType, page: Page, file: str) -> None:
        self._folder.write(file, page.text)
        self._exchange(function, page.on(function.__code__, file))

    def _exchange(self, function: FunctionType, code: CodeType) -> None:
        before, function.__code__ = function.__code__, code
        self._placed[id(function)] = (function, before, code)


def _wrapper_page(code: CodeType, title: Sequence[str]) -> Page:
    """The file that Inductor wrote; decompiled where that is gone, as when a cache was only for a while."""
    try:
        text = Path(code.co_filename).read_text(encoding="utf-8")
    except OSError:
        heading = [*title, f"Inductor's own file {code.co_filename} cannot be read"]
        return code_page(code, heading, runs_from_here=True)
    lines = {start: line for start, _, line in code.co_lines() if line is not None}
    return below([*title, f"Inductor's own file is {code.co_filename}"], text, lines, code.co_firstlineno, "as run")


def _no_stop(what: str, interprets: str) -> str:
    return f"no debugger stops in {what}, whose nodes torch runs one by one ({interprets})"
