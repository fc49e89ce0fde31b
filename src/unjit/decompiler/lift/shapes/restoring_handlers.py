"""Handlers that only put the exception state back and raise on: what an except clause does by itself.

From 3.11 on every handler is itself protected by one that pops the exception being handled and re-raises; from 3.12 on
the whole body of a generator is protected by one that turns StopIteration into RuntimeError, and an inlined
comprehension by one that gives back the locals it borrowed. What the suite of an except* clause raises is gathered
by one that unbinds the clause's name and appends to a list. Source says none of these, so what they protect is given
the handler beyond them.
"""

from __future__ import annotations

from unjit.bytecode import Handler, Instr
from unjit.bytecode.instructions import intrinsics

_RESTORE_LOCALS = frozenset({"SWAP", "POP_TOP", "STORE_FAST"})


def without_restoring_handlers(instrs: tuple[Instr, ...]) -> tuple[Instr, ...]:
    """The same instructions, each with the first handler outwards that does more than restore."""
    handlers = {id(i.handler): i.handler for i in instrs if i.handler is not None}
    targets = {handler.target for handler in handlers.values()}
    beyond = {target: instrs[target].handler for target in targets if _only_restores(instrs, target)}
    if not beyond:
        return instrs

    others = {which: _effective(handler, beyond) for which, handler in handlers.items() if handler.target in beyond}
    return tuple([i.under(others[id(i.handler)]) if id(i.handler) in others else i for i in instrs])


def _effective(handler: Handler | None, beyond: dict[int, Handler | None]) -> Handler | None:
    """The first handler outwards, from this one on, that is none of those which have one beyond them."""
    seen = set()
    while handler is not None and handler.target in beyond and handler.target not in seen:
        seen.add(handler.target)
        handler = beyond[handler.target]
    return handler


def _only_restores(instrs: tuple[Instr, ...], start: int) -> bool:
    end = start
    while end < len(instrs) and instrs[end].op in _RESTORE_LOCALS:
        end += 1
    if end > start and instrs[end].op == "RERAISE" and "STORE_FAST" in {i.op for i in instrs[start:end]}:
        return True
    if _gathers(instrs, start):
        return True
    ops = [(i.op, i.arg) for i in instrs[start : start + 3]]
    if ops == [("COPY", 3), ("POP_EXCEPT", 0), ("RERAISE", 1)]:
        return True
    return ops[:2] == [("CALL_INTRINSIC_1", intrinsics.STOPITERATION_ERROR), ("RERAISE", 1)]


def _gathers(instrs: tuple[Instr, ...], start: int) -> bool:
    """What an except* clause raises goes on the list, three entries down."""
    name = [i.op.partition("_")[0] for i in instrs[start : start + 3]]
    if name == ["LOAD", "STORE", "DELETE"] and instrs[start].op == "LOAD_CONST":
        start += 3
    return [(i.op, i.arg) for i in instrs[start : start + 2]] == [("LIST_APPEND", 3), ("POP_TOP", 0)]
