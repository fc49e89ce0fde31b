"""The `continue` after a `with` or `try … finally` in a loop.

*What the compiler did*: what comes to the end of the statement goes through a copy of the cleanup and back to the loop.
The jump back has the line of a `continue` that stands there, and else that of the cleanup or of the loop. *What we
produce*: that line, for structuring to write the statement. *What we refuse*: a jump on a line above, and a copy
before which another jump statement stands.
"""

from __future__ import annotations

from collections.abc import Iterator

from unjit.bytecode import Instr, decode
from unjit.decompiler.ir.as_written.jump_places import onward_from
from unjit.decompiler.ir.as_written.jump_statements import GOES_ON
from unjit.decompiler.ir.flow.graph import Graph, Jump
from unjit.decompiler.passes.cleanups.parts.match_copies import Copy
from unjit.decompiler.passes.cleanups.parts.nops_before_copies import last_line_of

_GOES_ON = GOES_ON | {"END_SEND"}  # an `async with` waits at its end


def line_of_continue(graph: Graph, copy: Copy) -> int | None:
    """The line of the jump back to a loop after a copy of a cleanup, if it is one below the cleanup."""
    instrs = decode(graph.code)
    back = next((jump for jump in _after(instrs, copy) if _goes_back(instrs, jump)), None)
    last_line = last_line_of(copy)
    if back is None or back.line is None or last_line is None or back.line <= last_line:
        return None
    return back.line


def _after(instrs: tuple[Instr, ...], copy: Copy) -> Iterator[Instr]:
    """What control comes to after the statements of a copy, while that only goes on."""
    jump = copy.block.terminator
    if isinstance(jump, Jump) and len(copy.block.statements) == copy.count:
        yield from copy.block.instrs[-1:]
        yield from onward_from(instrs, jump.edge.laid_to, _GOES_ON)


def _goes_back(instrs: tuple[Instr, ...], jump: Instr) -> bool:
    return jump.op != "NOP" and jump.target is not None and instrs[jump.target].offset <= jump.offset
