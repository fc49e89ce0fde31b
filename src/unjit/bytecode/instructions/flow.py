"""Which instructions control can reach, and with how much on the stack."""

from __future__ import annotations

import dis
import itertools
from collections import defaultdict
from collections.abc import Iterator
from types import CodeType

from unjit.bytecode import versions as v
from unjit.bytecode.errors import BytecodeError
from unjit.bytecode.instructions.decode import Instr

# What starts a generator leaves the value first sent to it; dis counts it where it is dropped only, or not at all.
_BY_FIRST_SEND = {"RETURN_GENERATOR": 1, "GEN_START": 0}
HANDLER_VALUES = 6  # on 3.10 a handler starts with two exceptions, three values each


_DIVIDES = v.NO_FALLTHROUGH | v.JUMPS

Places = dict[str, list[int]]


def places_of(instrs: tuple[Instr, ...]) -> Places:
    """The indices at which each operation stands, in their order."""
    places: Places = defaultdict(list)
    for index, instr in enumerate(instrs):
        places[instr.op].append(index)
    return dict(places)


def may_be_protected(code: CodeType) -> bool:
    """Whether handlers may protect anything in it: from 3.11 on a table says so, on 3.10 operations among others."""
    return not v.PY311 or bool(code.co_exceptiontable)  # type: ignore[attr-defined]  # 3.11


def is_straight(instrs: tuple[Instr, ...], places: Places) -> bool:
    """Whether control goes through all of the instructions, one after the other, as long as nothing protects them."""
    dividing = [index for op in _DIVIDES & places.keys() for index in places[op]]
    return dividing == [len(instrs) - 1] and instrs[-1].op in v.TERMINATORS


def reachable(instrs: tuple[Instr, ...]) -> list[Instr]:
    """The instructions that some path from the first one reaches, handlers included, in their order.

    Raises BytecodeError when a path runs past the end.
    """
    seen = [False] * len(instrs)
    work = [0]
    try:
        while work:
            index = work.pop()
            handler = None  # that of the instruction before
            while not seen[index]:
                seen[index] = True
                instr = instrs[index]
                if instr.target is not None:
                    work.append(instr.target)
                if instr.handler is not handler:
                    handler = instr.handler
                    if handler is not None:
                        work.append(handler.target)
                if instr.op in v.NO_FALLTHROUGH:
                    break
                index += 1
    except IndexError:
        raise BytecodeError("control runs past the end of the code") from None
    return list(instrs) if all(seen) else list(itertools.compress(instrs, seen))


def stack_depths(instrs: tuple[Instr, ...]) -> dict[int, int]:
    """Offset of each instruction that can be reached -> the number of values on the stack before it."""
    depths: dict[int, int] = {}
    work = [(0, 0)]
    seen: set[int] = set()
    while work:
        index, depth = work.pop()
        if index >= len(instrs) or index in seen:
            continue
        seen.add(index)
        depths.setdefault(instrs[index].offset, depth)
        work += _onward(instrs, index, depth)
    return depths


def _onward(instrs: tuple[Instr, ...], index: int, depth: int) -> Iterator[tuple[int, int]]:
    instr = instrs[index]
    opcode = v.OPCODES[instr.op]
    arg = instr.arg if opcode >= v.HAVE_ARGUMENT else None
    if instr.handler is not None:
        pushed = 1 + instr.handler.lasti if v.PY311 else HANDLER_VALUES
        yield instr.handler.target, instr.handler.depth + pushed
    if instr.target is not None:
        yield instr.target, depth + dis.stack_effect(opcode, arg, jump=True)
    if instr.op not in v.TERMINATORS and instr.op not in v.UNCONDITIONAL_JUMPS:
        effect = _BY_FIRST_SEND.get(instr.op)
        yield index + 1, depth + (dis.stack_effect(opcode, arg, jump=False) if effect is None else effect)
