"""A code object to a graph of lifted blocks.

First the instructions lose what the compiler added and no source says; the rest is lifted by a `Builder`, or, where
lists are moved about on the stack as Dynamo does, by one that sees through them.
"""

from __future__ import annotations

from types import CodeType

from unjit.bytecode import Instr, decode, may_be_protected, places_in, places_of
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.nodes import Inlined, Temp
from unjit.decompiler.lift.builder import Builder
from unjit.decompiler.lift.extents import Extents
from unjit.decompiler.lift.seen_through.build import build_seen_through
from unjit.decompiler.lift.seen_through.displays import moves_displays
from unjit.decompiler.lift.shapes.awaits import without_async_loop_handlers
from unjit.decompiler.lift.shapes.branch_counts import without_branch_counts
from unjit.decompiler.lift.shapes.copied_drops import may_be_copied, without_copied_drops
from unjit.decompiler.lift.shapes.fast_paths import without_fast_paths
from unjit.decompiler.lift.shapes.inlined_comprehensions import own_variables
from unjit.decompiler.lift.shapes.restoring_handlers import without_restoring_handlers
from unjit.decompiler.lift.shapes.shortened_tests import shortened_jumps, with_tests_protected


def build_graph(code: CodeType, *, eager_locals: bool, sees_through: bool = False, notes_stacks: bool = False) -> Graph:
    """The reachable code as lifted blocks. Raises CannotExpress where an instruction has no lifting.

    With `sees_through`, displays that are taken apart again are not made (see `seen_through`). With `notes_stacks`, the
    graph says what lies on the stack before each instruction, not only where blocks begin.
    """
    instrs, shortened = decode(code), shortened_jumps(code)
    cleaned = _without_what_no_source_says(code, instrs, shortened)
    places = places_in(code) if cleaned is instrs else places_of(cleaned)
    extents = Extents(cleaned, places, may_be_protected=may_be_protected(code), shortened=shortened)
    if sees_through and moves_displays(extents):
        graph = build_seen_through(code, extents, notes_stacks=notes_stacks)
        if graph is not None:
            return graph
    return Builder(code, extents, eager_locals=eager_locals, notes_stacks=notes_stacks).build([])


def _without_what_no_source_says(
    code: CodeType, instrs: tuple[Instr, ...], shortened: frozenset[int]
) -> tuple[Instr, ...]:
    """The instructions, rewritten where the compiler added to what was written; the same tuple where it did not."""
    places = places_in(code)
    instrs = without_branch_counts(without_fast_paths(instrs))
    if may_be_copied(places.keys()):
        instrs = without_copied_drops(instrs)
    instrs = with_tests_protected(instrs, shortened)
    if may_be_protected(code) and [instr for instr in instrs if instr.handler is not None]:
        instrs = without_restoring_handlers(instrs)
        if "END_ASYNC_FOR" in places:
            instrs = without_async_loop_handlers(instrs)
    return instrs


def build_fragment(code: CodeType, inlined: Inlined, *, eager_locals: bool) -> Graph:
    """The graph of an inlined comprehension, which starts with its iterator on the stack."""
    places = places_of(inlined.instrs)
    shortened = shortened_jumps(code, within=inlined.instrs)
    extents = Extents(inlined.instrs, places, may_be_protected=False, shortened=shortened)
    builder = Builder(code, extents, eager_locals=eager_locals)
    # Its own variable may lie, as a plain local, in the place of a cell of the function's, for those within it as well.
    builder.cells = inlined.cells - own_variables(inlined.instrs)
    builder.is_comprehension = True
    return builder.build([Temp()])
