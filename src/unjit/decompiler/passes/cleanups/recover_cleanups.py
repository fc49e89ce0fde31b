"""`with`, `finally` and the unbinding behind `except … as`: cleanups that the compiler copies to every way out.

*What the compiler did*: it wrote the cleanup once for an exception, ending in a re-raise, and once for each other way
out of the protected region: falling off its end, return, break, continue. *The shape*: a handler that is nothing but
the cleanup, and behind every edge out of the region a copy of it. *What we produce*: the region as a
`with` or `finally`, the copies gone, so that each way out is again a plain edge. *What we refuse*: a region with one
way out that has no copy; it stays a try with a bare except, and the copies stay where they are, which is the same thing
said longer.
"""

from __future__ import annotations

import ast
from collections.abc import Collection
from dataclasses import replace

from unjit.bytecode import Instr
from unjit.decompiler.ir.constants import is_none
from unjit.decompiler.ir.copies import LONGEST_COPY, length
from unjit.decompiler.ir.exits import is_bare_exit, returns_nothing
from unjit.decompiler.ir.graph import LEAVE, Block, Branch, Construct, Edge, EnterTry, Graph, Jump, Leave, Path, Region
from unjit.decompiler.ir.nodes import (
    EnterWith,
    ExitSuppresses,
    Reraise,
    Temp,
    mark_written,
    offset_of,
)
from unjit.decompiler.ir.order import count_temps
from unjit.decompiler.ir.regions import path_after
from unjit.decompiler.ir.unbinding import unbound_name
from unjit.decompiler.ir.uses import all_roots, count_uses
from unjit.decompiler.passes.cleanups.parts.finally_suites import are_written_as, keeps_exception, raises_again
from unjit.decompiler.passes.cleanups.parts.match_copies import Copy, Matcher
from unjit.decompiler.passes.cleanups.parts.words_before_copies import (
    Before,
    Words,
    last_line_of,
    say_words,
    word_before,
)
from unjit.decompiler.passes.cleanups.parts.words_behind_copies import set_break_apart

_RECEIVES = frozenset({"END_SEND", "RESUME"})  # what an `await` ends by


def run(graph: Graph) -> None:
    """Recover all three."""
    _run(graph, Construct.FINALLY)


def run_without_finally(graph: Graph) -> None:
    """Recover `with` and `except … as`; a finally suite stays in its copies."""
    _run(graph, None)


def _run(graph: Graph, wanted: Construct | None) -> None:
    if not graph.is_protected:
        return
    pads = [b for b in graph.reachable() if isinstance(b.terminator, EnterTry)]
    if not pads:
        return
    before: dict[Block, list[Block]] = {}
    for block, edge in graph.edges():
        before.setdefault(edge.target, []).append(block)
    words: Words = {}
    for pad in sorted(pads, key=lambda b: (-len(b.region), -b.offset)):
        _recover(graph, pad, wanted, before, words)
    graph.forget_order()
    count_uses(graph)


def _recover(graph: Graph, pad: Block, wanted: Construct | None, before: Before, words: Words) -> None:
    enter = pad.terminator
    assert isinstance(enter, EnterTry)
    path = (*pad.region, Region("try", enter.handler))
    inside = _within(enter.body.target, path)
    handler = enter.caught.target
    if _unbinds(handler):
        copies = _copies_on_exits(inside, path, handler, before)
        if copies is not None:
            _cut(graph, copies, before, words)
            _dissolve(pad, enter, inside, path)
        return
    entered = _entered_before(pad, before)
    if entered is not None:
        swallowed = _swallowing_exit(handler, entered)
        exits = _exit_calls(inside, path, entered) if swallowed is not None else None
        if exits is not None and swallowed is not None:
            _cut(graph, exits, before, words, of_with=True)
            enter.construct, enter.manager, enter.caught = Construct.WITH, entered, swallowed
            _leave_from_within(inside, path, swallowed.target, before)
            return
    suite = _within(handler, (*pad.region, Region("except", enter.handler)))
    if wanted is Construct.FINALLY and keeps_exception(suite, handler):
        copies = _copies_on_exits(inside, path, handler, before, suite)
        if copies is None:
            return
        starts = [_behind_handler_exit(edge) for _, edge in _ways_out(inside, path)]  # those that others share, too
        if not are_written_as(handler, starts):
            return
        if raises_again(suite, handler):
            _cut(graph, copies, before, words)
            _end_instead_of_raising(graph, suite, handler.region)
        else:
            _end_instead_of_copies(graph, inside, path, before)
        enter.construct = Construct.FINALLY


def _within(first: Block, path: Path) -> list[Block]:
    """The blocks of a region, from its first one on."""
    found, work = {first: None}, [first]
    while work:
        for block in work.pop().successors():
            if block not in found and block.region[: len(path)] == path:
                found[block] = None
                work.append(block)
    return list(found)


# ---------------------------------------------------------------- ways out
def _ways_out(inside: list[Block], path: Path) -> list[tuple[Block, Edge]]:
    """Edges from blocks inside the region to outside, behind blocks that only leave a handler."""
    found = []
    for block in inside:
        if path_after(block)[: len(path)] == path:
            found += [(block, e) for e in block.terminator.edges() if e.target.region[: len(path)] != path]
    return found


def _behind_handler_exit(edge: Edge) -> Block:
    """Where an edge leads, past blocks that do nothing but leave a handler."""
    block = edge.target
    while not block.statements and block.leaves_handler and isinstance(block.terminator, Jump):
        block = block.terminator.edge.target
    return block


def _only_leaves(block: Block) -> bool:
    return block.leaves_handler and not block.statements and isinstance(block.terminator, Jump)


def _copies_on_exits(
    inside: list[Block], path: Path, handler: Block, before: Before, suite: Collection[Block] = ()
) -> list[Copy] | None:
    """The copy of the suite that begins with `handler` behind each way out; None when one way out has none."""
    copies: dict[Block, Copy] = {}
    for _, edge in _ways_out(inside, path):
        start = _behind_handler_exit(edge)
        if start not in copies:
            copy = Matcher().match(handler, start)
            if copy is None:
                return None
            if _entered_only_from(start, path, before, {*copy.blocks, *suite}):
                copies[start] = copy
            elif copy.count or copy.blocks:  # else the suite does nothing, and nothing of it is there to cut
                return None
    return list(copies.values())


def _entered_only_from(start: Block, path: Path, before: Before, own: Collection[Block] = ()) -> bool:
    """Whether all edges into `start` come out of the region, perhaps past a block that leaves a handler.

    Or from its `own` blocks: the copy of a suite that begins with a loop.
    """
    for block in before.get(start, []):
        if start not in block.successors() or path_after(block)[: len(path)] == path or _is_part(block, own, before):
            continue
        if block.statements or not block.leaves_handler or not _entered_only_from(block, path, before, own):
            return False
    return True


def _is_part(block: Block, own: Collection[Block], before: Before) -> bool:
    """Whether it is one of these, or does nothing, perhaps no more, between some of them."""
    seen: set[Block] = set()
    while block not in own:
        entries = before.get(block, [])
        if block.statements or block in seen or len(entries) != 1:
            return False
        seen.add(block)
        block = entries[0]
    return True


def _exit_calls(inside: list[Block], path: Path, entered: EnterWith) -> list[Copy] | None:
    """The call `exit(None, None, None)` behind each way out but the swallowing one."""
    copies: dict[Block, Copy] = {}
    for _, edge in _ways_out(inside, path):
        start = _behind_handler_exit(edge)
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


def _leave_from_within(inside: list[Block], path: Path, behind: Block, before: Before) -> None:
    """A `with` that ends a handler otherwise than by what stands behind it does so by a `break` or `continue` in it."""
    for _, edge in _ways_out(inside, path):
        leaving = edge.target
        if not _only_leaves(leaving) or leaving is behind or not _entered_only_from(leaving, path, before):
            continue
        if not (_only_leaves(behind) and _behind_handler_exit(Edge(behind)) is _behind_handler_exit(Edge(leaving))):
            leaving.region, leaving.leaves_handler = path, False


def _cut(graph: Graph, copies: list[Copy], before: Before, words: Words, *, of_with: bool = False) -> None:
    """Take the copies out: what led to one leads to what stood behind it."""
    graph.forget_order()
    found = [word_before(copy.start, before, words, of_with=of_with) for copy in copies]
    leading: list[tuple[Edge, Instr]] = []
    falls_off = any(word is None and _only_ends(copy) for copy, word in zip(copies, found, strict=True))
    for copy, word in zip(copies, found, strict=True):
        rest, last_line = copy.block, last_line_of(copy)
        written = word is not None and _only_ends(copy) and length(rest.instrs) > LONGEST_COPY
        if copy.count:
            rest.instrs = _behind(rest.statements[copy.count - 1], rest.instrs)
        del rest.statements[: copy.count]
        if word is not None:
            words[rest] = word
            if is_bare_exit(rest) and rest.last_line == last_line and (word.line or 0) < (last_line or 0):  # a finally
                rest.instrs = [replace(instr, line=word.line) for instr in rest.instrs]
            if _is_short_exit(rest) or (not rest.statements and _ends_something(before[copy.start])):
                rest.instrs = [word, *rest.instrs]
            if falls_off and written:
                mark_written(rest.statements[-1])
        if word is not None and None in found and not rest.statements:
            leading += [(edge, word) for _, edge in graph.edges() if edge.target is copy.start]
        set_break_apart(graph, rest, last_line, before.get(copy.start, []))
        if copy.blocks:
            _lead_behind(graph, copy)
    say_words(graph, leading)


def _lead_behind(graph: Graph, copy: Copy) -> None:
    """What led to a block of the copy leads to what stands behind it."""
    rest = copy.block
    rest.params = _handed_past(graph, copy)  # what the copy handed on was for its own last statements
    for _, edge in list(graph.edges()):
        if edge.target in copy.blocks:
            given = dict(zip(edge.target.params, edge.args, strict=False))
            edge.target, edge.args = rest, [given[param] for param in rest.params if param in given]


def _is_short_exit(rest: Block) -> bool:
    """Whether it may be a copy of an exit, which stands behind the loop that a `break` in front of it leaves.

    What returns a value that was computed before is part of what a copy was in front of.
    """
    only = rest.statements[0] if len(rest.statements) == 1 and not rest.params else None
    is_whole = isinstance(only, ast.Return) and not isinstance(only.value, Temp)
    return is_bare_exit(rest) or (is_whole and length(rest.instrs) <= LONGEST_COPY)


def _only_ends(copy: Copy) -> bool:
    """Whether all that stands behind a copy is `return None`, which a function that comes to its end does as well."""
    return returns_nothing(copy.block) and len(copy.block.statements) == copy.count + 1


def _handed_past(graph: Graph, copy: Copy) -> list[Temp]:
    """What is handed to the start of a copy and read behind it: a value chosen in front of it, to be returned."""
    handed, read = copy.start.params if copy.start in copy.blocks else [], dict[Temp, int]()
    for block in graph.reachable() if handed else ():
        if block not in copy.blocks:
            count_temps(all_roots(block), read)
    return [param for param in handed if param in read]


def _ends_something(entries: list[Block]) -> bool:
    """Whether a word behind these blocks is a `continue`: one that is all there is would be `pass`."""
    return all(block.statements or isinstance(block.terminator, Branch) for block in entries)


def _behind(statement: ast.stmt, instrs: list[Instr]) -> list[Instr]:
    """The instructions behind those of a statement, to which belong those that end an `await` and drop its value."""
    last = offset_of(statement)
    behind = [i for i in instrs if last is None or i.offset > last]
    for op in ("END_SEND", "POP_TOP") if isinstance(statement, ast.Expr) else ():
        if behind and behind[0].op == op:
            behind = behind[1:]
    return behind


# ---------------------------------------------------------------- handlers
def _unbinds(handler: Block) -> bool:
    """`e = None; del e` and on with the exception: behind `except … as e`."""
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


def _entered_before(pad: Block, before: Before) -> EnterWith | None:
    """The context manager entered right before the region, on the only way to it."""
    entries = [block for block in before.get(pad, []) if pad in block.successors()]
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


def _end_instead_of_raising(graph: Graph, suite: list[Block], inside: Path) -> None:
    """A finally suite just ends where the handler would re-raise."""
    end = graph.new_block(graph.entry.offset, inside)
    for block in suite:
        if block.region == inside and block.statements and isinstance(block.statements[-1], Reraise):
            block.statements.pop()
            block.terminator = Jump(Edge(end))


def _end_instead_of_copies(graph: Graph, inside: list[Block], path: Path, before: Before) -> None:
    """What led to copies of a suite that never ends leads to nothing behind the statement, or is a `return` again."""
    ways = [(block, edge, _behind_handler_exit(edge)) for block, edge in _ways_out(inside, path)]
    if not ways:
        return
    end = graph.new_block(max(start.offset for _, _, start in ways), path[:-1])
    end.statements.append(ast.Return(ast.Constant(None)))  # what nothing comes to is said as soon as anything is
    for block, edge, start in ways:
        working = _last_working(block, inside, before)
        skipped = [between for between in (block, edge.via) if between is not None and between is not working]
        returned = _left_on_the_stack(working, skipped)
        if returned is not None:
            working.statements[-1], working.terminator = ast.Return(returned), LEAVE
        elif word_before(start, before, {}) is None:
            edge.target, edge.args = end, []
        else:
            edge.target, edge.args = graph.new_block(start.offset, path_after(block)), []
            edge.target.statements.append(ast.Return(ast.Constant(None)))
    graph.forget_order()


def _last_working(block: Block, inside: list[Block], before: Before) -> Block:
    """The block, or, where that only leaves a handler, the one that alone leads to it."""
    entries = before.get(block, [])
    while not block.statements and len(entries) == 1 and entries[0] in inside and block in entries[0].successors():
        block = entries[0]
        entries = before.get(block, [])
    return block


def _left_on_the_stack(block: Block, following: list[Block]) -> ast.expr | None:
    """The value that a block computes last and keeps: the copy of a suite that returns another drops it.

    So may what follows the block, without a statement of its own.
    """
    last = block.statements[-1] if block.statements and isinstance(block.terminator, Jump) else None
    if not isinstance(last, ast.Expr):
        return None
    end = max(offset_of(node) or 0 for node in ast.walk(last))
    instrs = [i for each in (block, *following) for i in each.instrs]
    behind = [i for i in instrs if i.offset > end and i.op not in _RECEIVES]
    return None if behind and behind[0].op == "POP_TOP" else last.value
