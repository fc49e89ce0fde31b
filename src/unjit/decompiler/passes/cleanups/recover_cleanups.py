"""`with`, `finally` and the unbinding after `except … as`: cleanups that the compiler copies to every way out.

*What the compiler did*: it wrote the cleanup once for an exception, ending in a re-raise, and once for each other way
out of the protected region: falling off its end, return, break, continue. *The shape*: a handler that is nothing but
the cleanup, and after every edge out of the region a copy of it. *What we produce*: the region as a
`with` or `finally`, the copies gone, so that each way out is again a plain edge. *What we refuse*: a region with one
way out that has no copy; it stays a try with a bare except, and the copies stay where they are, which is the same thing
said longer.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import replace

from unjit.bytecode import Instr
from unjit.decompiler.ir.flow.copies import LONGEST_COPY, length
from unjit.decompiler.ir.flow.exits import is_bare_exit, returns_nothing
from unjit.decompiler.ir.flow.graph import (
    Block,
    Branch,
    Construct,
    Edge,
    EnterTry,
    Graph,
    Jump,
    Leave,
    Path,
    Predecessors,
    Region,
)
from unjit.decompiler.ir.flow.jumps import onward
from unjit.decompiler.ir.flow.regions import path_after
from unjit.decompiler.ir.flow.unbinding import unbound_name
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.nodes import (
    EnterWith,
    ExitSuppresses,
    Reraise,
    Temp,
)
from unjit.decompiler.ir.tree.notes import mark_words, mark_written, offset_of
from unjit.decompiler.ir.tree.order import count_temps
from unjit.decompiler.ir.tree.uses import all_roots, count_uses
from unjit.decompiler.passes.cleanups.parts.breaks_after_copies import split_off_break
from unjit.decompiler.passes.cleanups.parts.contexts_entered_elsewhere import entered_elsewhere
from unjit.decompiler.passes.cleanups.parts.continues_after import line_of_continue
from unjit.decompiler.passes.cleanups.parts.finally_ends import end_instead_of_copies, end_instead_of_raising
from unjit.decompiler.passes.cleanups.parts.finally_suites import are_written_as, keeps_exception, raises_again
from unjit.decompiler.passes.cleanups.parts.match_copies import Copy, Matcher
from unjit.decompiler.passes.cleanups.parts.nops_before_copies import (
    NopsBefore,
    last_line_of,
    note_jump_statements,
)
from unjit.decompiler.passes.cleanups.parts.own_exits import (
    end_apart,
    ending_together,
    goes_on,
    is_return,
    return_left,
    take_exit,
)
from unjit.decompiler.passes.cleanups.parts.ways_out import after_handler_exit, only_leaves, ways_out


def run(graph: Graph) -> None:
    """Recover all three."""
    _run(graph, with_finally=True)


def run_without_finally(graph: Graph) -> None:
    """Recover `with` and `except … as`; a finally suite stays in its copies."""
    _run(graph, with_finally=False)


def _run(graph: Graph, *, with_finally: bool) -> None:
    if not graph.is_protected:
        return
    pads = [b for b in graph.reachable() if isinstance(b.terminator, EnterTry)]
    if not pads:
        return
    recovery = _Recovery(graph, with_finally=with_finally)
    for pad in sorted(pads, key=lambda b: (-len(b.region), -b.offset)):
        recovery.recover(pad)
    graph.forget_order()
    count_uses(graph)


class _Recovery:
    """Makes a `with`, a `finally` or an `except … as` of each region that is one of these."""

    def __init__(self, graph: Graph, *, with_finally: bool) -> None:
        self.graph = graph
        self.with_finally = with_finally
        self.predecessors = graph.predecessors()
        self.nops = NopsBefore(self.predecessors)

    def recover(self, pad: Block) -> None:
        """Of the region that `pad` enters."""
        enter = pad.terminator
        assert isinstance(enter, EnterTry)
        path = (*pad.region, Region("try", enter.handler))
        inside = _within(enter.body.target, path)
        if _unbinds(enter.caught.target):
            self._except_as(pad, enter, inside, path)
            return
        entered = _entered_before(pad, self.predecessors) or entered_elsewhere(pad, enter, inside, path)
        if entered is not None and self._with(enter, entered, inside, path):
            return
        if self.with_finally:
            self._finally(pad, enter, inside, path)

    def _except_as(self, pad: Block, enter: EnterTry, inside: list[Block], path: Path) -> None:
        copies = self._copies_on_exits(inside, path, enter.caught.target)
        if copies is not None:
            self._cut(copies)
            _dissolve(pad, enter, inside, path)

    def _with(self, enter: EnterTry, entered: EnterWith, inside: list[Block], path: Path) -> bool:
        """Whether it is one."""
        swallowed = _swallowing_exit(enter.caught.target, entered)
        exits = _exit_calls(inside, path, entered) if swallowed is not None else None
        if exits is None or swallowed is None:
            return False
        self._note_continue(enter, exits, of_with=True)
        self._cut(exits, of_with=True)
        enter.construct, enter.manager, enter.caught = Construct.WITH, entered, swallowed
        self._leave_from_within(inside, path, swallowed.target)
        return True

    def _finally(self, pad: Block, enter: EnterTry, inside: list[Block], path: Path) -> None:
        handler = enter.caught.target
        suite = _within(handler, (*pad.region, Region("except", enter.handler)))
        if not keeps_exception(suite, handler):
            return
        copies = self._copies_on_exits(inside, path, handler, suite)
        if copies is None:
            return
        starts = [after_handler_exit(edge) for _, edge in ways_out(inside, path)]  # also those that have no copy
        if not are_written_as(handler, starts):
            return
        self._note_continue(enter, copies, own_line=handler.first_line)
        if raises_again(suite, handler):
            self._cut(copies, own_line=handler.first_line)
            end_instead_of_raising(self.graph, suite, handler.region)
        else:
            end_instead_of_copies(self.graph, inside, path, self.predecessors)
        enter.construct = Construct.FINALLY

    # ------------------------------------------------------------ copies
    def _copies_on_exits(
        self, inside: list[Block], path: Path, handler: Block, suite: Collection[Block] = ()
    ) -> list[Copy] | None:
        """The copy of the suite that begins with `handler` after each way out; None when one way out has none."""
        copies: dict[Block, Copy] = {}
        for _, edge in ways_out(inside, path):
            start = after_handler_exit(edge)
            if start not in copies:
                copy = Matcher().match(handler, start)
                if copy is None:
                    return None
                if self._entered_only_from(start, path, {*copy.blocks, *suite}):
                    copies[start] = copy
                elif copy.count or copy.blocks:  # else the suite does nothing, and nothing of it is there to cut
                    return None
        found = list(copies.values())
        return None if any(goes_on(copy.block) for copy in ending_together(found)) else found

    def _entered_only_from(self, start: Block, path: Path, own: Collection[Block] = ()) -> bool:
        """Whether all edges into `start` come out of the region, perhaps past a block that leaves a handler.

        Or from its `own` blocks: the copy of a suite that begins with a loop.
        """
        for block in self.predecessors.get(start, []):
            if start not in block.successors() or path_after(block)[: len(path)] == path or self._is_part(block, own):
                continue
            if block.statements or not block.leaves_handler or not self._entered_only_from(block, path, own):
                return False
        return True

    def _is_part(self, block: Block, own: Collection[Block]) -> bool:
        """Whether it is one of these, or does nothing, perhaps no more, between some of them."""
        seen: set[Block] = set()
        while block not in own:
            entries = self.predecessors.get(block, [])
            if block.statements or block in seen or len(entries) != 1:
                return False
            seen.add(block)
            block = entries[0]
        return True

    def _leave_from_within(self, inside: list[Block], path: Path, after: Block) -> None:
        """A `with` that ends a handler otherwise than by what follows it does so by a `break` or `continue`."""
        for _, edge in ways_out(inside, path):
            leaving = edge.target
            if not only_leaves(leaving) or leaving is after or not self._entered_only_from(leaving, path):
                continue
            if not (only_leaves(after) and after_handler_exit(Edge(after)) is after_handler_exit(Edge(leaving))):
                leaving.region, leaving.leaves_handler = path, False

    def _note_continue(
        self, enter: EnterTry, copies: list[Copy], *, of_with: bool = False, own_line: int | None = None
    ) -> None:
        """Note the line of the `continue` after it, from a copy before which no jump statement stands."""
        for copy in copies:
            line = line_of_continue(self.graph, copy)
            if line is not None and self.nops.of(copy.start, own_line, of_with=of_with) is None:
                enter.continued = line

    def _cut(self, copies: list[Copy], *, of_with: bool = False, own_line: int | None = None) -> None:
        """Take the copies out: what led to one leads to what stood after it."""
        self.graph.forget_order()
        found = [self.nops.of(copy.start, own_line, of_with=of_with, is_return=_returns(copy)) for copy in copies]
        leading: list[tuple[Edge, Instr]] = []
        falls_off = any(nop is None and _only_ends(copy) for copy, nop in zip(copies, found, strict=True))
        end_apart(self.graph, copies)
        for copy, nop in zip(copies, found, strict=True):
            if nop is not None:
                take_exit(self.graph, copy, nop)
            rest, last_line = copy.block, last_line_of(copy)
            written = nop is not None and _only_ends(copy) and is_return(self.graph, nop, copy, rest)
            if copy.count:
                after = _after(rest.statements[copy.count - 1], rest.instrs)
                if rest.instrs and not after:
                    self.nops.note_end(rest, rest.instrs[-1])
                rest.instrs = after
            del rest.statements[: copy.count]
            if nop is not None:
                if written:
                    _mark_return(rest.statements[-1], return_left(self.graph, nop), is_told=falls_off)
                self._stand_before(rest, nop, last_line, self.predecessors.get(copy.start, []))
            if nop is not None and None in found and not rest.statements:
                leading += [(edge, nop) for _, edge in self.graph.edges() if edge.target is copy.start]
            split_off_break(self.graph, rest, last_line, self.predecessors.get(copy.start, []))
            if copy.blocks:
                _lead_after(self.graph, copy)
        note_jump_statements(self.graph, leading)

    def _stand_before(self, rest: Block, nop: Instr, last_line: int | None, entries: list[Block]) -> None:
        """Have the NOP of a jump statement stand before what is left after a copy, which ended on `last_line`."""
        self.nops.note(rest, nop)
        if is_bare_exit(rest) and rest.last_line == last_line and _is_line_of_return(rest, nop, last_line):
            rest.instrs = [replace(instr, line=nop.line) for instr in rest.instrs]
        if _is_short_exit(rest) or (not rest.statements and _ends_something(entries)):
            rest.instrs = [nop, *rest.instrs]


def _mark_return(returned: ast.stmt, words: str | None, *, is_told: bool) -> None:
    """Note that somebody wrote a return of nothing, where its words tell or something else does."""
    if words is not None:
        mark_words(returned, says_none=words == "return None")
    elif is_told:
        mark_written(returned)


def _within(first: Block, path: Path) -> list[Block]:
    """The blocks of a region, from its first one on."""
    found, work = {first: None}, [first]
    while work:
        for block in work.pop().successors():
            if block not in found and block.region[: len(path)] == path:
                found[block] = None
                work.append(block)
    return list(found)


# ---------------------------------------------------------------- copies
def _exit_calls(inside: list[Block], path: Path, entered: EnterWith) -> list[Copy] | None:
    """The call `exit(None, None, None)` after each way out but the swallowing one."""
    copies: dict[Block, Copy] = {}
    for _, edge in ways_out(inside, path):
        start = after_handler_exit(edge)
        first = start.statements[0] if start.statements else None
        if not (isinstance(first, ast.Expr) and _is_exit_call(first.value, entered)):
            return None
        copies[start] = Copy(start, start, 1)
    return list(copies.values())


def _is_exit_call(value: ast.expr, entered: EnterWith) -> bool:
    if entered.is_async:
        if not isinstance(value, ast.Await):
            return False
        value = value.value
    return (
        isinstance(value, ast.Call)
        and value.func is entered.exit
        and not value.keywords
        and [is_none(a) for a in value.args] == [True] * 3
    )


def _lead_after(graph: Graph, copy: Copy) -> None:
    """What led to a copy leads to what follows it: its blocks are left to others that share some of them."""
    first, rest = onward(copy.start), copy.block
    if first is rest:
        return
    rest.params = _handed_past(graph, copy)  # what the copy handed on was for its own last statements
    for _, edge in list(graph.edges()):
        if edge.target is first:
            given = dict(zip(first.params, edge.args, strict=False))
            edge.target, edge.args = rest, [given[param] for param in rest.params if param in given]


def _is_short_exit(rest: Block) -> bool:
    """Whether it may be a copy of an exit, which stands after the loop that a `break` before it leaves.

    What returns a value that was computed earlier is part of the `return` that a copy stood before.
    """
    only = rest.statements[0] if len(rest.statements) == 1 and not rest.params else None
    is_whole = isinstance(only, ast.Return) and not isinstance(only.value, Temp)
    return is_bare_exit(rest) or (is_whole and length(rest.instrs) <= LONGEST_COPY)


def _is_line_of_return(rest: Block, nop: Instr, last_line: int | None) -> bool:
    """Whether what has the line of a cleanup was written where the NOP is: before a finally suite, or within a `with`.

    After a `with` only what returns a constant was, for the end of a function has that line too.
    """
    return (nop.line or 0) < (last_line or 0) or not returns_nothing(rest)


def _only_ends(copy: Copy) -> bool:
    """Whether all that stands after a copy is `return None`, which a function that comes to its end does as well."""
    return returns_nothing(copy.block) and len(copy.block.statements) == copy.count + 1


def _returns(copy: Copy) -> bool:
    """Whether a copy stands before a return."""
    return isinstance(copy.block.terminator, Leave) and len(copy.block.statements) > copy.count


def _handed_past(graph: Graph, copy: Copy) -> list[Temp]:
    """What is handed to the start of a copy and read after it: a value chosen before it, to be returned."""
    handed, read = copy.start.params if copy.start in copy.blocks else [], dict[Temp, int]()
    for block in graph.reachable() if handed else ():
        if block not in copy.blocks:
            count_temps(all_roots(block), read)
    return [param for param in handed if param in read]


def _ends_something(entries: list[Block]) -> bool:
    """Whether a jump statement after these blocks is a `continue`: one that is all there is would be `pass`."""
    return all(block.statements or isinstance(block.terminator, Branch) for block in entries)


def _after(statement: ast.stmt, instrs: list[Instr]) -> list[Instr]:
    """The instructions after those of a statement, to which belong those that end an `await` and drop its value."""
    last = offset_of(statement)
    after = [i for i in instrs if last is None or i.offset > last]
    for op in ("END_SEND", "POP_TOP") if isinstance(statement, ast.Expr) else ():
        if after and after[0].op == op:
            after = after[1:]
    return after


# ---------------------------------------------------------------- handlers
def _unbinds(handler: Block) -> bool:
    """`e = None; del e` and on with the exception: after `except … as e`."""
    if len(handler.statements) != 3 or not isinstance(handler.terminator, Leave):
        return False
    return unbound_name(handler.statements) is not None and isinstance(handler.statements[2], Reraise)


def _dissolve(pad: Block, enter: EnterTry, inside: list[Block], path: Path) -> None:
    """The unbinding needs no statement of its own: the clause that binds the name implies it."""
    depth = len(path) - 1
    skipped = [edge.via for block in inside for edge in block.terminator.edges() if edge.via is not None]
    for block in (*inside, *skipped):
        if block.region[: len(path)] == path:
            block.region = block.region[:depth] + block.region[len(path) :]
    pad.terminator = Jump(enter.body)


def _entered_before(pad: Block, predecessors: Predecessors) -> EnterWith | None:
    """The context manager entered right before the region, on the only way to it."""
    entries = [block for block in predecessors.get(pad, []) if pad in block.successors()]
    if len(entries) != 1 or not entries[0].statements:
        return None
    last = entries[0].statements[-1]
    return last if isinstance(last, EnterWith) else None


def _swallowing_exit(handler: Block, entered: EnterWith) -> Edge | None:
    """Where control goes when the exit function answers true; None where the handler does anything else."""
    branch = handler.terminator
    if handler.statements or not isinstance(branch, Branch):
        return None
    test = branch.test.value if entered.is_async and isinstance(branch.test, ast.Await) else branch.test
    if not isinstance(test, ExitSuppresses):
        return None
    raised = branch.false.target
    if test.exit is not entered.exit or len(raised.statements) != 1 or not isinstance(raised.statements[0], Reraise):
        return None
    swallowed = branch.true.target
    if swallowed.statements or not swallowed.leaves_handler or not isinstance(swallowed.terminator, Jump):
        return None
    return swallowed.terminator.edge
