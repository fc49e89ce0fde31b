"""What CPython 3.15 has beside the common operations: most of 3.14.

An iterator takes two entries: itself, and where in it the loop is, or NULL.
"""

from __future__ import annotations

from unjit.bytecode import Instr
from unjit.verifier.machine.micro import Act, Micro
from unjit.verifier.machine.values import NULLABLE
from unjit.verifier.operations.python312 import STOP_ITERATION, STOP_VALUE
from unjit.verifier.operations.python314 import PY314
from unjit.verifier.operations.recipes import (
    NULL,
    POP,
    RERAISE,
    Table,
    branch,
    copy,
    event,
    fixed,
    push,
    sink,
    swap,
)

_IMPORT_KIND = 3  # of IMPORT_NAME's argument: lazy or eager, where it says so


def import_3_15(i: Instr) -> tuple[Micro, ...]:
    return (event("import_name", i.value, i.arg & _IMPORT_KIND, pops=2, pushes=1),)


PY315: Table = {
    **PY314,
    # The argument says whether it is for a loop or for `yield from`, which takes more kinds of iterables.
    "GET_ITER": lambda i: (event("iter", i.arg, pops=1, results=(0, NULLABLE)),),
    "FOR_ITER": fixed(Micro(Act.NEXT, ("next",), 1, (1,), results=(NULLABLE, 0), raises=True)),
    "POP_ITER": fixed(POP, POP),
    "SEND": fixed(Micro(Act.SEND, ("send",), 2, (1,), results=(NULLABLE, 0), raises=True)),
    "END_SEND": fixed(sink(3), POP, POP),
    "CLEANUP_THROW": fixed(
        *(copy(1), STOP_ITERATION, branch(True, skip=2), RERAISE, STOP_VALUE),
        *(sink(4), POP, POP, POP, push(None), swap(2), NULL, swap(2)),
    ),
    "IMPORT_NAME": import_3_15,
}
