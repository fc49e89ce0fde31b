"""The calls that led to a compile, from the frames that run or from torch's record of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

from unjit.capturing.reading.shapes import FileNames, place_of
from unjit.model import FilePath, Maybe, Message, Name, Place, StackFrame, Unknown
from unjit.observe.functions.sources import line_text
from unjit.torch_private.calling.calls_to_compile import Calling, calls_to_compile, folder_of_torch

# torch's record names one of them before the first compile, or before what aot_compile does after its capture
_HOMES: Final = ("/torch/_dynamo/convert_frame.py", "/torch/_dynamo/aot_compile.py")
_NOT_QUOTED: Final = Unknown(Message("torch's own lines are not quoted"))
_NO_LINE: Final = Unknown(Message("Python does not tell it"))


def live_stack() -> tuple[StackFrame, ...]:
    """The calls of this thread, callers first; empty where no compile is found among them."""
    return tuple(map(_frame, calls_to_compile()))


def _frame(call: Calling) -> StackFrame:
    quoted = _NOT_QUOTED if call.of_torch else _NO_LINE if call.line is None else line_text(call.file, call.line)
    line = _NO_LINE if call.line is None else call.line
    return StackFrame(Place(FilePath(call.file), line, Name(call.function), quoted), call.of_torch)


def recorded_stack(
    record: Sequence[Mapping[str, Any]], file_of: FileNames, files: Iterable[str]
) -> tuple[StackFrame, ...]:
    """The same from the record of a start, whose last frame is the function itself.

    Which frames are torch's is told by the names of `files`, all that the trace has named.
    """
    torch = next((folder_of_torch(name) for name in files if name.endswith(_HOMES)), None)
    places = (place_of(frame, file_of) for frame in record[:-1])
    return tuple(StackFrame(place, torch is not None and place.file.startswith(torch)) for place in places)


def entered(stack: tuple[StackFrame, ...]) -> Maybe[Place]:
    """The innermost line that is not torch's."""
    found = (frame.place for frame in reversed(stack) if not frame.of_torch)
    return next(found, Unknown(Message("torch does not say")))
