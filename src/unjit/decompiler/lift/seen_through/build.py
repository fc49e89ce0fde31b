"""The graph of code whose displays are seen through (see `seen_through`), also from block to block.

The displays that are not made yet where a block begins, and what they hold, must be the same on every path to it. Where
they are not, the graph is built anew, with these displays made where the code makes them; and so on until all agree.
"""

from __future__ import annotations

import ast
from types import CodeType

from unjit.bytecode import Handler
from unjit.decompiler.ir.flow.graph import Block, Graph
from unjit.decompiler.lift.builder import Builder, Exit
from unjit.decompiler.lift.extents import Extents
from unjit.decompiler.lift.machine import Machine
from unjit.decompiler.lift.seen_through.displays import SEEING_THROUGH, SeeingThrough
from unjit.decompiler.lift.seen_through.put_off import PutOff


def build_seen_through(code: CodeType, extents: Extents, *, notes_stacks: bool) -> Graph | None:
    """The graph without the displays that are only taken apart again; None where no display is taken apart.

    Raises CannotExpress where an instruction has no lifting.
    """
    left_alone: frozenset[int] = frozenset()
    while True:
        builder = BuilderSeeingThrough(code, extents, left_alone, notes_stacks=notes_stacks)
        graph = builder.build([])
        if not builder.takes_apart:
            return None
        if builder.differing <= left_alone:
            return graph
        left_alone |= builder.differing


class BuilderSeeingThrough(Builder):
    """Displays are made as late as possible, but for those that lie on the stack where paths meet."""

    operations = SEEING_THROUGH

    def __init__(self, code: CodeType, extents: Extents, left_alone: frozenset[int], *, notes_stacks: bool) -> None:
        super().__init__(code, extents, notes_stacks=notes_stacks)
        self.left_alone = left_alone
        self.takes_apart = False
        self.differing: set[int] = set()  # the offsets at which displays are made that differ where paths meet
        self.put_off: dict[int, PutOff] = {}  # what is not made yet where each block begins

    def _is_passed_as_it_is(self, value: ast.expr, target: int) -> bool:
        return super()._is_passed_as_it_is(value, target) or value in self.put_off.get(target, ())

    def _machine(self, index: int, stack: list[ast.expr]) -> Machine:
        begun_with = self.put_off.get(index)
        # A copy, as other ways into the block ask what it began with:
        own = PutOff() if begun_with is None else begun_with.reachable_from(stack, {})
        left_alone, folds_operands = self.left_alone, self.folds_operands
        return SeeingThrough(stack, cells=self.cells, put_off=own, left_alone=left_alone, folds_operands=folds_operands)

    def _note_handler(self, block: Block, handler: Handler | None, stack: list[ast.expr]) -> None:
        if handler is not None:
            self._leave_alone(stack[: handler.depth], self.put_off.get(block.index))
        super()._note_handler(block, handler, stack)

    def _entered(self, exits: list[Exit], machine: Machine) -> list[Exit]:
        assert isinstance(machine, SeeingThrough)
        self.takes_apart |= machine.takes_apart
        entered = []
        for how, target, values in exits:
            stack = [machine.known.get(value, value) for value in values]
            there = machine.put_off.reachable_from(stack, machine.known)
            known = self.put_off.setdefault(target, there)
            if known is not there and not known.same(there):
                for put_off in (known, there):
                    self._leave_alone(stack, put_off)
                    self._leave_alone(self.entry_stacks[target], put_off)
            entered.append((how, target, stack))
        return super()._entered(entered, machine)

    def _leave_alone(self, stack: list[ast.expr], put_off: PutOff | None) -> None:
        """Note the displays on this stack that are put off: they differ where paths meet."""
        self.differing |= {value.at for value in stack if put_off and value in put_off}  # type: ignore[attr-defined]  # a Temp
