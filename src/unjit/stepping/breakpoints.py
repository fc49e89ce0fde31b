"""Breakpoints: where to stop, whatever the plan is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from dis import opmap
from types import CodeType, FrameType
from typing import Any, Protocol

from unjit.model import known_or
from unjit.observe.functions.names import as_identifier, identifier, identifier_of_name, without_number
from unjit.observe.functions.sources import as_far_as_kept, qualname
from unjit.stepping.listing import Listing
from unjit.torch_private.cache.entries import entries_of
from unjit.torch_private.cache.history import seen_codes
from unjit.torch_private.cache.resumes import RESUME_NAME, is_resume_code


@dataclass(frozen=True)
class Arrival:
    """A frame that has come to an instruction."""

    frame: FrameType
    listing: Listing
    offset: int
    before: int | None  # the instruction that it comes from; None where it begins


class Place(Protocol):
    """Where a breakpoint lies."""

    def is_at(self, arrival: Arrival) -> bool:
        """Whether the frame has come to it."""


@dataclass(frozen=True)
class Offset:
    """One instruction."""

    code: CodeType
    offset: int

    def is_at(self, arrival: Arrival) -> bool:
        return arrival.frame.f_code is self.code and arrival.offset == self.offset

    def __str__(self) -> str:
        return f"@{self.offset} of {self.code.co_name}"


@dataclass(frozen=True)
class Line:
    """A line of one code object, to which a frame comes from another line, or from further down on it."""

    code: CodeType
    line: int

    def is_at(self, arrival: Arrival) -> bool:
        lines, before = arrival.listing.lines, arrival.before
        if arrival.frame.f_code is not self.code or lines.get(arrival.offset) != self.line:
            return False
        return before is None or lines.get(before) != self.line or before >= arrival.offset

    def __str__(self) -> str:
        return f"line {self.line} of {self.code.co_name}"


@dataclass(frozen=True)
class Beginning:
    """The beginning of functions of a name."""

    function: str

    def is_at(self, arrival: Arrival) -> bool:
        return arrival.before is None and self.is_of(arrival.frame.f_code)

    def is_of(self, code: CodeType) -> bool:
        """Whether a function with this code has the name."""
        return as_far_as_kept(self.function, code) in names_of(code)

    def __str__(self) -> str:
        no_operation = ", as no operation is called so" if self.function.isupper() else ""
        return f"function {self.function}{no_operation}"


@dataclass(frozen=True)
class Operation:
    """Each instruction of a name."""

    operation: str

    def is_at(self, arrival: Arrival) -> bool:
        return arrival.listing.instructions[arrival.offset].opname == self.operation

    def __str__(self) -> str:
        return f"instruction {self.operation}"


@dataclass
class Breakpoint:
    """A place at which to stop, always or where a condition is true."""

    place: Place
    condition: str | None = None
    number: int = 0  # given at the prompt
    is_met: bool = False  # a frame has come to the place

    def __str__(self) -> str:
        return f"{self.number}: {self.place}" + (f" if {self.condition}" if self.condition else "")

    def holds(self, frame: FrameType) -> bool:
        """Whether its condition is true, or it has none. Raises what the condition raises."""
        return self.condition is None or bool(evaluated(self.condition, frame, frame.f_locals))


def names_of(code: CodeType) -> set[str]:
    """What a function may be called, and its resume functions with it: `forward`, `Net.forward` and `Net_forward`."""
    resumes = RESUME_NAME.fullmatch(code.co_name)
    own = resumes["of"] if resumes else code.co_name
    whose = qualname(code).rpartition("<locals>.")[2].rpartition(".")[0]
    qualified = f"{whose}.{own}" if whose else own
    return {code.co_name, own, qualified, as_identifier(qualified), *(_told_as(code) if resumes else ())}


def _told_as(code: CodeType) -> set[str]:
    """What a resume function is called elsewhere, `toy_resumes_at_11`: torch knows where the code goes on that it made.

    What runs in its place has its name and file, as others have that begin after the same break.
    """
    seen = known_or(seen_codes(), [])
    alike = [one for one in seen if (one.co_name, one.co_filename) == (code.co_name, code.co_filename)]
    own = [one for one in alike if any(entry.code is code for entry in known_or(entries_of(one), []))]
    return {*map(identifier, filter(is_resume_code, own or alike))} or {identifier_of_name(code.co_name)}


def evaluated(expression: str, frame: FrameType, names: Mapping[str, Any]) -> Any:
    """The value of an expression of the user's over a frame's globals and `names`, in comprehensions too.

    Raises what it raises.
    """
    return eval(expression, {**frame.f_globals, **names})  # noqa: S307 (the user's own)


def checked(condition: str) -> str | None:
    """A condition that is an expression; None for none. Raises SyntaxError."""
    if not condition.strip():
        return None
    compile(condition.strip(), "<condition>", "eval")
    return condition.strip()


def parsed(text: str, code: CodeType, listing: Listing) -> Breakpoint:
    """`LINE`, `@OFFSET`, `NAME` of a function or an operation, each with `, CONDITION`. Raises ValueError."""
    place, _, condition = (part.strip() for part in text.partition(","))
    return Breakpoint(_place(place, code, listing), checked(condition))


def _place(text: str, code: CodeType, listing: Listing) -> Place:
    if text.startswith("@") and text[1:].isdecimal():
        offset = int(text[1:])
        if offset not in listing.instructions:
            raise ValueError(f"no instruction of {code.co_name} starts at {offset}")
        return Offset(code, offset)
    if text.isdecimal():
        if int(text) not in listing.lines.values():
            raise ValueError(f"no instruction of {code.co_name} lies on line {text}")
        return Line(code, int(text))
    if not all(part.isidentifier() for part in text.split(".")):
        raise ValueError("where? give a line, an offset as @12, the name of a function, or an operation as CALL")
    if text in opmap or any(found.opname == text for found in listing.instructions.values()):
        return Operation(text)
    return Beginning(without_number(text))  # all of them are met
