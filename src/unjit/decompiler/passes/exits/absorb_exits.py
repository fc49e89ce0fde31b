"""Returns that stand outside a region only because they cannot raise go back into it.

*What the compiler did*: the value of `return f(x)` in a try body was computed inside the protected range, and returned
outside it, after the end of each handler that it stood in. *What we produce*: the return in the region of the only
blocks that lead to it. *What we refuse*: anything that could raise there.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from itertools import product

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.ir.as_written.jump_statements import iterator_dropped, leading_nop
from unjit.decompiler.ir.flow.clauses import shared_by_clauses
from unjit.decompiler.ir.flow.exits import may_raise
from unjit.decompiler.ir.flow.graph import (
    Block,
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
from unjit.decompiler.ir.flow.regions import path_after
from unjit.decompiler.ir.tree.nodes import Temp
from unjit.decompiler.ir.tree.notes import offset_of


def run(graph: Graph) -> None:
    """In reverse post-order, so that a return after an empty block follows that block."""
    if not graph.is_protected:
        return
    predecessors = graph.predecessors()
    shared, around = shared_by_clauses(graph, predecessors), _EnclosingStatements(graph, predecessors)
    for block in graph.reachable():
        entries = predecessors.get(block, [])
        if not entries or any(_enters(entry, block) for entry in entries):
            continue
        if not _is_after(block, entries, around):
            is_alone = len(entries) == 1 and entries[0] not in shared and not _is_below_clause(block, entries[0])
            _move(block, _written_at(block, entries, around, is_alone=is_alone), around)


def _written_at(block: Block, entries: list[Block], around: _EnclosingStatements, *, is_alone: bool) -> Path | None:
    """The regions that a block was written in; None where it stays in those that it is in.

    With `is_alone` one block leads to it, which is no end of a handler that several clauses come to.
    """
    returning = _way_to_return(block, around.predecessors)
    # After a block that leaves a handler, a return can as well come before the leaving.
    path = entries[0].region if is_alone else _only(map(path_after, entries)) or around.after_one_with(entries)
    if returning is not None and path is not None:
        written = _written_in(around, returning, path)
        if written == path or len(written) > len(block.region):
            return written
    if _is_empty(block):
        if is_alone and path is not None and _leaves_two_handlers(block, entries[0], around.predecessors):
            return _leaving_within(block.successors()[0], path, around)
        return around.place_of_break(block, _only(map(path_after, entries)))
    return _leaving_within(block, path, around) if is_alone else None


def _is_after(block: Block, entries: list[Block], around: _EnclosingStatements) -> bool:
    """Whether the return was written after the block, so that the block stays: that is the end of a `with`, say."""
    nop, first = leading_nop(_return_after(block)), block.begins_with
    if nop is None:
        return False
    if nop.offset > (block.offset if first is None else first.offset):
        return True
    return all(_jumps_over_handler(entry, block, nop, around) for entry in entries)


def _is_below_clause(block: Block, entry: Block) -> bool:
    """Whether a return stands below a clause that comes to its end: one in it would have been left on its line."""
    nop = leading_nop(_return_after(block))
    left = next((k for k, instr in enumerate(entry.instrs) if instr.op == "POP_EXCEPT"), 0)
    if not v.PY311 or nop is None or not entry.leaves_handler or not left:
        return False
    line = entry.instrs[left].line
    return line is not None and entry.instrs[left - 1].line == line < (nop.line or 0)


def _jumps_over_handler(entry: Block, block: Block, nop: Instr, around: _EnclosingStatements) -> bool:
    """Whether the NOP is on the line of a jump from a `try` to after its handlers: that of a `return` is within."""
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
    returning, passed = _return_after(block), list[Block]()
    while returning is not None and block is not returning:
        passed.append(block)
        (block,) = block.successors()
        if len(predecessors[block]) > 1:
            return None
    if returning is None or any(_takes_value(leaving, returning) for leaving in passed):
        return None
    return returning


def _return_after(block: Block) -> Block | None:
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
    """Whether control that comes here does nothing but return a constant, or a value that was computed before."""
    returning = _return_after(block)
    returned = None if returning is None else returning.statements[0]
    return isinstance(returned, ast.Return) and isinstance(returned.value, ast.Constant | Temp)


def _takes_value(block: Block, returning: Block) -> bool:
    """Whether the local that is returned is read in `block`."""
    returned = returning.statements[0]
    assert isinstance(returned, ast.Return)
    if not isinstance(returned.value, ast.Name):
        return False
    return offset_of(returned.value) in {instr.offset for instr in block.instrs}


def _written_in(around: _EnclosingStatements, block: Block, path: Path) -> Path:
    """The regions that a return was written in, of those in `path`: by its line, a constant's may be after some `try`.

    The return that nobody wrote has a line of the finally suite before it. So has one whose constant is loaded
    after the copy of the suite, if no other instruction has its line.
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
            after = _first_line(handler) if returned.value.value is None else around.last_line(region) + 1
            if after is not None and line >= after and not around.is_after_nop(block, line, region):
                return path[:depth] if _comes_to_the_end(around, block, path, depth) else path
        elif region is path[-1] and handler.last_line is not None and line > handler.last_line:
            unclear = nop is None and around.is_in_finally_suite(line, path[:depth])
            return path if unclear and not around.is_left_after(block, handler.last_line) else path[:depth]
    return path


def _comes_to_the_end(around: _EnclosingStatements, leaving: Block, path: Path, depth: int) -> bool:
    """Whether all that leaves the statements around `leaving`, from `path[depth]` inwards, only returns.

    If anything else does, code stands after one of them, and the return was written within. Not so for an `else` that
    always returns: the end of a clause jumps past it.
    """
    for k in range(depth, len(path)):
        for block, edge in around.leaving(path[k].handler):
            if _is_in_finally(block.region, k, around.constructs):
                continue  # out of a finally suite leads only a jump statement of its own
            if _is_within(block.region, path, k) and not _is_within(edge.target.region, path, k):
                is_else = block.region[k].kind == "try" and _return_after(edge.target) is None
                if not (is_else and around.is_jumped_to(leaving) and _always_leaves(edge.target, path[:k])):
                    return False
    return True


def _always_leaves(first: Block, around: Path) -> bool:
    """Whether control that comes to this block leaves these regions only by a return."""
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
    """Whether a block with this `region` is in some suite of the statement that `path[depth]` is a suite of."""
    return len(region) > depth and region[:depth] == path[:depth] and region[depth].handler == path[depth].handler


def _is_in_finally(region: Path, depth: int, constructs: dict[int, Construct]) -> bool:
    """Whether a block with this `region` is in the finally suite of the statement at this depth."""
    if len(region) <= depth or region[depth].kind != "except":
        return False
    return constructs.get(region[depth].handler) is Construct.FINALLY


def _first_line(handler: Block) -> int | None:
    """The line on which a suite begins; where it begins by a loop, the block before that has none."""
    jump = handler.terminator
    if handler.first_line is None and isinstance(jump, Jump):
        return jump.edge.target.first_line
    return handler.first_line


def _enters(pad: Block, block: Block) -> bool:
    """Whether `pad` enters a region or its handler at `block`, and not what a `with` goes on to after swallowing."""
    enter = pad.terminator
    if not isinstance(enter, EnterTry):
        return False
    return enter.construct is not Construct.WITH or enter.body.target is block


def _is_empty(block: Block) -> bool:
    """Whether the block does nothing that could raise: it neither computes what is returned nor loads a variable."""
    if block.leaves_handler or not _only_goes_on(block):
        return False
    returning = _return_after(block)
    return returning is None or not _takes_value(block, returning)


def _leaves_two_handlers(block: Block, entry: Block, predecessors: Predecessors) -> bool:
    """Whether the ends of two handlers before and after a block have one line, that of a `break` in the inner one."""
    (onward,) = block.successors()
    ends = [end.instrs[-1] for end in (entry, onward) if end.leaves_handler and end.instrs]
    if len(ends) != 2 or len(predecessors[onward]) > 1 or ends[0].line is None:
        return False
    return ends[0].line == ends[1].line and {end.op for end in ends} == {"POP_EXCEPT"}


def _leaving_within(block: Block, path: Path | None, around: _EnclosingStatements) -> Path | None:
    """Where a block stands that only leaves a handler, from a region within that: a `break` in a `with` there does so.

    After the body of a `try` it may as well stand in an `else`, if it is not told by a line above the handlers.
    """
    if path is None or not block.leaves_handler or not _only_goes_on(block) or _return_after(block) is not None:
        return None
    nop = leading_nop(block)
    for depth in range(len(block.region), len(path)):
        if around.has_else(path[depth]) and not (nop and around.is_above_handlers(nop, path[depth])):
            return path[:depth]
    return path


def _only_goes_on(block: Block) -> bool:
    jump = block.terminator
    return not block.statements and isinstance(jump, Jump) and not (_computes(jump) or may_raise(block))


def _computes(jump: Jump) -> bool:
    """Whether the jump computes what it hands on."""
    return not all(isinstance(value, ast.Constant | ast.Name | Temp) for value in jump.edge.args)


def _only_returns(block: Block) -> bool:
    """Whether the block is a return of a constant, or of a value that was loaded before it."""
    if len(block.statements) != 1 or not isinstance(block.terminator, Leave):
        return False
    returned = block.statements[0]
    if not isinstance(returned, ast.Return):
        return False
    return isinstance(returned.value, ast.Constant | Temp | ast.Name) and not _takes_value(block, block)


def _move(block: Block, path: Path | None, around: _EnclosingStatements) -> None:
    if path is not None and path[: len(block.region)] == block.region:
        block.leaves_handler = block.leaves_handler and block.region == path
        entered = path[len(block.region) :]
        block.region = path
        around.note(block, entered)


class _EnclosingStatements:
    """The statements around returns: their handlers, constructs and last lines, and the edges out of them."""

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

    def after_one_with(self, entries: list[Block]) -> Path | None:
        """The region of the one `with` after which all `entries` stand: its end, and where it swallows an exception.

        Only as far as that `with` stands in another: after one that ends a `try`, a return may follow the `try`, too.
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
        """Whether the region is the body of a `try … except`, so that what follows it may be its `else`."""
        return region.kind == "try" and self.constructs.get(region.handler) is Construct.TRY

    def is_above_handlers(self, nop: Instr, region: Region) -> bool:
        """Whether what left the NOP stands in the body of a `try`, and not in an `else`."""
        return (nop.line or 0) < (_first_line(self.handlers[region.handler]) or 0)

    def is_in_finally_suite(self, line: int, path: Path) -> bool:
        """Whether a finally suite around has this line, as a constant that is returned after a copy of it has."""
        for region in path:
            if region.kind == "try" and self.constructs.get(region.handler) is Construct.FINALLY:
                first = _first_line(self.handlers[region.handler])
                if first is not None and first <= line <= self.last_line(region):
                    return True
        return False

    def place_of_break(self, block: Block, path: Path | None) -> Path | None:
        """Where a block that does nothing stands: not in a `try` if it is a `break` on a line after the `finally`."""
        if path is None or not block.is_jump_statement or not iterator_dropped(block.instrs):
            return path
        for depth, region in enumerate(path):
            is_finally = region.kind == "try" and self.constructs.get(region.handler) is Construct.FINALLY
            if is_finally and (block.first_line or 0) > self.last_line(region):
                return path[:depth]
        return path

    def is_left_after(self, block: Block, line: int) -> bool:
        """Whether an edge to the block was led past one that only leaves a `try`, on a line below this one (3.10)."""
        edges = [
            edge for entry in self.predecessors[block] for edge in entry.terminator.edges() if edge.target is block
        ]
        passed = [edge.via.instrs for edge in edges if edge.via is not None]
        return any(
            {instr.op for instr in instrs} == {"POP_BLOCK"} and (instrs[0].line or 0) > line for instrs in passed
        )

    def is_after_nop(self, block: Block, line: int, protected: Region) -> bool:
        """Whether the block has a line of the cleanup, and only a block with the NOP of a return leads to it."""
        above = self.predecessors.get(block, [])
        if line > self.last_line(protected) or len(above) != 1 or above[0].statements:
            return False
        return isinstance(above[0].terminator, Jump) and leading_nop(above[0]) is not None

    def leaving(self, handler: int) -> list[tuple[Block, Edge]]:
        """The edges that leave a suite of the statement with this handler for anything but a return of a constant."""
        return self._left.get(handler, [])

    def is_jumped_to(self, block: Block) -> bool:
        """Whether control comes to the block by jumps alone: a return would stand right after what comes before it."""
        edges = [(entry, edge) for entry in self.predecessors[block] for edge in entry.terminator.edges()]
        last = [edge.via or entry for entry, edge in edges if edge.target is block]
        return all(passed.instrs and passed.instrs[-1].op in v.UNCONDITIONAL_JUMPS for passed in last)
