"""What `await`, `yield from` and `async for` compile to, each found as one step.

*The shape*: SEND to the end; YIELD_VALUE; RESUME; jump back to the SEND; from 3.12 on a CLEANUP_THROW of its own, often
moved elsewhere. An `async for` awaits GET_ANEXT under a handler that starts with END_ASYNC_FOR, which is where control
goes when the iterator is exhausted.
"""

from __future__ import annotations

from unjit.bytecode import Instr
from unjit.bytecode import versions as v

_DRIVES = frozenset({"SEND", "YIELD_FROM"})


def fused_sends(instrs: tuple[Instr, ...]) -> dict[int, int]:
    """Index of each SEND -> index after the loop that it makes."""
    fused = {}
    for index, instr in enumerate(instrs):
        if instr.op != "SEND" or instr.target is None:
            continue
        ops = [i.op for i in instrs[index + 1 : instr.target]]
        loop = ops[:2] == ["YIELD_VALUE", "RESUME"] and ops[3:] in ([], ["CLEANUP_THROW"])
        if loop and instrs[index + 3].target == index:
            fused[index] = instr.target
    return fused


def find_async_next(instrs: tuple[Instr, ...], sends: dict[int, int]) -> dict[int, tuple[int, int]]:
    """Index of each GET_ANEXT of a loop -> (where its item is on the stack, where the loop is exhausted)."""
    found = {}
    for index, instr in enumerate(instrs):
        drive = index + 1 + v.SLOTS_OF_ITERATOR  # None, which is sent first, lies on top of what an iterator takes
        if instr.op != "GET_ANEXT" or instr.target is not None or instrs[drive].op not in _DRIVES:
            continue
        exhausted = _end_of_async_for(instrs, index)
        if exhausted is not None:
            after = sends.get(drive, drive + 1)
            after += instrs[after].op == "END_SEND"
            found[index] = (after, exhausted + 1)
    return found


def _end_of_async_for(instrs: tuple[Instr, ...], index: int) -> int | None:
    """The END_ASYNC_FOR of the loop whose GET_ANEXT this is; its handler is marked by `without_async_loop_handlers`."""
    end = instrs[index].arg
    return end if end and instrs[end].op == "END_ASYNC_FOR" else None


def without_async_loop_handlers(instrs: tuple[Instr, ...]) -> tuple[Instr, ...]:
    """What an async for protects gets the handler beyond; GET_ANEXT notes, as its argument, where its loop ends."""
    changed = list(instrs)
    for index, instr in enumerate(instrs):
        handler = instr.handler
        if handler is not None and instrs[handler.target].op == "END_ASYNC_FOR":
            changed[index] = instr.under(instrs[handler.target].handler)
            if instr.op == "GET_ANEXT":
                changed[index].arg = handler.target
    return tuple(changed)
