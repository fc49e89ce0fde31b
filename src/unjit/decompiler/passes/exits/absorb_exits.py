"""Returns that stand outside a region only because they cannot raise go back into it.

*What the compiler did*: the value of `return f(x)` in a try body was computed inside the protected range, and returned
outside it, behind the end of each handler that it stood in. *What we produce*: the return in the region of the only
blocks that lead to it. *What we refuse*: anything that could raise there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import product

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.ir.clauses import shared_by_clauses
from unjit.decompiler.ir.exits import may_raise
from unjit.decompiler.ir.graph import Block, Construct, Edge, EnterTry, Graph, Jump, Leave, Path, Predecessors, Region
from unjit.decompiler.ir.jump_statements import iterator_dropped, leading_nop
from unjit.decompiler.ir.nodes import Temp, offset_of
from unjit.decompiler.ir.regions import path_after


def run(graph: Graph) -> None:
    """In reverse post-order, so that a return behind an empty block follows that block."""
    if not graph.is_protected:
        return
    predecessors = graph.predecessors()
    shared, around = shared_by_clauses(graph, predecessors), _Around(graph, predecessors)
    for block in graph.reachable():
        entries = predecessors.get(block, [])
        if not entries or any(_enters(entry, block) for entry in entries):
            continue
        if _is_behind(block, entries, around):
            continue
        returning = _way_to_return(block, predecessors)
        # Behind a block that leaves a handler, a return can as well come before the leaving.
        alone = len(entries) == 1 and entries[0] not in shared
        path = entries[0].region if alone else _only(map(path_after, entries)) or around.behind_one_with(entries)
        written = None if returning is None or path is None else _written_in(around, returning, path)
        if written is not None and (written == path or len(written) > len(block.region)):
            _move(block, written, around)
        elif _is_empty(block):
            _move(block, around.place_of_break(block, _only(map(path_after, entries))), around)
        elif alone and _leaves_within(block, path, around):
            _move(block, path, around)


def _is_behind(block: Block, entries: list[Block], around: _Around) -> bool:
    """Whether the return was written behind what the block was, such as the end of a `with`, or behind a `break`."""
    nop, first = leading_nop(_return_behind(block)), block.begins_with
    if nop is None:
        return False
    if nop.offset > (block.offset if first is None else first.offset):
        return True
    return all(_jumps_over_handler(entry, block, nop, around) for entry in entries)


def _jumps_over_handler(entry: Block, block: Block, nop: Instr, around: _Around) -> bool:
    """Whether the NOP is on the line of a jump from a `try` to behind its handlers: that of a `return` is within."""
    jumps = [edge.via.instrs[-1] for edge in entry.terminator.edges() if edge.target is block and edge.via is not None]
    handlers = [around.handlers.get(region.handler) for region in entry.region if region.kind == "try"]
    return any(
        jump.op in v.UNCONDITIONAL_JUMPS
        and jump.line == nop.line
        and jump.offset < handler.offset < block.offset
        and (jump.line or 0) < (handler.first_line or 0)
        for jump, handler in product(jumps, filter(None, handlers))
    )


def _only(paths: Iterable[Path]) -> Path | None:
    """The path that all of them are."""
    different = set(paths)
    return different.pop() if len(different) == 1 else None


def _way_to_return(block: Block, predecessors: Predecessors) -> Block | None:
    """The block that only returns: this one, or what it alone leads to when it does nothing, or leaves a handler."""
    returning, passed = _return_behind(block), list[Block]()
    while returning is not None and block is not returning:
        passed.append(block)
        (block,) = block.successors()
        if len(predecessors[block]) > 1:
            return None
    if returning is None or any(_takes_value(leaving, returning) for leaving in passed):
        return None
    return returning


def _return_behind(block: Block) -> Block | None:
    """The block that only returns to which this one leads if it does nothing."""
    passed: set[Block] = set()
    while not _only_returns(block):
        jump = block.terminator
        if block.statements or not isinstance(jump, Jump) or block in passed or _computes(jump):
            return None
        passed.add(block)
        block = jump.edge.target
    return block


def _returns_constant(block: Block) -> bool:
    """Whether control that comes here only returns a constant, or what was taken before."""
    returning = _return_behind(block)
    returned = None if returning is None else returning.statements[0]
    return isinstance(returned, ast.Return) and isinstance(returned.value, ast.Constant | Temp)


def _takes_value(block: Block, returning: Block) -> bool:
    """Whether the local that is returned is read in `block`."""
    returned = returning.statements[0]
    assert isinstance(returned, ast.Return)
    if not isinstance(returned.value, ast.Name):
        return False
    return offset_of(returned.value) in {instr.offset for instr in block.instrs}


def _written_in(around: _Around, block: Block, path: Path) -> Path:
    """How far in a return was written: one of a constant that has a line behind a handler's stood in no try body.

    The one that nobody wrote has a line of the finally suite in front of it, and so has one whose constant is loaded
    behind the copy of the suite, if no other instruction has the line of it.
    """
    returned, nop = block.statements[0] if block.statements else None, leading_nop(block)
    line = block.last_line if nop is None else nop.line
    if not isinstance(returned, ast.Return) or not isinstance(returned.value, ast.Constant) or line is None:
        return path
    for depth, region in enumerate(path):
        handler, construct = around.handlers.get(region.handler), around.constructs.get(region.handler)
        if region.kind != "try" or handler is None or (construct is Construct.WITH and nop is not None):
            continue
        if construct is Construct.FINALLY:
            behind = _first_line(handler) if returned.value.value is None else around.last_line(region) + 1
            if behind is not None and line >= behind and not around.is_behind_nop(block, line, region):
                return path[:depth] if _comes_to_the_end(around, block, path, depth) else path
        elif region is path[-1] and handler.last_line is not None and line > handler.last_line:
            unclear = nop is None and around.is_in_finally_suite(line, path[:depth])
            return path if unclear and not around.is_left_behind(block, handler.last_line) else path[:depth]
    return path


def _comes_to_the_end(around: _Around, leaving: Block, path: Path, depth: int) -> bool:
    """Whether all that leaves one of the statements around `leaving`, from that at `depth` on, only returns.

    Else control that comes to the end of a suite goes on there, and a return of None was written; but for an `else`
    that always returns, where what ends a clause jumps past it.
    """
    for k in range(depth, len(path)):
        for block, edge in around.leaving(path[k].handler):
            if _is_in_finally(block.region, k, around.constructs):
                continue  # what leaves that is a statement of its own
            if _is_within(block.region, path, k) and not _is_within(edge.target.region, path, k):
                is_else = block.region[k].kind == "try" and _return_behind(edge.target) is None
                if not (is_else and around.is_jumped_to(leaving) and _always_leaves(edge.target, path[:k])):
                    return False
    return True


def _always_leaves(first: Block, around: Path) -> bool:
    """Whether nothing that begins with a block in these regions comes to what is behind them but by a return."""
    work, seen = [first], {first}
    while work:
        block = work.pop()
        if block.region[: len(around)] != around:
            return False
        if not isinstance(block.terminator, Leave):
            new = {b for b in block.successors() if not _only_returns(b)} - seen
            seen |= new
            work += new
    return True


def _is_within(region: Path, path: Path, depth: int) -> bool:
    """Whether a region is that of a suite of the statement that the region `path[depth]` is a suite of."""
    return len(region) > depth and region[:depth] == path[:depth] and region[depth].handler == path[depth].handler


def _is_in_finally(region: Path, depth: int, constructs: dict[int, Construct]) -> bool:
    """Whether a region is, or stands within, a finally suite at this depth."""
    if len(region) <= depth or region[depth].kind != "except":
        return False
    return constructs.get(region[depth].handler) is Construct.FINALLY


def _first_line(handler: Block) -> int | None:
    """The line on which a suite begins, perhaps by a loop: then what comes before it has no line."""
    jump = handler.terminator
    if handler.first_line is None and isinstance(jump, Jump):
        return jump.edge.target.first_line
    return handler.first_line


def _enters(pad: Block, block: Block) -> bool:
    """Whether a region or its handler begins with `block`; where a with goes on after swallowing is behind it."""
    enter = pad.terminator
    if not isinstance(enter, EnterTry):
        return False
    return enter.construct is not Construct.WITH or enter.body.target is block


def _is_empty(block: Block) -> bool:
    """Whether it does nothing: nor computes or takes what is returned, nor takes what may not be there."""
    if block.leaves_handler or not _only_goes_on(block):
        return False
    returning = _return_behind(block)
    return returning is None or not _takes_value(block, returning)


def _leaves_within(block: Block, path: Path | None, around: _Around) -> bool:
    """Whether it only leaves a handler, as a `break` in a `with` in that does behind the end of the `with`.

    Behind the body of a `try` it may as well stand in an `else`.
    """
    if path is None or not block.leaves_handler or not _only_goes_on(block) or _return_behind(block) is not None:
        return False
    return not any(around.has_else(region) for region in path[len(block.region) :])


def _only_goes_on(block: Block) -> bool:
    jump = block.terminator
    return not block.statements and isinstance(jump, Jump) and not (_computes(jump) or may_raise(block))


def _computes(jump: Jump) -> bool:
    """Whether what is handed on with it, to be returned, is computed there."""
    return not all(isinstance(value, ast.Constant | ast.Name | Temp) for value in jump.edge.args)


def _only_returns(block: Block) -> bool:
    """A return of a constant, or of a value that was taken before the block."""
    if len(block.statements) != 1 or not isinstance(block.terminator, Leave):
        return False
    returned = block.statements[0]
    if not isinstance(returned, ast.Return):
        return False
    return isinstance(returned.value, ast.Constant | Temp | ast.Name) and not _takes_value(block, block)


def _move(block: Block, path: Path | None, around: _Around) -> None:
    if path is not None and path[: len(block.region)] == block.region:
        block.leaves_handler = block.leaves_handler and block.region == path
        entered = path[len(block.region) :]
        block.region = path
        around.note(block, entered)


class _Around:
    """The statements around returns: their handlers, what those are, and the ways out of each that do more."""

    def __init__(self, graph: Graph, predecessors: Predecessors) -> None:
        self.predecessors = predecessors
        self.handlers = {block.index: block for block in graph.blocks}
        self.constructs: dict[int, Construct] = {}
        self._last: dict[int, int] = {}
        self._left: dict[int, list[tuple[Block, Edge]]] = {}
        for block in graph.blocks:
            self._note_lines(block, block.region)
        for block in graph.reachable():
            self._note_ways(block, block.region)
            if isinstance(block.terminator, EnterTry):
                self.constructs[block.terminator.handler] = block.terminator.construct

    def note(self, block: Block, entered: Path) -> None:
        """A block was moved into these regions: none is ever moved out of one."""
        self._note_lines(block, entered)
        self._note_ways(block, entered)

    def behind_one_with(self, entries: list[Block]) -> Path | None:
        """Where the ways to a block come from if all are of one with: its end and what it swallows are one way.

        As far as that stands in another with: a return behind a with that a `try` ends in may as well be behind that.
        """
        paths = [path_after(entry) for entry in entries]
        for pad in entries:
            if isinstance(pad.terminator, EnterTry):
                suite = (*pad.region, Region("try", pad.terminator.handler))
                paths = [pad.region if path[: len(suite)] == suite else path for path in paths]
        path = _only(paths)
        while path and self.constructs.get(path[-1].handler) is not Construct.WITH:
            path = path[:-1]
        return path

    def _note_lines(self, block: Block, entered: Path) -> None:
        for region in entered:
            if region.kind == "except":
                lines = [instr.line for instr in block.instrs if instr.line is not None]
                self._last[region.handler] = max([self._last.get(region.handler, 0), *lines])

    def _note_ways(self, block: Block, entered: Path) -> None:
        for edge in block.terminator.edges():
            left = [region.handler for region in entered if region not in edge.target.region]
            if left and not _returns_constant(edge.target):
                for handler in left:
                    self._left.setdefault(handler, []).append((block, edge))

    def last_line(self, protected: Region) -> int:
        """The last line of the handler of a region."""
        return self._last.get(protected.handler, 0)

    def has_else(self, region: Region) -> bool:
        """Whether what is behind the end of a suite may stand in an `else`."""
        return region.kind == "try" and self.constructs.get(region.handler) is Construct.TRY

    def is_in_finally_suite(self, line: int, path: Path) -> bool:
        """Whether it is a line of what a `finally` around does, which what is returned behind a copy of that has."""
        for region in path:
            if region.kind == "try" and self.constructs.get(region.handler) is Construct.FINALLY:
                first = _first_line(self.handlers[region.handler])
                if first is not None and first <= line <= self.last_line(region):
                    return True
        return False

    def place_of_break(self, block: Block, path: Path | None) -> Path | None:
        """Where a block that does nothing stands: not in a `try` if it is a `break` on a line behind the `finally`."""
        if path is None or not block.is_jump_statement or not iterator_dropped(block.instrs):
            return path
        for depth, region in enumerate(path):
            is_finally = region.kind == "try" and self.constructs.get(region.handler) is Construct.FINALLY
            if is_finally and (block.first_line or 0) > self.last_line(region):
                return path[:depth]
        return path

    def is_left_behind(self, block: Block, line: int) -> bool:
        """Whether what leads to a block only leaves a `try`, on a line behind this one (3.10)."""
        edges = [
            edge for entry in self.predecessors[block] for edge in entry.terminator.edges() if edge.target is block
        ]
        passed = [edge.via.instrs for edge in edges if edge.via is not None]
        return any(
            {instr.op for instr in instrs} == {"POP_BLOCK"} and (instrs[0].line or 0) > line for instrs in passed
        )

    def is_behind_nop(self, block: Block, line: int, protected: Region) -> bool:
        """Whether only a block that begins with the NOP of a return leads there, to what has a line of the cleanup."""
        above = self.predecessors.get(block, [])
        if line > self.last_line(protected) or len(above) != 1 or above[0].statements:
            return False
        return isinstance(above[0].terminator, Jump) and leading_nop(above[0]) is not None

    def leaving(self, handler: int) -> list[tuple[Block, Edge]]:
        """The edges that leave the statement of this handler, or one suite of it for another, and not to return."""
        return self._left.get(handler, [])

    def is_jumped_to(self, block: Block) -> bool:
        """Whether each way to a block is a jump: a return stands right behind what comes before it."""
        edges = [(entry, edge) for entry in self.predecessors[block] for edge in entry.terminator.edges()]
        last = [edge.via or entry for entry, edge in edges if edge.target is block]
        return all(passed.instrs and passed.instrs[-1].op in v.UNCONDITIONAL_JUMPS for passed in last)
