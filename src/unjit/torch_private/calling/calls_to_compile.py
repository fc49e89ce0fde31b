"""Who called what is being compiled: the frames of this thread, without those of the compile itself."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from unjit.model import Unknown
from unjit.torch_private.calling.frames import frame_of
from unjit.torch_private.probes import trace_probes as probes


@dataclass(frozen=True, slots=True)
class Calling:
    """A frame that was running when a compile began."""

    file: str
    line: int | None
    function: str
    of_torch: bool


def calls_to_compile() -> tuple[Calling, ...]:
    """The frames that led into the compile that is running in this thread, callers first; empty if none is running.

    torch's own record of the stack leaves some of the innermost out.
    """
    home = _home_of_compiling()
    frame = _loading() or _outside_of(home)
    torch, found = folder_of_torch(home), []
    while frame is not None:
        code = frame.f_code
        found.append(Calling(code.co_filename, frame.f_lineno, code.co_name, code.co_filename.startswith(torch)))
        frame = frame.f_back
    return tuple(reversed(found))


def _loading() -> FrameType | None:
    """The frame in which torch loads what was compiled before: Python's own frames stand between it and the compile."""
    loader = probes.INSTALL_FRAME.get()
    return None if isinstance(loader, Unknown) else frame_of(loader)


def _outside_of(home: str) -> FrameType | None:
    """The frame that called into the innermost ones of a file."""
    frame: FrameType | None = sys._getframe()
    while frame is not None and frame.f_code.co_filename != home:
        frame = frame.f_back
    while frame is not None and frame.f_code.co_filename == home:
        frame = frame.f_back
    return frame


def _home_of_compiling() -> str:
    """The file of torch's in which compiles begin."""
    compiler = probes.COMPILE_FRAME.get()
    return getattr(getattr(compiler, "__code__", None), "co_filename", "")


def folder_of_torch(home: str) -> str:
    """The folder in which all of torch is, with a separator at its end, by the file in which compiles begin."""
    return f"{Path(home).parent.parent}{os.sep}"
