"""`any(x for x in y)` and its like without the compiler's shortcut (3.14 and later).

*What the compiler did*: where `any`, `all`, `tuple`, and from 3.15 on `list` and `set`, are called with a generator
expression, it wrote a loop that does the builtin's work beside the call, and a test at run time whether the name still
means the builtin. *What we produce*: the call alone, which compiles to both again. *What we refuse*: nothing here; the
verifier compares the loop.
"""

from __future__ import annotations

from dataclasses import replace

from unjit.bytecode import Instr
from unjit.bytecode import versions as v

_IS_BUILTIN = ("COPY", "LOAD_COMMON_CONSTANT", "IS_OP", "POP_JUMP_IF_FALSE")


def without_fast_paths(instrs: tuple[Instr, ...]) -> tuple[Instr, ...]:
    """The same instructions, with the test for the builtin and the jump on it always going to the plain call."""
    if not v.PY314 or not any(instr.op == "LOAD_COMMON_CONSTANT" for instr in instrs):
        return instrs
    changed = list(instrs)
    for index, instr in enumerate(instrs):
        if instr.op == "LOAD_COMMON_CONSTANT" and index:
            test = range(index - 1, index + 3)
            if tuple(i.op for i in instrs[index - 1 : index + 3]) == _IS_BUILTIN and instrs[index - 1].arg == 1:
                for k in test[:-1]:
                    changed[k] = replace(instrs[k], op="NOP", arg=0, value=None)
                changed[test[-1]] = replace(instrs[test[-1]], op="JUMP_FORWARD")
    return tuple(changed)
