"""A function known only by its compiles: its name and where it is."""

from __future__ import annotations

from unjit.bytecode import Definition
from unjit.model import FilePath, Function, Message, Name, Place, ResumePoint, Status, Unknown
from unjit.observe.listening.recorded_compile import RecordedCompile
from unjit.torch_private.cache.resumes import RESUME_NAME

_NOT_ENDED = Unknown(Message("what is known at the end of a run is missing"))


def read_outline(key: Name, recorded: RecordedCompile) -> Function:
    """What one compile tells of its function."""
    return outline(key, recorded.definition, _NOT_ENDED)


def outline(key: Name, definition: Definition | None, rest: Unknown) -> Function:
    """A function, with its definition if any compile got so far; `rest` is why no more is known."""
    file, line, name = definition or ("<unknown>", 0, str(key))
    resume = RESUME_NAME.fullmatch(name)
    return Function(
        key=key,
        qualname=Name(name),
        place=Place(FilePath(file), line, Name(name), rest),
        status=Status(rest, None, None),
        resume=ResumePoint(Name(resume["of"]), (), rest, rest, rest, rest) if resume else None,
        entries=(),
        compiles=(),
    )
