"""How a compile is called where there are several: by the function's own name, and the number that torch gave it."""

from __future__ import annotations

from unjit.model import Capture, CapturedCompile


def title_of(compile_: CapturedCompile, capture: Capture) -> str:
    """`Net.forward 1/0`."""
    names = {str(function.key): str(function.qualname) for function in capture.report.functions}
    return f"{names.get(str(compile_.function), str(compile_.function))} {compile_.compile.compile_id}"
