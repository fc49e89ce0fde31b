"""Values in a few words, whatever their repr does."""

from __future__ import annotations

import inspect
import re
import reprlib
from collections.abc import Sequence
from types import FrameType
from typing import Any

from unjit.model import Maybe, Message, Unknown
from unjit.stepping.listing import Listing
from unjit.torch_private.calling.frames import NULL, values_on_stack

_WIDTH = 100
_VARIABLE = re.compile(r"_t\d+")  # of the decompiler's making
WAITING = Unknown(Message("the frame waits for a call, which has taken some of them"))
FAILED = Unknown(Message("the instruction has failed, which has taken some of them"))


class _Short(reprlib.Repr):
    """Cut to one line; tensors as what they are, not what they hold."""

    def __init__(self) -> None:
        super().__init__()
        self.maxother = self.maxstring = _WIDTH

    def repr_instance(self, x: Any, level: int) -> str:
        kind = type(x)
        if hasattr(kind, "__torch_function__") and hasattr(kind, "dtype"):
            return _tensor(x)
        return " ".join(super().repr_instance(x, level).split())


_short = _Short()


def shown(value: object) -> str:
    """One line, never an exception."""
    try:
        return _short.repr(value)
    except (Exception, SystemExit) as error:
        return f"<{type(value).__name__} whose repr raised {type(error).__name__}>"


def _tensor(value: Any) -> str:
    dtype = str(value.dtype).removeprefix("torch.")
    content = f" = {value.item()!r}" if value.dim() == 0 and value.device.type == "cpu" else ""
    return f"<{type(value).__name__} {dtype}{list(value.shape)} {value.device}{content}>"


def stack_values(frame: FrameType, listing: Listing, offset: int) -> Maybe[tuple[Any, ...]]:
    """The values on the stack of a frame that stands before the instruction at `offset`, bottom first."""
    return values_on_stack(frame, listing.depths.get(offset, 0))


def stack_lines(frame: FrameType, listing: Listing, offset: int, unreadable: Unknown | None) -> list[str]:
    """A line for each slot, top first; `unreadable` if the frame does not stand before the instruction at `offset`."""
    expressions = listing.expressions_at(offset)
    if not expressions:
        return []
    values: Maybe[tuple[Any, ...]] = unreadable or stack_values(frame, listing, offset)
    if isinstance(values, Unknown):
        told = [f"  {index}: {expression}" for index, expression in enumerate(expressions)]
        return [f"  (values unreadable here: {values.reason})", *reversed(told)]
    named = _named(expressions, values, listing.call_at(offset))
    pairs = enumerate(zip(named, values, strict=True))
    return [f"  {index}: {_slot(expression, value)}" for index, (expression, value) in pairs][::-1]


def stack_variables(listing: Listing, offset: int, values: Sequence[Any]) -> dict[str, Any]:
    """The values that the source has a variable for, as `_t1`, though the frame keeps them on its stack alone."""
    named = _named(listing.expressions_at(offset), values, listing.call_at(offset))
    return {name: value for name, value in zip(named, values, strict=True) if _VARIABLE.fullmatch(name)}


def _named(expressions: Sequence[str], values: Sequence[Any], call: int | None) -> list[str]:
    """What each value is. A method lies below its object, and any other function above or below nothing.

    Which of them it will be the bytecode does not say. `call` is the slot of what is being called.
    """
    named = list(expressions)
    for at, (expression, value) in enumerate(zip(expressions, values, strict=True)):
        if expression != "NULL" or value is NULL:
            continue
        below = at if at == call else at - 1
        function = expressions[below + 1] if at == call else expressions[below]
        named[below : below + 2] = ("NULL", function) if values[below] is NULL else (function, f"self of {function}")
    return named


def _slot(expression: str, value: Any) -> str:
    return "NULL" if value is NULL else f"{expression}  =  {shown(value)}"


def local_lines(frame: FrameType) -> list[str]:
    """Each local variable that is no cell, in the frame's order."""
    code, held = frame.f_code, frame.f_locals
    cells = {*code.co_cellvars, *code.co_freevars}
    names = code.co_varnames if code.co_flags & inspect.CO_OPTIMIZED else tuple(held)  # of a class body, or a module
    return [f"  {name} = {shown(held[name]) if name in held else '(unset)'}" for name in names if name not in cells]


def cell_lines(frame: FrameType) -> list[str]:
    """Each cell: own ones, which inner functions share, and those of enclosing functions."""
    code, held = frame.f_code, frame.f_locals
    named = [(name, "own") for name in code.co_cellvars] + [(name, "enclosing") for name in code.co_freevars]
    return [f"  {name} = {shown(held[name]) if name in held else '(empty)'}  ({whose})" for name, whose in named]
