"""Blocks of instructions to blocks of statements, joined by edges that hand on what lies on the stack.

See `extents` for where blocks begin and end. A block with several predecessors takes the values on the stack as
parameters; `merge_params` drops those that are always the same.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping, Sequence
from types import CodeType
from typing import Any

from unjit.bytecode import Handler, Instr, positions_in
from unjit.bytecode import versions as v
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.flow.graph import LEAVE, Block, Branch, Edge, Graph, Jump, NextItem, Terminator
from unjit.decompiler.ir.tree.nodes import (
    HandledException,
    LocalsDict,
    MatchesException,
    Null,
    SavedException,
    SavedLocal,
    SelfMarker,
    Temp,
)
from unjit.decompiler.ir.tree.notes import mark
from unjit.decompiler.lift.extents import JUMPING, Extents
from unjit.decompiler.lift.machine import Machine
from unjit.decompiler.lift.operations.exceptions import at_handler
from unjit.decompiler.lift.operations.table import OPERATIONS
from unjit.decompiler.lift.shapes.continues import line_of_continue
from unjit.decompiler.lift.shapes.inlined_comprehensions import fragment

# How control leaves a block, to where, and with which stack.
Exit = tuple[str, int, list[ast.expr]]

# What `recover_groups` and the passes of patterns follow, and take away, one step at a time.
_FOLLOWED_STEP_BY_STEP = {"GET_LEN", "MATCH_SEQUENCE", "MATCH_MAPPING", "MATCH_KEYS", "MATCH_CLASS", "CHECK_EG_MATCH"}
_PASSED_AS_THEY_ARE = (Null, SelfMarker, HandledException, SavedException, SavedLocal, LocalsDict)


class Builder:
    """Runs each block of one code object on a symbolic machine, from the stack with which control enters it."""

    operations: Mapping[str, Callable[[Any, Instr], None]] = OPERATIONS

    def __init__(
        self, code: CodeType, extents: Extents, *, eager_locals: bool = False, notes_stacks: bool = False
    ) -> None:
        self.code, self.positions = code, positions_in(code)
        self.instrs, self.extents = extents.instrs, extents
        self.eager_locals, self.notes_stacks = eager_locals, notes_stacks
        self.is_watched = notes_stacks or bool(extents.inlined) or "TO_BOOL" in extents.operations
        self.folds_operands = extents.operations.isdisjoint(_FOLLOWED_STEP_BY_STEP)
        self.cells = frozenset(code.co_cellvars + code.co_freevars)
        self.is_comprehension = code.co_varnames[:1] == (".0",)
        # By leader, the index of the instruction that a block begins with:
        self.blocks: dict[int, Block] = {}
        self.entry_stacks: dict[int, list[ast.expr]] = {}
        self.param_slots: dict[int, list[int]] = {}  # the places on that stack for which the block has parameters
        self.exits: dict[int, list[Exit]] = {}
        self.ends: dict[int, tuple[Instr, ast.expr | None]] = {}  # the last instruction, and what it tests or takes
        self.handler_args: dict[int, list[list[ast.expr]]] = {}  # what its parameters get from each block it protects
        # By offset:
        self.stacks: dict[int, tuple[ast.expr, ...]] = {}
        self.shown_stacks: dict[int, tuple[ast.expr, ...]] = {}

    def build(self, stack: list[ast.expr]) -> Graph:
        """The graph of the code, which begins with this stack. Raises CannotExpress where it has none."""
        counts = self._count_predecessors()
        self.merges = {index for index, count in counts.items() if count > 1} | self.extents.handlers
        self._enter(0, stack)
        work = [0]
        while work:
            index = work.pop()
            if index not in self.blocks:
                work += self._lift(index)
        for index, block in self.blocks.items():
            block.terminator = self._terminator(index)
        handled = {self.blocks[target]: args for target, args in self.handler_args.items()}
        operations = self.extents.operations
        blocks = list(self.blocks.values())
        return Graph(
            self.code,
            blocks[0],
            blocks,
            self.positions,
            self.stacks,
            self.shown_stacks,
            handled,
            operations,
            self.is_comprehension,
        )

    # ------------------------------------------------------------ shape
    def _count_predecessors(self) -> dict[int, int]:
        """Edges into each leader, from code that can be reached, handlers left out; the entry has one more."""
        counts: dict[int, int] = {0: 1}
        work, seen = [0], {0}
        while work:
            index = work.pop()
            following = self.extents.following(index)
            for target in following:
                counts[target] = counts.get(target, 0) + 1
            handler = self.instrs[index].handler
            for target in (*following, *((handler.target,) if handler else ())):
                if target not in seen:
                    seen.add(target)
                    work.append(target)
        return counts

    # ------------------------------------------------------------ lifting
    def _enter(self, index: int, stack: list[ast.expr]) -> None:
        """Note the stack with which control enters a block; a merge gets parameters for it."""
        known = self.entry_stacks.get(index)
        if known is not None:
            if len(known) != len(stack):
                raise CannotExpress(f"paths meet at offset {self.instrs[index].offset} with stacks of unequal depth")
            return
        merged = enumerate(stack) if index in self.merges else ()
        slots = [k for k, value in merged if not self._is_passed_as_it_is(value, index)]
        self.param_slots[index] = slots
        entry = list(stack)
        for k in slots:
            entry[k] = Temp()
            mark(entry[k], self.instrs[index].offset)
        self.entry_stacks[index] = entry

    def _is_passed_as_it_is(self, value: ast.expr, target: int) -> bool:
        """Whether a value needs no parameter where paths meet at `target`: it is the same on each of them."""
        del target
        return isinstance(value, _PASSED_AS_THEY_ARE)

    def _lift(self, index: int) -> list[int]:
        """Run the block's instructions; give the leaders to go on with."""
        stack = self.entry_stacks[index]
        block = Block(index, offset=self.instrs[index].offset)
        block.params = [stack[k] for k in self.param_slots[index]]  # type: ignore[misc]  # slots hold Temps
        self.blocks[index] = block
        self._note_handler(block, self.instrs[index].handler, stack)
        self.stacks[block.offset] = tuple(stack)
        machine = self._machine(index, list(stack))
        machine.offset = block.offset
        self._note_stack(machine)
        last = self.extents.last_of(index)
        block.instrs = self._run(machine, self.extents.indices(index, last))
        block.leaves_handler = self.instrs[last].op == "POP_EXCEPT"
        block.statements = machine.statements
        self._note_exits(index, last, machine)
        handler = self.instrs[index].handler
        return [*(target for _, target, _ in self.exits[index]), *((handler.target,) if handler else ())]

    def _machine(self, index: int, stack: list[ast.expr]) -> Machine:
        del index
        return Machine(stack, cells=self.cells, eager_locals=self.eager_locals, folds_operands=self.folds_operands)

    def _run(self, machine: Machine, indices: Sequence[int]) -> list[Instr]:
        """Run the instructions of a block, all but the jump that ends it; give them."""
        instrs, operations = self.instrs, self.operations
        done = (
            list(instrs[indices.start : indices.stop]) if isinstance(indices, range) else [instrs[k] for k in indices]
        )
        run = done[:-1] if self._is_jump(indices[-1]) else done
        if self.is_watched:
            self._run_watched(machine, indices, len(run))
            return done
        for instr in run:
            machine.offset = instr.offset
            operations.get(instr.op, _refuse)(machine, instr)
        return done

    def _run_watched(self, machine: Machine, indices: Sequence[int], count: int) -> None:
        """Run the first `count` of these where more has to be known than what each instruction says."""
        instrs, inlined = self.instrs, self.extents.inlined
        for index in indices[:count]:
            instr = instrs[index]
            machine.offset = instr.offset
            self._note_stack(machine)
            if index in inlined:
                machine.run_inlined(instr, fragment(instrs, inlined[index]))
                continue
            self.operations.get(instr.op, _refuse)(machine, instr)
            if instr.op == "TO_BOOL" and not _is_asked(instrs[self.extents.next(index)]):
                machine.push(ast.UnaryOp(ast.Not(), ast.UnaryOp(ast.Not(), machine.pop())))
        machine.offset = instrs[indices[-1]].offset
        self._note_stack(machine)

    def _note_stack(self, machine: Machine) -> None:
        if self.notes_stacks:
            self.shown_stacks.setdefault(machine.offset, machine.shown_stack())  # two halves of one share an offset

    def _is_jump(self, index: int) -> bool:
        """Whether the instruction goes somewhere, besides what it is part of: `_note_exits` does these."""
        extents = self.extents
        return (self.instrs[index].op in JUMPING and index not in extents.skip) or index in extents.async_next

    def _note_handler(self, block: Block, handler: Handler | None, stack: list[ast.expr]) -> None:
        if handler is None:
            return
        if len(stack) < handler.depth:
            raise CannotExpress(f"the stack at offset {block.offset} is lower than its handler expects")
        block.handler = handler.target
        base = stack[: handler.depth]
        self._enter(handler.target, base + at_handler(handler.target, lasti=handler.lasti))
        slots = self.param_slots[handler.target]
        self.handler_args.setdefault(handler.target, []).append([base[k] for k in slots if k < len(base)])

    def _note_exits(self, index: int, last: int, machine: Machine) -> None:
        instr, stack = self.instrs[last], machine.stack
        test: ast.expr | None = None
        exits: list[Exit] = []
        if last in self.extents.async_next:
            test = Temp()
            mark(test, instr.offset)
            after, exhausted = self.extents.async_next[last]
            exits = [("body", after, [*stack, test]), ("exhausted", exhausted, stack[:-1])]
        elif last in self.extents.skip or instr.op not in JUMPING:
            if instr.op not in v.TERMINATORS:
                following = self.extents.next(last)
                if instr.handler is not None and self.instrs[following].handler != instr.handler:
                    machine.before_leaving(instr.handler.depth)
                exits = [("jump", following, machine.stack)]
        elif instr.op in v.UNCONDITIONAL_JUMPS:
            exits = [("jump", _target(instr), stack)]
        elif instr.op == "FOR_ITER":
            test = Temp()
            mark(test, instr.offset)
            gone = [*stack, Null()] if v.PY312 else stack[:-1]
            exits = [("body", self.extents.next(last), [*stack, test]), ("exhausted", _target(instr), gone)]
        else:
            test, taken, passed = _conditional(machine, instr)
            exits = [("next", self.extents.next(last), passed), ("taken", _target(instr), taken)]
        self.exits[index] = self._entered(exits, machine)
        self.ends[index] = (instr, test)

    def _entered(self, exits: list[Exit], machine: Machine) -> list[Exit]:
        """Enter the blocks that these lead to."""
        del machine
        for _, target, values in exits:
            self._enter(target, values)
        return exits

    # ------------------------------------------------------------ joining
    def _terminator(self, index: int) -> Terminator:
        instr, test = self.ends[index]
        edges = {how: self._edge(target, stack) for how, target, stack in self.exits[index]}
        if "jump" in edges:
            if not self.is_comprehension:
                edges["jump"].line = self._line_of_continue(index)
            return Jump(edges["jump"])
        if "body" in edges:
            is_async = instr.op == "GET_ANEXT"
            iterator = self.exits[index][0][2][-2 if is_async else -1 - v.SLOTS_OF_ITERATOR]
            assert isinstance(test, Temp)
            return NextItem(iterator, test, edges["body"], edges["exhausted"], is_async)
        if "taken" in edges:
            assert test is not None
            is_shortened = instr.offset in self.extents.shortened
            if _jumps_if(instr):
                return Branch(test, edges["taken"], edges["next"], falls_through=False, is_shortened=is_shortened)
            return Branch(test, edges["next"], edges["taken"], falls_through=True, is_shortened=is_shortened)
        return LEAVE

    def _line_of_continue(self, index: int) -> int | None:
        block, last = self.blocks[index].instrs, self.extents.last_of(index)
        return line_of_continue(block, last, self.extents, self.positions)

    def _edge(self, target: int, stack: list[ast.expr]) -> Edge:
        entry, slots = self.entry_stacks[target], self.param_slots[target]
        if len(entry) != len(stack):
            raise CannotExpress(f"paths meet at offset {self.instrs[target].offset} with stacks of unequal depth")
        for k, value in enumerate(stack) if target in self.merges else ():
            if k not in slots and type(value) is not type(entry[k]):
                raise CannotExpress(f"paths meet at offset {self.instrs[target].offset} with unlike stacks")
        args = [stack[k] for k in slots]
        return Edge(self.blocks[target], args, place=self.instrs[target].offset)


def _refuse(_: Machine, instr: Instr) -> None:
    raise CannotExpress(f"{instr.op} at offset {instr.offset} has no source form here")


def _target(instr: Instr) -> int:
    assert instr.target is not None
    return instr.target


def _is_asked(following: Instr) -> bool:
    """Whether the truth of a value is for a test or a `not`; else it is the value of `not not x`."""
    return following.op == "UNARY_NOT" or following.op.startswith("POP_JUMP_IF")


def _jumps_if(instr: Instr) -> bool:
    return "IF_TRUE" in instr.op or "NOT_NONE" in instr.op or "IF_NONE" in instr.op


def _conditional(machine: Machine, instr: Instr) -> tuple[ast.expr, list[ast.expr], list[ast.expr]]:
    """(test, stack where the jump is taken, stack where it is not)."""
    test = machine.pop()
    below = list(machine.stack)
    if instr.op.endswith("OR_POP"):
        return test, [*below, test], below
    if instr.op == "JUMP_IF_NOT_EXC_MATCH":
        machine.stack.pop()  # 3.10 compares the type below; nothing but the type being handled lies there
        matched = machine.define(MatchesException(test))
        return matched, machine.stack, machine.stack
    if "NONE" in instr.op:
        operator = ast.IsNot() if "NOT_NONE" in instr.op else ast.Is()
        compared = machine.define(ast.Compare(test, [operator], [ast.Constant(None)]))
        return compared, below, below
    return test, below, below
