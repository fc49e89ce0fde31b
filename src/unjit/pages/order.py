"""Lines in the order in which a person expects to step through them."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from unjit.bytecode import Instr
from unjit.bytecode import versions as v

# What nobody sees happen: values moved around, gathered and taken apart before they are used.
_UNSEEN = re.compile(
    r"NOP|CACHE|COPY|SWAP|ROT_\w+|DUP_\w+|POP_TOP|PUSH_NULL|PRECALL|KW_NAMES|LOAD_CONST|LOAD_FAST\w*|LOAD_CLOSURE|"
    r"BUILD_\w+|LIST_\w+|BINARY_SUBSCR|STORE_SUBSCR|DELETE_SUBSCR|BINARY_SLICE|STORE_SLICE"
)
_ENTRY = frozenset({"RESUME", "COPY_FREE_VARS", "MAKE_CELL", "RETURN_GENERATOR", "GEN_START"})


def in_order(instrs: Sequence[Instr], lines: Mapping[int, int], definition: int) -> dict[int, int]:
    """`lines` for stepping; `definition` is the line of the function's head, on which entering it lies.

    Dynamo prepares values long before the statement that uses them. Stepping would jump ahead to that statement and
    back again, so what nobody sees happen lies at most on the line of what is seen next, and of what comes before that.
    """
    ordered: dict[int, int] = {}
    seen_next: int | None = None
    for instr in reversed(instrs):
        line = lines.get(instr.offset)
        if instr.op in v.TERMINATORS or instr.op in v.UNCONDITIONAL_JUMPS:
            seen_next = line
        if line is None:
            continue
        if not _UNSEEN.fullmatch(instr.op):
            seen_next = line
        elif seen_next is not None:
            line = seen_next = min(line, seen_next)
        ordered[instr.offset] = line
    for instr in instrs:
        if instr.op not in _ENTRY:
            break
        ordered[instr.offset] = definition
    return dict(sorted(ordered.items()))
