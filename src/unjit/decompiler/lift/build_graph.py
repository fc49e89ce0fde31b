"""Instructions to a graph of lifted blocks.

Blocks end where control can go elsewhere, where the handler changes and where a handler is left. A block with several
predecessors takes the values on the stack as parameters; `merge_params` drops those that are always the same.
"""

from __future__ import annotations

import ast
from types import CodeType

from unjit.bytecode import Handler, Instr, decode
from unjit.bytecode import versions as v
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.graph import Block, Branch, Edge, Graph, Jump, Leave, NextItem, Terminator
from unjit.decompiler.ir.nodes import (
    HandledException,
    LocalsDict,
    MatchesException,
    Null,
    SavedException,
    SavedLocal,
    SelfMarker,
    Temp,
    mark,
)
from unjit.decompiler.lift.awaits import find_async_next, fused_sends, without_async_loop_handlers
from unjit.decompiler.lift.exceptions import at_handler
from unjit.decompiler.lift.fast_paths import without_fast_paths
from unjit.decompiler.lift.inlined_comprehensions import find_inlined, fragment
from unjit.decompiler.lift.machine import Machine
from unjit.decompiler.lift.operations import OPERATIONS
from unjit.decompiler.lift.restoring_handlers import without_restoring_handlers

_PASSED_AS_THEY_ARE = (Null, SelfMarker, HandledException, SavedException, SavedLocal, LocalsDict)


def build_graph(code: CodeType, *, eager_locals: bool = False) -> Graph:
    """The reachable code as lifted blocks. Raises CannotExpress where an instruction has no lifting."""
    instrs = without_async_loop_handlers(without_restoring_handlers(without_fast_paths(decode(code))))
    return _Builder(code, instrs, eager_locals=eager_locals).build([])


def build_fragment(code: CodeType, instrs: tuple[Instr, ...], *, eager_locals: bool = False) -> Graph:
    """The graph of an inlined comprehension, which starts with its iterator on the stack."""
    builder = _Builder(code, instrs, eager_locals=eager_locals)
    # Its own variable may lie, as a plain local, in the place of a cell of the function's.
    builder.cells -= {str(i.value) for i in instrs if i.op == "STORE_FAST"}
    return builder.build([Temp()])


class _Builder:
    def __init__(self, code: CodeType, instrs: tuple[Instr, ...], *, eager_locals: bool) -> None:
        self.code = code
        self.instrs = instrs
        self.eager_locals = eager_locals
        self.cells = frozenset(code.co_cellvars + code.co_freevars)
        self.inlined = find_inlined(instrs)
        sends = fused_sends(instrs)
        self.skip = {**sends, **{start: inlined.behind for start, inlined in self.inlined.items()}}
        within = {k for start, end in sends.items() for k in range(start + 1, end)}
        self.within = within.union(*(inlined.indices[1:] for inlined in self.inlined.values()))
        self.async_next = find_async_next(instrs, self.skip)
        self.leaders = _leaders(instrs, self.skip, self.within, self.async_next)
        self.lasts: dict[int, int] = {}  # of each leader, the last instruction of its block
        self.blocks: dict[int, Block] = {}
        self.entry_stacks: dict[int, list[ast.expr]] = {}
        self.param_slots: dict[int, list[int]] = {}
        self.exits: dict[int, list[tuple[str, int, list[ast.expr]]]] = {}
        self.ends: dict[int, tuple[Instr, ast.expr | None]] = {}
        self.stacks: dict[int, tuple[ast.expr, ...]] = {}
        self.handler_args: dict[int, list[list[ast.expr]]] = {}

    def build(self, stack: list[ast.expr]) -> Graph:
        counts = self._count_predecessors()
        self.merges = {index for index, count in counts.items() if count > 1} | self._handler_targets()
        self._enter(0, stack)
        work = [0]
        while work:
            index = work.pop()
            if index not in self.blocks:
                work += self._lift(index)
        for index, block in self.blocks.items():
            block.terminator = self._terminator(index)
        handled = {self.blocks[target]: args for target, args in self.handler_args.items()}
        return Graph(self.code, self.blocks[0], list(self.blocks.values()), self.stacks, handled)

    # ------------------------------------------------------------ shape
    def _handler_targets(self) -> set[int]:
        return {i.handler.target for i in self.instrs if i.handler is not None}

    def _count_predecessors(self) -> dict[int, int]:
        """Edges into each leader, from code that can be reached, handlers left out; the entry has one more."""
        counts: dict[int, int] = {0: 1}
        work, seen = [0], {0}
        while work:
            index = work.pop()
            following = self._following(index)
            for target in following:
                counts[target] = counts.get(target, 0) + 1
            handler = self.instrs[index].handler
            for target in (*following, *((handler.target,) if handler else ())):
                if target not in seen:
                    seen.add(target)
                    work.append(target)
        return counts

    def _last_of(self, index: int) -> int:
        """The index of the last instruction of the block that starts at `index`."""
        last = self.lasts.get(index)
        if last is None:
            last = index
            while last not in self.async_next and not _ends_block(self.instrs[last], self.skip, last):
                following = self._next(last)
                if following in self.leaders:
                    break
                last = following
            self.lasts[index] = last
        return last

    def _next(self, index: int) -> int:
        return self.skip.get(index, index + 1)

    def _following(self, index: int) -> list[int]:
        """Leaders that the block starting at `index` can go to, the one laid out next first."""
        last = self._last_of(index)
        if last in self.async_next:
            return [*self.async_next[last]]
        instr = self.instrs[last]
        following = []
        if instr.op not in v.TERMINATORS and instr.op not in v.UNCONDITIONAL_JUMPS:
            if self._next(last) >= len(self.instrs):
                raise CannotExpress("control runs past the end of the code")
            following.append(self._next(last))
        if instr.target is not None and last not in self.skip and instr.op in _JUMPING:
            following.append(instr.target)
        return following

    # ------------------------------------------------------------ lifting
    def _enter(self, index: int, stack: list[ast.expr]) -> None:
        """Note the stack with which control enters a block; a merge gets parameters for it."""
        known = self.entry_stacks.get(index)
        if known is not None:
            if len(known) != len(stack):
                raise CannotExpress(f"paths meet at offset {self.instrs[index].offset} with stacks of unequal depth")
            return
        slots = [k for k, value in enumerate(stack) if not isinstance(value, _PASSED_AS_THEY_ARE)]
        if index not in self.merges:
            slots = []
        self.param_slots[index] = slots
        entry = list(stack)
        for k in slots:
            entry[k] = Temp()
            mark(entry[k], self.instrs[index].offset)
        self.entry_stacks[index] = entry

    def _lift(self, index: int) -> list[int]:
        """Run the block's instructions; give the leaders to go on with."""
        stack = self.entry_stacks[index]
        block = Block(index, offset=self.instrs[index].offset)
        block.params = [stack[k] for k in self.param_slots[index]]  # type: ignore[misc]  # slots hold Temps
        self.blocks[index] = block
        machine = Machine(list(stack), cells=self.cells, eager_locals=self.eager_locals)
        last = self._last_of(index)
        self._note_handler(block, self.instrs[index].handler, stack)
        at = index
        while True:
            instr = self.instrs[at]
            block.instrs.append(instr)
            self.stacks.setdefault(instr.offset, tuple(machine.stack))  # two halves of one share an offset
            if at == last and ((instr.op in _JUMPING and at not in self.skip) or at in self.async_next):
                break
            if at in self.inlined:
                machine.run_inlined(instr, fragment(self.instrs, self.inlined[at]))
            else:
                _run(machine, instr)
            block.leaves_handler = instr.op == "POP_EXCEPT"
            if at == last:
                break
            at = self._next(at)
        block.statements = machine.statements
        self._note_exits(index, last, machine)
        handler = self.instrs[index].handler
        return [*(target for _, target, _ in self.exits[index]), *((handler.target,) if handler else ())]

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
        exits: list[tuple[str, int, list[ast.expr]]] = []
        if last in self.async_next:
            test = Temp()
            mark(test, instr.offset)
            after, exhausted = self.async_next[last]
            exits = [("body", after, [*stack, test]), ("exhausted", exhausted, stack[:-1])]
        elif last in self.skip or instr.op not in _JUMPING:
            if instr.op not in v.TERMINATORS:
                exits = [("jump", self._next(last), stack)]
        elif instr.op in v.UNCONDITIONAL_JUMPS:
            exits = [("jump", _target(instr), stack)]
        elif instr.op == "FOR_ITER":
            test = Temp()
            mark(test, instr.offset)
            gone = [*stack, Null()] if v.PY312 else stack[:-1]
            exits = [("body", self._next(last), [*stack, test]), ("exhausted", _target(instr), gone)]
        else:
            test, taken, passed = _conditional(machine, instr)
            exits = [("next", self._next(last), passed), ("taken", _target(instr), taken)]
        for _, target, values in exits:
            self._enter(target, values)
        self.exits[index] = exits
        self.ends[index] = (instr, test)

    # ------------------------------------------------------------ joining
    def _terminator(self, index: int) -> Terminator:
        instr, test = self.ends[index]
        edges = {how: self._edge(target, stack) for how, target, stack in self.exits[index]}
        if "jump" in edges:
            return Jump(edges["jump"])
        if "body" in edges:
            is_async = instr.op == "GET_ANEXT"
            iterator = self.exits[index][0][2][-2 if is_async else -1 - v.SLOTS_OF_ITERATOR]
            assert isinstance(test, Temp)
            return NextItem(iterator, test, edges["body"], edges["exhausted"], is_async)
        if "taken" in edges:
            assert test is not None
            if _jumps_if(instr):
                return Branch(test, edges["taken"], edges["next"], falls_through=False)
            return Branch(test, edges["next"], edges["taken"], falls_through=True)
        return Leave()

    def _edge(self, target: int, stack: list[ast.expr]) -> Edge:
        entry = self.entry_stacks[target]
        if len(entry) != len(stack):
            raise CannotExpress(f"paths meet at offset {self.instrs[target].offset} with stacks of unequal depth")
        for k, value in enumerate(stack):
            if k not in self.param_slots[target] and target in self.merges and type(value) is not type(entry[k]):
                raise CannotExpress(f"paths meet at offset {self.instrs[target].offset} with unlike stacks")
        return Edge(self.blocks[target], [stack[k] for k in self.param_slots[target]])


def _run(machine: Machine, instr: Instr) -> None:
    operation = OPERATIONS.get(instr.op)
    if operation is None:
        raise CannotExpress(f"{instr.op} at offset {instr.offset} has no source form here")
    machine.offset = instr.offset
    operation(machine, instr)


_JUMPING = v.JUMPS - {"SETUP_FINALLY", "SETUP_WITH", "SETUP_ASYNC_WITH", "SEND"}


_ENDING = _JUMPING | v.TERMINATORS


def _ends_block(instr: Instr, skip: dict[int, int], index: int) -> bool:
    return instr.op in _ENDING and index not in skip


def _leaders(
    instrs: tuple[Instr, ...],
    skip: dict[int, int],
    inside: set[int],
    async_next: dict[int, tuple[int, int]],
) -> set[int]:
    leaders = {0}.union(*async_next.values())
    for index, instr in enumerate(instrs):
        if index in inside:
            continue
        if instr.target is not None and instr.op in _JUMPING:
            leaders.add(instr.target)
        if instr.handler is not None:
            leaders.add(instr.handler.target)
        if _ends_block(instr, skip, index) or instr.op == "POP_EXCEPT":
            leaders.add(index + 1)
        following = skip.get(index, index + 1)
        if following < len(instrs) and instrs[following].handler != instr.handler:
            leaders.add(following)
    return leaders


def _target(instr: Instr) -> int:
    assert instr.target is not None
    return instr.target


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
