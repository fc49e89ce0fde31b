"""What a resume function continues: which function, from which line, with which values on the stack and in locals."""

from __future__ import annotations

import re
from types import CodeType

from unjit.bytecode import decode
from unjit.decompiler import Decompiled, decompile
from unjit.model import Expression, Maybe, Message, Name, Place, ResumePoint, StackValue, Unknown, known_or
from unjit.observe.faults import known
from unjit.observe.functions.sources import listing, place_at, qualname
from unjit.torch_private.cache.resumes import (
    LINE_IN_NAME,
    NAME_PREFIX,
    RawResume,
    arguments_in,
    broke_at,
    resume_of,
    stack_argument,
)

_EXIT = re.compile(r"<exit of (.*)>", re.DOTALL)  # in its place a resume function gets what it enters the context by
_NO_TEXT = "<value>"  # what the decompiler says of a value that is no expression


class Originals:
    """The functions that resume functions go on with, each decompiled once."""

    def __init__(self) -> None:
        self._known: dict[int, Decompiled] = {}  # by the identity of the code, which the answer keeps alive

    def stack_at(self, original: CodeType, offset: int) -> tuple[str, ...]:
        """What lies on the stack of a function before an instruction. Raises what the decompiler raises."""
        if id(original) not in self._known:
            self._known[id(original)] = decompile(original)
        return self._known[id(original)].stack_at(offset)


def read_resume(code: CodeType, global_names: tuple[str, ...], originals: Originals) -> ResumePoint:
    """Everything that tells the user where and with what this resume function begins."""
    found = known("it", resume_of, code)
    raw = RawResume.unread(code, found) if isinstance(found, Unknown) else found
    original = raw.original
    return ResumePoint(
        of=Name(_name_of_original(raw)),
        global_names=tuple(Name(name) for name in global_names),
        place=_place(raw),
        source=original if isinstance(original, Unknown) else listing(original),
        stack=_stack(raw, originals),
        locals=_locals(raw),
    )


def unread_resume(code: CodeType, why: Unknown) -> ResumePoint:
    """A resume function that could not be read: what its name tells, and `why` there is no more."""
    return ResumePoint(Name(_name_of_original(RawResume.unread(code, why))), (), why, why, why, why)


def _name_of_original(raw: RawResume) -> str:
    if isinstance(raw.original, CodeType):
        return qualname(raw.original)
    return LINE_IN_NAME.sub("", raw.code.co_name).removeprefix(NAME_PREFIX)


def _place(raw: RawResume) -> Maybe[Place]:
    if isinstance(raw.line, Unknown):
        return Unknown(Message(f"{raw.line.reason}; the function was left at line {broke_at(raw.code)}"))
    return place_at(raw.code.co_filename, raw.line, _name_of_original(raw))


def _stack(raw: RawResume, originals: Originals) -> Maybe[tuple[StackValue, ...]]:
    size = known_or(raw.stack_size, len(arguments_in(raw.code)[0]))
    expressions = _expressions_on_stack(raw, size, originals)
    return tuple(
        StackValue(Name(stack_argument(index)), expressions if isinstance(expressions, Unknown) else expressions[index])
        for index in range(size)
    )


def _expressions_on_stack(raw: RawResume, size: int, originals: Originals) -> Maybe[tuple[Expression, ...]]:
    """What the values on the stack are in the user's source: only if each slot is accounted for."""
    if not size:
        return ()
    if not isinstance(raw.original, CodeType) or not isinstance(raw.offset, int):
        return Unknown(Message("the instruction where it goes on is not known"))
    try:
        slots = originals.stack_at(raw.original, raw.offset)
    except Exception as error:  # a fault in the decompiler costs the expressions, not the answer
        return Unknown(Message(f"the decompiler has no expressions for this stack ({type(error).__name__})"))
    passed = [_EXIT.sub(r"<enters \1 again>", slot) for slot in slots if slot != "NULL"]
    if passed and passed[-1] == _NO_TEXT:
        passed[-1] = _stored_in(raw.original, raw.offset) or _NO_TEXT
    if len(passed) != size:
        return Unknown(Message(f"the stack has {len(passed)} slots there, of which {size} are passed on"))
    return tuple(Expression(slot) for slot in passed)


def _stored_in(original: CodeType, offset: int) -> str | None:
    """The variable that the value on top goes into: of a choice, whose arms meet there, nothing else tells it."""
    following = next((instr for instr in decode(original) if instr.offset == offset), None)
    stores = following is not None and following.op in ("STORE_FAST", "STORE_DEREF", "STORE_GLOBAL")
    return str(following.value) if stores and following is not None else None


def _locals(raw: RawResume) -> Maybe[tuple[Name, ...]]:
    names = known_or(raw.arguments, arguments_in(raw.code)[1])
    return tuple(Name(name) for name in (*names, *raw.code.co_freevars))
