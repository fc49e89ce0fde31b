"""One test as a capture in memory, which is read only if the test fails. Nothing here raises into the test run."""

from __future__ import annotations

import re
from pathlib import Path

from unjit.capturing.session import Recording
from unjit.directory.files import DiskFiles, MemoryFiles
from unjit.model.words.wording import in_words
from unjit.render.captures.run import overview


def destination(directory: str, start: Path, *, alone: bool) -> Path:
    """The folder for captures; ValueError if an older run has left something there."""
    folder = start / directory
    if alone and folder.is_dir() and any(folder.iterdir()):
        raise ValueError(f"{folder} is not empty: give another directory, or remove it")
    return folder


def folder_name(test: str) -> str:
    """A test's name as the name of a folder: `tests/test_a.py::test_b[1-x]` is `tests.test_a.test_b_1-x_`."""
    return re.sub(r"[^\w.-]", "_", test.replace(".py", "").replace("::", ".").replace("/", "."))[:200]


class Watch:
    """What torch.compile does from `begin` to `end`."""

    def __init__(self, test: str, folder: object) -> None:
        self._folder = folder / folder_name(test) if isinstance(folder, Path) else None
        self._recording: Recording | None = None
        self._failed: list[str] = []

    def begin(self) -> None:
        """Record from here on."""
        try:
            self._recording = Recording(None)
            self._recording.begin()
        except Exception as error:
            self._failed.append(f"nothing was recorded: {in_words(error)}")

    def end(self) -> None:
        """Stop recording."""
        try:
            if self._recording is not None:
                self._recording.stop()
        except Exception as error:
            self._failed.append(in_words(error))

    def read(self) -> str:
        """What is known by now, as text; where captures are kept, also as files."""
        try:
            return "\n".join([*self._text(), *(f"unjit failed: {failure}" for failure in self._failed)])
        except Exception as error:
            return f"unjit failed: {in_words(error)}"

    def _text(self) -> list[str]:
        if self._recording is None:
            return []
        report = self._recording.finish()
        if report is None or not (report.functions or report.losses):
            return ["nothing was compiled"]
        return [*overview(report), *self._keep(self._recording)]

    def _keep(self, recording: Recording) -> list[str]:
        if self._folder is None:
            return []
        kept = DiskFiles(self._folder)
        assert isinstance(recording.files, MemoryFiles), "a recording without a folder"
        recording.files.copy_to(kept)
        return [f"everything that torch made: {self._folder}/index.md", *kept.losses]
