"""What shows a program the locals of its own frame: there count those that only the candidate has, and their order."""

from __future__ import annotations

from types import CodeType

from unjit.bytecode import decode
from unjit.bytecode import versions as v

FRAMES = frozenset({"locals", "_getframe", "currentframe", "f_locals"})  # as an attribute too
INTROSPECTION = FRAMES | {"vars", "dir", "eval", "exec"}  # these others are methods of much else
_IN_ORDER = INTROSPECTION - {"dir"}  # which sorts the names


def shows_locals(key: tuple[object, ...]) -> bool:
    """Whether an event looks up what shows the locals of a frame."""
    return len(key) > 1 and key[1] in (INTROSPECTION if key[0] == "load_global" else FRAMES)


def shows_other_order(original: CodeType, candidate: CodeType) -> bool:
    """Whether the original asks for its locals, and the candidate has them in another order.

    `locals()` lists them in the order of `co_varnames`, that in which the text names them first, in dead code too.
    Raises BytecodeError where the bytes are not bytecode.
    """
    names, others = original.co_varnames, candidate.co_varnames
    if names == others or _IN_ORDER.isdisjoint(original.co_names):
        return False
    both = {*names} & {*others}
    if [name for name in names if name in both] == [name for name in others if name in both]:
        return False
    instrs = decode(original, with_lines=False)
    return any(i.value in (_IN_ORDER if i.op in v.GLOBAL_LOADS else FRAMES) for i in instrs if i.op in v.NAME_OPS)
