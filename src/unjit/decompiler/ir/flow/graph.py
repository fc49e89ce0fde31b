"""Basic blocks, typed edges and the handlers that protect them."""

from __future__ import annotations

import ast
import enum
from collections.abc import Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from types import CodeType
from typing import NamedTuple

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.bytecode.instructions.positions import Positions
from unjit.decompiler.ir.tree.nodes import EnterWith, Temp

_OF_JUMP_STATEMENTS = v.UNCONDITIONAL_JUMPS | {"NOP", "POP_TOP"}
_ENDS_LOOPS = _OF_JUMP_STATEMENTS | {"END_FOR", "POP_ITER"}


@dataclass(slots=True, eq=False)
class Edge:
    """Control going to `target`, giving a value to each of its parameters."""

    target: Block
    args: list[ast.expr] = field(default_factory=list)
    line: int | None = None  # of the jump statement or `pass` that was written for it, if one was
    leaves: bool = False  # whether that statement is known to be a jump: a line alone may be that of a `pass`
    place: int | None = None  # the offset that it led to in the bytecode, whatever passes made of what stood there
    via: Block | None = None  # the last of the blocks that passes led it past, which did nothing but go on

    @property
    def laid_to(self) -> int:
        """The offset that the edge led to in the bytecode; if none is known, that of its target."""
        return self.target.offset if self.place is None else self.place

    @property
    def came_to(self) -> int:
        """The offset at which control came to the target, or to a copy of it, past what the edge was led past."""
        edge, passed = self, set[Block]()
        while edge.via is not None and edge.via not in passed and isinstance(edge.via.terminator, Jump):
            passed.add(edge.via)
            edge = edge.via.terminator.edge
        return edge.laid_to


@dataclass(slots=True, eq=False)
class Jump:
    """Control goes on along the one edge."""

    edge: Edge

    def edges(self) -> list[Edge]:
        return [self.edge]

    def reads(self) -> list[ast.AST]:
        return []


@dataclass(slots=True, eq=False)
class Branch:
    """`test` decides; `falls_through` says which arm the compiler laid out next, so which one the `if` had."""

    test: ast.expr
    true: Edge
    false: Edge
    falls_through: bool = True
    is_shortened: bool = False  # whether the jump was led past another test of the same value (3.14)

    def edges(self) -> list[Edge]:
        return [self.true, self.false] if self.falls_through else [self.false, self.true]

    def reads(self) -> list[ast.AST]:
        return [self.test]


@dataclass(slots=True, eq=False)
class NextItem:
    """FOR_ITER: `item` from `iterator` and on to `body`, or exhausted."""

    iterator: ast.expr
    item: Temp
    body: Edge
    exhausted: Edge
    is_async: bool = False

    def edges(self) -> list[Edge]:
        return [self.body, self.exhausted]

    def reads(self) -> list[ast.AST]:
        return [self.iterator]


class Construct(enum.Enum):
    """What statement a protected region is."""

    TRY = "try … except"  # `caught` is the handler
    FINALLY = "try … finally"  # `caught` is the finally suite, which ends where the exception would go on
    WITH = "with"  # `caught` is where control goes when the manager swallows the exception


@dataclass(slots=True, eq=False)
class EnterTry:
    """The protected region of `handler` begins: a block of its own, made by `find_regions`."""

    handler: int
    body: Edge
    caught: Edge
    construct: Construct = Construct.TRY
    manager: EnterWith | None = None
    continued: int | None = None  # the line of the `continue` after the statement, if one is known to be there

    def edges(self) -> list[Edge]:
        return [self.body, self.caught]

    def reads(self) -> list[ast.AST]:
        return []


@dataclass(slots=True, eq=False)
class Case:
    """One clause of a match statement."""

    pattern: ast.pattern
    guard: ast.expr | None
    edge: Edge | None  # None where the guard is never true


@dataclass(slots=True, eq=False)
class Match:
    """The first case whose pattern and guard agree with `subject` decides."""

    subject: ast.expr
    cases: list[Case]
    otherwise: Edge | None  # None where the last case matches everything

    def edges(self) -> list[Edge]:
        edges = [*(case.edge for case in self.cases), self.otherwise]
        return [edge for edge in edges if edge is not None]

    def reads(self) -> list[ast.AST]:
        tests = [test for case in self.cases for test in (case.pattern, case.guard) if test is not None]
        return [self.subject, *tests]


@dataclass(slots=True, eq=False)
class Leave:
    """The frame ends here: the last statement is a return, a raise or a re-raise."""

    def edges(self) -> list[Edge]:
        return []

    def reads(self) -> list[ast.AST]:
        return []


Terminator = Jump | Branch | NextItem | EnterTry | Match | Leave
LEAVE = Leave()


@dataclass(slots=True, eq=False)
class Block:
    """A straight run of statements under one handler.

    `region` is the path of try and handler regions around it, outermost first; `find_regions` sets it.
    """

    index: int
    instrs: list[Instr] = field(default_factory=list)
    params: list[Temp] = field(default_factory=list)
    statements: list[ast.stmt] = field(default_factory=list)
    terminator: Terminator = LEAVE  # until it is known
    handler: int | None = None  # index of the block that handles exceptions raised here
    leaves_handler: bool = False  # ends by POP_EXCEPT
    region: Path = ()
    offset: int = 0  # where it stood in the bytecode: what decides the order of siblings

    def __repr__(self) -> str:
        return f"B{self.index}"

    @property
    def is_jump_statement(self) -> bool:
        """Whether the block is a `break` or `continue`: all its instructions leave a loop, if any, and jump.

        Blocks from which passes took statements are none: their instructions tell.
        """
        at_its_place = bool(self.instrs) and self.instrs[0].offset == self.offset
        return at_its_place and all(instr.op in _OF_JUMP_STATEMENTS for instr in self.instrs)

    @property
    def stands_at(self) -> int:
        """The offset of the first instruction that does more than leave a loop and jump; else that of the block."""
        return next((i.offset for i in self.instrs if i.op not in _ENDS_LOOPS), self.offset)

    @property
    def stands_on(self) -> int | None:
        """The line of that instruction, or of the first one after it with a line; else `first_line`."""
        return next((i.line for i in self.instrs if i.line is not None and i.op not in _ENDS_LOOPS), self.first_line)

    @property
    def begins_with(self) -> Instr | None:
        """The first instruction that has a line; the NOP that counts a branch not taken (3.14) has none."""
        return next((instr for instr in self.instrs if instr.line is not None), None)

    @property
    def first_line(self) -> int | None:
        """The line on which the block starts to do something."""
        first = self.begins_with
        return None if first is None else first.line

    @property
    def last_line(self) -> int | None:
        """The line of the last instruction: of the test, in a block that ends in one."""
        return self.instrs[-1].line if self.instrs else None

    def successors(self) -> list[Block]:
        return [edge.target for edge in self.terminator.edges()]


class Region(NamedTuple):
    """The protected part of a handler, or the handler itself."""

    kind: str  # "try" or "except"
    handler: int


Path = tuple[Region, ...]  # of the regions around a block, outermost first
Predecessors = dict[Block, list[Block]]  # of each block, once for each edge


@dataclass(slots=True, eq=False)
class Graph:
    """One code object as blocks; `blocks[0]` need not be the entry."""

    code: CodeType
    entry: Block
    blocks: list[Block]  # all that were made, reachable or not
    positions: Positions  # where in the source each instruction came from
    # What lies on the stack where each block begins.
    stacks: dict[int, tuple[ast.expr, ...]] = field(default_factory=dict)
    # The same before each instruction, as it is by then: for people, where that was asked for.
    shown_stacks: dict[int, tuple[ast.expr, ...]] = field(default_factory=dict)
    # What each handler's parameters get from each block that it protects.
    handled: dict[Block, list[list[ast.expr]]] = field(default_factory=dict)
    operations: AbstractSet[str] = frozenset()  # of all instructions: what is not among them, no pass need look for
    is_comprehension: bool = False  # one that was inlined, or the code of one: there are no jump statements in it
    skips_known_tests: bool = False  # whether `skip_known_tests` ran: no condition may test a value once more
    breaks: dict[Block, Block] = field(default_factory=dict)  # blocks that are a `break` -> header of the loop left
    _order: list[Block] | None = None
    _shared_lines: set[int] | None = None
    _made: int = 0  # blocks that no instruction stands for

    def new_block(self, offset: int, region: Path) -> Block:
        """A block that no instruction stands for, known by a negative index."""
        self._made += 1
        block = Block(-self._made, offset=offset, region=region)
        self.blocks.append(block)
        return block

    @property
    def is_protected(self) -> bool:
        """Whether anything stands in a try."""
        return bool(self.handled)

    def reachable(self) -> list[Block]:
        """Blocks in reverse post-order, handlers after what they protect; kept until `forget_order`."""
        if self._order is None:
            self._order = _reverse_postorder(self.entry)
        return self._order

    def forget_order(self) -> None:
        """Edges have changed: whoever changes any says so, at the latest when it is done."""
        self._order = self._shared_lines = None

    def shared_lines(self) -> set[int]:
        """The lines that more than one block has, or had, something on; kept as the order is."""
        if self._shared_lines is None:
            seen: set[int] = set()
            self._shared_lines = set()
            for block in self.blocks:
                lines = {instr.line for instr in block.instrs if instr.line is not None}
                self._shared_lines |= lines & seen
                seen |= lines
        return self._shared_lines

    def predecessors(self) -> Predecessors:
        """For each reachable block those that go on to it: as they are now, made anew each time."""
        predecessors: Predecessors = {block: [] for block in self.reachable()}
        for block, edge in self.edges():
            predecessors[edge.target].append(block)
        return predecessors

    def entering_edges(self) -> dict[Block, list[Edge]]:
        """For each reachable block the edges that lead to it, in the order of `predecessors`."""
        entering: dict[Block, list[Edge]] = {block: [] for block in self.reachable()}
        for _, edge in self.edges():
            entering[edge.target].append(edge)
        return entering

    def edges(self) -> Iterator[tuple[Block, Edge]]:
        """Each edge between reachable blocks, with the block that it leaves."""
        for block in self.reachable():
            for edge in block.terminator.edges():
                yield block, edge


def _reverse_postorder(entry: Block) -> list[Block]:
    """Depth first over normal edges, the arm that fell through visited last, so that it comes first."""
    order: list[Block] = []
    seen = {entry}
    stack = [(entry, entry.terminator.edges())]
    while stack:
        block, rest = stack[-1]
        while rest:
            following = rest.pop().target
            if following not in seen:
                seen.add(following)
                stack.append((following, following.terminator.edges()))
                break
        else:
            order.append(block)
            stack.pop()
    order.reverse()
    return order
