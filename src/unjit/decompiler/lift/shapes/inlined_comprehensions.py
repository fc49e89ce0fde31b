"""Comprehensions that the compiler inlined (PEP 709, 3.12 and later).

*The shape*: LOAD_FAST_AND_CLEAR for each variable of the comprehension, which may have none; then an empty display is
made below the iterator (from 3.15 on below what is iterated over), FOR_ITER loops, and END_FOR ends it, or GET_ANEXT
and END_ASYNC_FOR; then the variables are stored back. The part from the display to the end of the loop takes the
iterator from the stack and leaves the display: one operation. Where an `async for` ends can be laid out far away, as
handlers are.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from unjit.bytecode import Instr
from unjit.bytecode import versions as v

# A loop that asks what lies on the stack for its iterator: on 3.15, and on 3.13 from 3.13.1 on.
_ASKING_HEAD = ("SWAP", "GET_ITER", "FOR_ITER")
_HEADS = (_ASKING_HEAD,) if v.PY315 else (("SWAP", "FOR_ITER"), _ASKING_HEAD)
_ASYNC_HEAD = ("SWAP", "GET_AITER", "GET_ANEXT") if v.PY315 else ("SWAP", "GET_ANEXT")
_GIVING_BACK = frozenset({"SWAP", "POP_TOP", "STORE_FAST", "RERAISE"})
_DISPLAYS = frozenset({"BUILD_LIST", "BUILD_SET", "BUILD_MAP"})


@dataclass(frozen=True)
class Inlined:
    """The instructions of one comprehension, the end of its loop last, and where control goes on after it."""

    indices: tuple[int, ...]
    after: int
    skipped: range  # the jump over the handler that gives back the variables, and that, if they stand there


def find_inlined(instrs: tuple[Instr, ...]) -> dict[int, Inlined]:
    """By the index of the instruction that makes the display: the comprehensions, outermost ones only.

    In a fragment these are the ones within it: nothing lies on the stack at the start of other code.
    """
    found: dict[int, Inlined] = {}
    if not v.PY312:
        return found
    inside: set[int] = set()
    for index, instr in enumerate(instrs):
        inlined = _starts_here(instrs, index) if instr.op in _DISPLAYS and index not in inside and index else None
        if inlined is not None:
            found[index] = inlined
            inside.update(inlined.indices)
    return found


def _starts_here(instrs: tuple[Instr, ...], index: int) -> Inlined | None:
    """The comprehension whose display is made at `index`, if one is."""
    if instrs[index].arg != 0:
        return None
    head = _head_of_loop(instrs, index + 1)
    if head is None or instrs[index + 1].arg != 2:
        return None
    if head.op == "FOR_ITER":
        end, length, expected = head.target, 2 if v.PY313 else 1, "END_FOR"
    else:
        end, length, expected = head.arg, 1, "END_ASYNC_FOR"
    if not end or instrs[end].op != expected:
        return None
    after = _after_handler(instrs, end + length)
    return Inlined((*_body(instrs, index, end), *range(end, end + length)), after, range(end + length, after))


def _head_of_loop(instrs: tuple[Instr, ...], index: int) -> Instr | None:
    """What takes an item of the loop whose iterator is brought to the top at `index`, if that is what happens there."""
    for head in (*_HEADS, _ASYNC_HEAD):
        if tuple(i.op for i in instrs[index : index + len(head)]) == head:
            return instrs[index + len(head) - 1]
    return None


def _after_handler(instrs: tuple[Instr, ...], index: int) -> int:
    """Where control goes on if what begins at `index` is a jump over the handler that gives back the variables."""
    target = instrs[index].target if index < len(instrs) and instrs[index].op == "JUMP_FORWARD" else None
    if target is None:
        return index
    between = {instr.op for instr in instrs[index + 1 : target]}
    return target if between == _GIVING_BACK else index


def _body(instrs: tuple[Instr, ...], start: int, end: int) -> list[int]:
    """The instructions that control can reach from `start` without coming to `end`, in their order."""
    found: set[int] = set()
    work = [start]
    while work:
        index = work.pop()
        while index not in found and index != end and index < len(instrs):
            found.add(index)
            instr = instrs[index]
            if instr.target is not None:
                work.append(instr.target)
            elif instr.op == "GET_ANEXT":
                work.append(instr.arg)
            if instr.op in v.TERMINATORS or instr.op in v.UNCONDITIONAL_JUMPS:
                break
            index += 1
    return sorted(found)


def own_variables(instrs: tuple[Instr, ...]) -> set[str]:
    """The plain locals that a comprehension stores itself: not those within it, nor what these store back."""
    elsewhere: set[int] = set()
    for inlined in find_inlined(instrs).values():
        elsewhere.update(inlined.indices)
        after = instrs[inlined.after]
        if after.op == "SWAP":  # what lay below the result, stored back one by one
            elsewhere.update(range(inlined.after + 1, inlined.after + after.arg))
    return {str(i.value) for k, i in enumerate(instrs) if i.op == "STORE_FAST" and k not in elsewhere}


def fragment(instrs: tuple[Instr, ...], inlined: Inlined) -> tuple[Instr, ...]:
    """The comprehension as code of its own, which returns what it leaves on the stack."""
    place = {index: k for k, index in enumerate(inlined.indices)}
    inside = []
    for index in inlined.indices:
        instr = instrs[index]
        target = None if instr.target is None else place[instr.target]
        arg = place[instr.arg] if instr.op == "GET_ANEXT" else instr.arg
        inside.append(replace(instr, handler=None, target=target, arg=arg))
    last = replace(inside[-1], op="RETURN_VALUE", arg=0, value=None, target=None)
    return (*inside, last)
