"""Generated code without what only serves torch's profiler.

Around the loading of a graph's inputs Dynamo opens and closes a record for the profiler: it loads a recorder, keeps it
in a variable, calls it and keeps or drops the result, newer releases only if the profiler is on; later it deletes the
variables. Those instructions leave the stack as they found it, so that NOPs in their place give code that does the rest
of the work and nothing else.
"""

from __future__ import annotations

import itertools
from collections.abc import Container, Iterator
from dataclasses import dataclass
from types import CodeType

from unjit.bytecode import BytecodeError, Instr, decode, stack_depths
from unjit.bytecode.changed.overwrite import NO_OPERATION, overwritten
from unjit.decompiler import Decompiled, Verdict, decompile
from unjit.torch_private.calling.profiler import HOMES, RECORDERS

# What scaffolding consists of, besides the loads of its homes and variables.
_ALLOWED = frozenset(
    {"LOAD_ATTR", "LOAD_METHOD", "PUSH_NULL", "PRECALL", "CALL", "CALL_FUNCTION", "CALL_METHOD", "POP_TOP"}
    | {"COPY", "DUP_TOP", "SWAP"}
    | {"IS_OP", "TO_BOOL", "NOP", "NOT_TAKEN", "JUMP_FORWARD", "POP_JUMP_IF_FALSE", "POP_JUMP_IF_TRUE"}
    | {"POP_JUMP_FORWARD_IF_FALSE", "POP_JUMP_FORWARD_IF_TRUE", "POP_JUMP_IF_NONE", "POP_JUMP_IF_NOT_NONE"}
    | {"POP_JUMP_FORWARD_IF_NONE", "POP_JUMP_FORWARD_IF_NOT_NONE"}
)
# What takes nothing off the stack, so that a piece may begin with it.
_STARTS = frozenset(
    {"LOAD_GLOBAL", "LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_CONST", "PUSH_NULL", "DELETE_FAST", "NOT_TAKEN"}
)


@dataclass(frozen=True, slots=True)
class WithoutScaffolding:
    """The code left, and how many instructions were taken out."""

    code: CodeType
    left_out: int


def without_scaffolding(code: CodeType) -> WithoutScaffolding | None:
    """The code without profiling scaffolding; None where it has none, or where that is entangled with the rest."""
    if not RECORDERS & set(code.co_names) or code.co_firstlineno < 1:  # of which Python makes no copy
        return None
    try:
        instrs = decode(code)
        gone = _scaffolding(instrs)
    except BytecodeError:
        return None
    offsets = {instrs[k].offset for k in gone}
    if not gone or any(instr.offset in offsets and k not in gone for k, instr in enumerate(instrs)):
        return None  # one instruction that does something else as well
    return WithoutScaffolding(overwritten(code, dict.fromkeys(offsets, NO_OPERATION)), len(gone))


def readable(code: CodeType, without: WithoutScaffolding | None) -> tuple[Decompiled, int]:
    """The source of what is left of `code`, and how many instructions are not; of the whole where it is not proved."""
    if without is not None:
        answer = decompile(without.code)
        if answer.verdict is not Verdict.OPAQUE:
            return answer, without.left_out
    return decompile(code), 0


def _scaffolding(instrs: tuple[Instr, ...]) -> set[int]:
    """The indices of all instructions that belong to it; none where they cannot be told from the rest."""
    variables = set(_variables(instrs))
    own = {index for index in range(len(instrs)) if _is_own(instrs, index, variables)}
    depths = stack_depths(instrs)
    gone: set[int] = set()
    for index in sorted(own):
        if index not in gone:
            found = _neutral(instrs, index, own, depths)
            if found is None:
                return set()
            gone.update(found)
    entered = any(instr.target in gone for index, instr in enumerate(instrs) if index not in gone)
    return set() if entered else gone


def _variables(instrs: tuple[Instr, ...]) -> Iterator[object]:
    """The locals that keep a home, a recorder, or what calling a recorder gave."""
    for index, instr in enumerate(instrs):
        if _names(instr, RECORDERS):
            following = itertools.takewhile(_is_step, instrs[index + 1 :])
            yield from (step.value for step in following if step.op == "STORE_FAST")
        elif _names(instr, HOMES) and instrs[index + 1].op == "STORE_FAST":
            yield instrs[index + 1].value


def _is_step(instr: Instr) -> bool:
    return instr.op == "STORE_FAST" or (instr.op in _ALLOWED and instr.target is None and instr.op != "POP_TOP")


def _is_own(instrs: tuple[Instr, ...], index: int, variables: set[object]) -> bool:
    """A home serves other things too: it is the scaffolding's where a recorder is taken from it, or it is kept."""
    instr = instrs[index]
    if _names(instr, HOMES):
        following = instrs[index + 1]
        return _names(following, RECORDERS) or following.op == "STORE_FAST"
    return _names(instr, RECORDERS) or (instr.op.endswith("_FAST") and _names(instr, variables))


def _names(instr: Instr, names: Container[object]) -> bool:
    """Whether the instruction is about one of these names; a constant may be anything, also unhashable."""
    return isinstance(instr.value, str) and instr.value in names


def _neutral(instrs: tuple[Instr, ...], first: int, own: set[int], depths: dict[int, int]) -> range | None:
    """The shortest piece around an instruction of the scaffolding that touches nothing below it and jumps nowhere.

    It begins with that instruction or the one before, where that readies a call or an assignment for it.
    """
    start = first if instrs[first].op in _STARTS else first - 1
    if start < 0 or instrs[start].op not in _STARTS:
        return None
    if start and instrs[start - 1].op == "PUSH_NULL":
        start -= 1
    depth = depths.get(instrs[start].offset)
    for end in range(start + 1, len(instrs)):
        last = instrs[end - 1]
        if not _may_belong(last, end - 1 in own) or (last.op == "SWAP" and _reaches_below(last, depth, depths)):
            return None
        level = depths.get(instrs[end].offset)
        jumps_out = any(k.target is not None and not start <= k.target <= end for k in instrs[start:end])
        if level == depth and not jumps_out:
            return range(start, end)
        if level == depth and instrs[end].op not in _STARTS:
            return None
    return None


def _reaches_below(swap: Instr, depth: int | None, depths: dict[int, int]) -> bool:
    """Whether it moves something that lay on the stack, so deep then, before the piece began."""
    level = depths.get(swap.offset)
    return depth is None or level is None or level - swap.arg < depth


def _may_belong(instr: Instr, is_own: bool) -> bool:
    if is_own or (instr.op == "LOAD_CONST" and instr.value is None):
        return True
    return instr.op in _ALLOWED and instr.op not in {"LOAD_ATTR", "LOAD_METHOD"}
