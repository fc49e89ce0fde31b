"""Generated code without what only serves torch's profiler.

Around the loading of a graph's inputs Dynamo opens and closes a record for the profiler: it loads a recorder, keeps it
in a variable, calls it and keeps or drops the result; later it deletes the variable. Those instructions leave the stack
as they found it, so that NOPs in their place give code that does the rest of the work and nothing else.
"""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType

from unjit.bytecode import BytecodeError, Instr, decode
from unjit.bytecode.overwrite import NOTHING, overwritten

_RECORDERS = frozenset({"record_pregraph_bytecode_enter", "record_pregraph_bytecode_exit"})
_CALLS = frozenset({"CALL", "CALL_FUNCTION", "CALL_METHOD"})
_LONGEST = 12  # instructions from loading a recorder to dropping what calling it gave


@dataclass(frozen=True, slots=True)
class WithoutScaffolding:
    """The code left, and how many instructions were taken out."""

    code: CodeType
    left_out: int


def without_scaffolding(code: CodeType) -> WithoutScaffolding | None:
    """The code without profiling scaffolding; None where it has none, or where that is entangled with the rest."""
    if not _RECORDERS & set(code.co_names):
        return None
    try:
        instrs = decode(code)
    except BytecodeError:
        return None
    gone: set[int] = set()
    for index, instr in enumerate(instrs):
        if isinstance(instr.value, str) and instr.value in _RECORDERS:
            run = _recording(instrs, index)
            if run is None:
                return None
            gone.update(run)
    variables = {instrs[k].value for k in gone if instrs[k].op == "STORE_FAST"}
    for index, instr in enumerate(instrs):
        if index not in gone and isinstance(instr.value, str) and instr.value in variables:
            if instr.op != "DELETE_FAST":
                return None
            gone.add(index)
    offsets = {instrs[k].offset for k in gone}
    if any(instr.offset in offsets and k not in gone for k, instr in enumerate(instrs)):
        return None  # one instruction that does something else as well
    return WithoutScaffolding(overwritten(code, dict.fromkeys(offsets, NOTHING)), len(gone))


def _recording(instrs: tuple[Instr, ...], attribute: int) -> range | None:
    """From loading the module that has the recorder to dropping, or keeping, what calling it gave."""
    start = attribute - 1
    if start < 0 or instrs[start].op != "LOAD_GLOBAL":
        return None
    if start and instrs[start - 1].op == "PUSH_NULL":
        start -= 1
    for end in range(attribute + 1, min(attribute + _LONGEST, len(instrs) - 1)):
        if instrs[end].op in _CALLS:
            last = end + 1
            return range(start, last + 1) if instrs[last].op in ("STORE_FAST", "POP_TOP") else None
    return None
