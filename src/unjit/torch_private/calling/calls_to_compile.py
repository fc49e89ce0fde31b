"""Who called what is being compiled: the frames of this thread, without those of the compile itself."""

from __future__ import annotations

import itertools
import os
import sys
from dataclasses import dataclass
from pathlib import Path
from types import FrameType

from unjit.torch_private.calling.frames import frame_of, outward
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
    torch, found = folder_of_torch(home), []
    for frame in outward(_loading() or _outside_of(home)):
        code = frame.f_code
        found.append(Calling(code.co_filename, frame.f_lineno, code.co_name, code.co_filename.startswith(torch)))
    return tuple(reversed(found))


def _loading() -> FrameType | None:
    """The frame in which torch loads what was compiled before: Python's own frames stand between it and the compile."""
    return frame_of(probes.INSTALL_FRAME.get())


def _outside_of(home: str) -> FrameType | None:
    """The frame that called into the innermost ones of a file."""
    at_home = itertools.dropwhile(lambda frame: frame.f_code.co_filename != home, outward(sys._getframe()))
    return next((frame for frame in at_home if frame.f_code.co_filename != home), None)


def _home_of_compiling() -> str:
    """The file of torch's in which compiles begin."""
    compiler = probes.COMPILE_FRAME.get()
    return getattr(getattr(compiler, "__code__", None), "co_filename", "")


def folder_of_torch(home: str) -> str:
    """The folder in which all of torch is, with a separator at its end, by the file in which compiles begin."""
    return f"{Path(home).parent.parent}{os.sep}"
