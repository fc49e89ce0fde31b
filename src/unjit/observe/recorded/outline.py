"""A function known only by its compiles: its name and where it is."""

from __future__ import annotations

from unjit.bytecode import Definition
from unjit.model import FilePath, Function, Message, Name, Place, ResumePoint, Status, Unknown
from unjit.model.places import UNNAMED
from unjit.observe.listening.recorded_compile import RecordedCompile
from unjit.torch_private.cache.resumes import RESUME_NAME

_NOT_TOLD = Unknown(Message("torch's trace does not tell which function this is"))
_NOT_ENDED = Unknown(Message("what is known at the end of a run is missing"))


def read_outline(key: Name, recorded: RecordedCompile) -> Function:
    """What one compile tells of its function."""
    return outline(key, recorded.definition, _NOT_ENDED)


def outline(key: Name, definition: Definition | None, rest: Unknown) -> Function:
    """A function, with its definition if any compile got so far; `rest` is why no more is known."""
    name = key if definition is None else definition.name
    resume = RESUME_NAME.fullmatch(name)
    return Function(
        key=key,
        qualname=Name(name),
        place=Place(UNNAMED, _NOT_TOLD, _NOT_TOLD, rest) if definition is None else _place(definition, rest),
        status=Status(rest, None, None),
        resume=ResumePoint(Name(resume["of"]), (), rest, rest, rest, rest) if resume else None,
        entries=(),
        compiles=(),
    )


def _place(definition: Definition, rest: Unknown) -> Place:
    return Place(FilePath(definition.file), definition.line, Name(definition.name), rest)
