"""How a compile is called where there are several: by the function's own name, and the number that torch gave it."""

from __future__ import annotations

from unjit.model import Capture, CapturedCompile


class Titles:
    """The titles of the compiles of a capture."""

    def __init__(self, capture: Capture) -> None:
        self._functions = capture.report.by_key()

    def of(self, compile_: CapturedCompile) -> str:
        """`Net.forward 1/0`."""
        function = self._functions.get(compile_.function)
        name = compile_.function if function is None else function.qualname
        return f"{name} {compile_.compile.compile_id}"
