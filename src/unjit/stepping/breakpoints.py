"""Where to stop without being asked each time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import CodeType, FrameType
from typing import Any

from unjit.observe.functions.names import as_identifier
from unjit.observe.functions.sources import qualname
from unjit.stepping.listing import Listing
from unjit.torch_private.cache.resumes import RESUME_NAME


@dataclass
class Breakpoint:
    """One place: an offset or a line of one code object, the beginning of functions of a name, or an operation."""

    code: CodeType | None = None
    offset: int | None = None
    line: int | None = None
    function: str | None = None
    operation: str | None = None
    condition: str | None = None
    number: int = 0  # given at the prompt

    def __str__(self) -> str:
        where = (
            f"@{self.offset} of {self.code.co_name}" if self.offset is not None and self.code
            else f"line {self.line} of {self.code.co_name}" if self.line is not None and self.code
            else f"function {self.function}" if self.function is not None
            else f"instruction {self.operation}"
        )  # fmt: skip
        return f"{self.number}: {where}" + (f" if {self.condition}" if self.condition else "")

    def is_at(self, frame: FrameType, listing: Listing, offset: int, before: int | None) -> bool:
        """Whether the frame has come to the place with this instruction; `before` is the one that it comes from."""
        if self.code is not None and self.code is not frame.f_code:
            return False
        if self.offset is not None:
            return offset == self.offset
        if self.line is not None:
            came = before is not None and listing.lines.get(before) == self.line and before < offset
            return listing.lines.get(offset) == self.line and not came
        if self.function is not None:
            return before is None and self.function in names_of(frame.f_code)
        return listing.instructions[offset].opname == self.operation

    def holds(self, frame: FrameType) -> bool:
        """Whether its condition is true, or it has none. Raises what the condition raises."""
        return self.condition is None or bool(evaluated(self.condition, frame, frame.f_locals))


def names_of(code: CodeType) -> set[str]:
    """What a function may be called, and its resume functions with it: `forward`, `Net.forward` and `Net_forward`."""
    resumes = RESUME_NAME.fullmatch(code.co_name)
    own = resumes["of"] if resumes else code.co_name
    whose = qualname(code).rpartition("<locals>.")[2].rpartition(".")[0]
    qualified = f"{whose}.{own}" if whose else own
    return {code.co_name, own, qualified, as_identifier(qualified)}


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
    asked = checked(condition)
    if place.startswith("@") and place[1:].isdigit():
        offset = int(place[1:])
        if offset not in listing.instructions:
            raise ValueError(f"no instruction of {code.co_name} starts at {offset}")
        return Breakpoint(code, offset=offset, condition=asked)
    if place.isdigit():
        if int(place) not in listing.lines.values():
            raise ValueError(f"no instruction of {code.co_name} lies on line {place}")
        return Breakpoint(code, line=int(place), condition=asked)
    if not all(part.isidentifier() for part in place.split(".")):
        raise ValueError("where? give a line, an offset as @12, the name of a function, or an operation as CALL")
    if place.isupper() and any(found.opname == place for found in listing.instructions.values()):
        return Breakpoint(operation=place, condition=asked)
    return Breakpoint(function=place, condition=asked)
