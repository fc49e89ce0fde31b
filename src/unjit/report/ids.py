"""The names that parts of the page, and links to it, have for what a capture holds.

    function   toy
    compile    toy/0                        the how many-th compile of this function
    entry      toy/entry_0                  by the order in which entries are tried
    guard      toy/entry_0/7                by the order of `Guards`
    text       toy/0/captured               an artifact of a compile
    node       toy/0/captured/add
    buffer     toy/0/forward/buf0
    kernel     toy/0/forward/cpp_fused_add_0
    line       train.py:12                  a line of the user's program

They are the same in each run of the same program.
"""

from __future__ import annotations

from pathlib import PurePosixPath

from unjit.model import Capture, CapturedCompile, Entry, Function, Kernel, Place, Unknown


class Ids:
    """The ids of one capture. Files have the shortest end of their path that no other file has."""

    def __init__(self, capture: Capture) -> None:
        self._labels: dict[str, str] = {}
        for function in capture.report.functions:
            self.file(function.place.file)

    def file(self, path: str) -> str:
        """The label of a file."""
        found = self._labels.get(path)
        if found is None:
            parts = PurePosixPath(path.replace("\\", "/")).parts or (path,)
            ends = ("/".join(parts[-count:]).lstrip("/") for count in range(1, len(parts) + 1))
            found = next((end for end in ends if end not in self._labels.values()), path)
            self._labels[path] = found
        return found

    def line(self, place: Place) -> str | None:
        """A line of the user's program; None where the line is unknown."""
        return None if isinstance(place.line, Unknown) else f"{self.file(place.file)}:{place.line}"

    @staticmethod
    def function(function: Function) -> str:
        return str(function.key)

    @staticmethod
    def compile(compile_: CapturedCompile) -> str:
        return f"{compile_.function}/{compile_.number}"

    @staticmethod
    def entry(function: Function, entry: Entry) -> str:
        return f"{function.key}/entry_{entry.index}"

    @staticmethod
    def guard(function: Function, entry: Entry, number: int) -> str:
        return f"{function.key}/entry_{entry.index}/{number}"

    @staticmethod
    def text(compile_: CapturedCompile, artifact: str) -> str:
        return f"{compile_.function}/{compile_.number}/{artifact}"

    @staticmethod
    def node(compile_: CapturedCompile, artifact: str, name: str) -> str:
        return f"{compile_.function}/{compile_.number}/{artifact}/{name}"

    @staticmethod
    def buffer(compile_: CapturedCompile, half: str, name: str) -> str:
        return f"{compile_.function}/{compile_.number}/{half}/{name}"

    @staticmethod
    def kernel(compile_: CapturedCompile, kernel: Kernel) -> str:
        return f"{compile_.function}/{compile_.number}/{kernel.half}/{kernel.name}"
