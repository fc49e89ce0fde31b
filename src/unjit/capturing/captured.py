"""What a capture gives to a program: the data of one, from a session that is live or from a directory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from unjit.directory import layout
from unjit.directory.files import DiskFiles
from unjit.directory.indexing import texts_of
from unjit.directory.loader import read_capture, read_ranks
from unjit.errors import BadCall, Gone
from unjit.model import (
    Artifact,
    Capture,
    CapturedCompile,
    Function,
    Generated,
    Maybe,
    Message,
    Unknown,
    UserSource,
)
from unjit.render.captures.index import index_text
from unjit.render.forms.outline import count

if TYPE_CHECKING:
    from unjit.api.explain import Explanation
    from unjit.contents import Node
    from unjit.report.inline import Page

_NO_SOURCE = Unknown(Message("the file could not be read when it ran"))


class Captured:
    """The data of one process's capture, with names for what is asked most.

    `.data` is the whole as frozen data (`unjit.model.Capture`); `str()` is the text of index.md.
    """

    def __init__(self, data: Capture, directory: Path | None) -> None:
        self._data = data
        self.directory = directory

    @property
    def data(self) -> Capture:
        """Everything, as data."""
        return self._data

    @property
    def functions(self) -> tuple[Function, ...]:
        """The functions that Dynamo compiled or tried to, in the order of the index."""
        return self.data.report.functions

    @property
    def compiles(self) -> tuple[CapturedCompile, ...]:
        """Every compile, by function and then in the order in which they happened."""
        return self.data.compiles

    @property
    def losses(self) -> tuple[Message, ...]:
        """What could not be read or written, and why."""
        return self.data.report.losses

    def function(self, key: str) -> Function:
        """The function with this key; KeyError if there is none."""
        return self.data.report.function(key)

    def compiles_of(self, key: str) -> tuple[CapturedCompile, ...]:
        """The compiles of the function with this key, oldest first."""
        return tuple(one for one in self.compiles if one.function == key)

    def artifact(self, key: str, number: int, name: str) -> Artifact:
        """What compile `number`, from 0, of a function made under this name; KeyError if there is no such thing."""
        for one in self.compiles_of(key):
            found = one.artifact(name) if one.number == number else None
            if found is not None:
                return found
        raise KeyError(f"{key}, compile {number}, {name}")

    def text(self, key: str, number: int, name: str) -> Maybe[Generated]:
        """The text of that artifact; Unknown, with the reason, if it was left out."""
        return self.artifact(key, number, name).text

    def file(self, path: str) -> str | None:
        """The text of a file of the directory, by its path from the top; None if it is not there."""
        return None if self.directory is None else DiskFiles(self.directory).read(path)

    def source(self, key: str) -> Maybe[UserSource]:
        """The user's source of the function with this key, as it was when it ran; of resume functions none is kept."""
        text = self.file(f"{layout.function_folder(key)}/{layout.SOURCE}")
        return _NO_SOURCE if text is None else UserSource(text)

    def contents(self) -> Node:
        """All that there is to look at, as a tree: functions, compiles, code, guards, graphs, kernels."""
        from unjit.contents import of_capture

        others = {name: other.contents for name, other in self.processes.items()}
        return of_capture(self.data, lambda function: self.source(function.key), others)

    def summary(self, *, max_tokens: int = 2000) -> str:
        """The facts that matter, most important first, with file and line, for a coding assistant.

        It has at most `max_tokens` by the estimate of `unjit.render.captures.tokens`, which is rather too high than too
        low, and says what it left out. Raises BadCall below 300.
        """
        from unjit.findings import concerns
        from unjit.render.captures.brief import brief

        data = self.data
        where = "DIR" if self.directory is None else str(self.directory)
        try:
            return brief(data, concerns(data), max_tokens=max_tokens, where=where)
        except ValueError as error:
            raise BadCall(f"{error}; {max_tokens} were asked for") from None

    def report(self, path: str | os.PathLike[str] | None = None) -> Page:
        """The page about this capture, for a browser, written to `path` if one is given: a file that needs no other.

        A notebook shows it; `.html` is its text. Raises OSError if it cannot be written.
        """
        from unjit.report.inline import Page
        from unjit.report.page import report_page

        ranks = None if self.directory is None else read_ranks(DiskFiles(self.directory), str(self.directory))
        page = Page(report_page(self.data, ranks))
        if path is not None:
            page.write(path)
        return page

    def _repr_html_(self) -> str:
        return self.report()._repr_html_()

    @property
    def processes(self) -> dict[str, Captured]:
        """The captures of other processes that wrote into the same directory, by their names."""
        if self.directory is None:
            return {}
        folders = {str(name): self.directory / layout.PROCESSES / name for name in self.data.processes}
        return {name: load(folder) for name, folder in folders.items()}

    def explain(self) -> Explanation:
        """What is alive of the captured functions now; raises Gone where the program that was captured is over."""
        raise Gone(
            f"the capture in {self.directory} was loaded: it holds data, and the live functions were those of a program"
            " that is over; run the program again under unjit.capture to have them"
        )

    def __str__(self) -> str:
        return index_text(self.data, texts_of(self.file))

    def __repr__(self) -> str:
        where = "in memory" if self.directory is None else f"in {self.directory}"
        return f"<capture {where}: {count(len(self.functions), 'function')}, {count(len(self.compiles), 'compile')}>"


def load(directory: str | os.PathLike[str]) -> Captured:
    """The capture in a directory, as data; whatever would need the program that was captured raises `Gone`.

    Raises UnjitError, in one sentence, if there is no capture or one that this unjit cannot read. A capture that is
    still being written, or whose process was killed, is read as far as it goes: its `.data.finished` is False.
    """
    folder = Path(directory)
    return Captured(read_capture(DiskFiles(folder), str(folder)), folder)
