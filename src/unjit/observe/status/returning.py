"""Whether a function computes anything: what is left after a break may only return."""

from __future__ import annotations

from types import CodeType

from unjit.bytecode.errors import BytecodeError
from unjit.bytecode.instructions.decode import decode
from unjit.bytecode.instructions.flow import reachable

_RETURNS = frozenset({"RETURN_VALUE", "RETURN_CONST"})
_GOES_ON = frozenset({"RESUME", "NOP", "JUMP_FORWARD", "JUMP_ABSOLUTE"})
_TAKES = frozenset({"LOAD_CONST", "LOAD_SMALL_INT", "LOAD_FAST", "LOAD_FAST_BORROW", "LOAD_FAST_CHECK"})
_LEAVES = frozenset({"STORE_FAST", "DELETE_FAST", "POP_TOP"})
_COMPUTES_NOTHING = _RETURNS | _GOES_ON | _TAKES | _LEAVES


def only_returns(code: CodeType) -> bool:
    """Whether it does nothing but return what it was given, or a constant."""
    try:
        ops = {instr.op for instr in reachable(decode(code, with_lines=False))}
    except BytecodeError:
        return False
    return ops <= _COMPUTES_NOTHING and not ops.isdisjoint(_RETURNS)  # else it goes round for ever
