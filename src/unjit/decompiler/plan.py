"""Which tier decompiles each code object: nested code fails by itself, so that what is around it keeps its tier."""

from __future__ import annotations

import ast
from types import CodeType

from unjit.bytecode import BytecodeError
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.nodes import Inlined
from unjit.decompiler.pipeline import TIERS, Tier, statements_of, statements_of_fragment
from unjit.decompiler.render.definitions.scopes import may_list_locals


class Plan:
    """The tier of `root` and of each code object nested in it: the first that has not failed."""

    def __init__(self, root: CodeType, *, in_slices: bool = False) -> None:
        self.root = root
        self.in_slices = in_slices  # rendering goes a slice at a time: expressions are deeper than Python's stack
        self.graph: Graph | None = None  # of the root, as it was made last
        self.notes_stacks = False  # whether that graph says what lies on the stack before each instruction
        self._level: dict[int, int] = {}
        self._reasons: dict[int, list[str]] = {}
        self._in_order: set[int] = set()

    def noting_stacks(self) -> Plan:
        """The same plan; the graph of the root that it makes says what lies on the stack before each instruction."""
        again = Plan(self.root, in_slices=self.in_slices)
        again.notes_stacks, again._level, again._reasons = True, self._level, self._reasons
        again._in_order = self._in_order
        return again

    def tier(self, code: CodeType) -> Tier | None:
        """The tier that `code` is to be decompiled by; None once every tier has failed."""
        level = self._level.get(id(code), 0)
        return TIERS[level] if level < len(TIERS) else None

    def is_at_first_tier(self, code: CodeType) -> bool:
        """Whether the most readable tier has not failed."""
        return self._level.get(id(code), 0) == 0

    def put_in_order(self, code: CodeType) -> bool:
        """Have the locals of `code` named in their order; whether that may help, and was not done before."""
        is_worth_it = id(code) not in self._in_order and may_list_locals(code)
        if is_worth_it:
            self._in_order.add(id(code))
        return is_worth_it

    def in_order(self, code: CodeType) -> bool:
        """Whether the locals of `code` are to be named in their order."""
        return id(code) in self._in_order

    def demote(self, code: CodeType, reason: str) -> None:
        """Note that the tier of `code` has failed, and why: the next one takes its place."""
        self._level[id(code)] = self._level.get(id(code), 0) + 1
        self._reasons.setdefault(id(code), []).append(reason)

    def failed(self, code: CodeType, fault: Exception) -> None:
        """The same for a tier that raised. Raises a BytecodeError again, and a RecursionError that slices may avoid."""
        if isinstance(fault, RecursionError) and not self.in_slices:
            raise fault
        self.demote(code, _reason_of(fault))

    def reason(self, code: CodeType) -> str:
        """Why the most readable tier failed, in a sentence."""
        return self._reasons[id(code)][0]

    @property
    def selectors(self) -> int:
        """How many variables the tiers in use add to steer control."""
        return sum(TIERS[level].selectors for level in self._level.values() if level < len(TIERS))

    def of_code(self, code: CodeType) -> list[ast.stmt]:
        """The structured statements of a code object. Raises CannotExpress; the caller demotes."""
        tier = self.tier(code)
        if tier is None:
            raise CannotExpress(self.reason(code))
        is_root = code is self.root
        graph, statements = statements_of(code, tier, notes_stacks=is_root and self.notes_stacks)
        if is_root:
            self.graph = graph
        return statements

    def of_fragment(self, code: CodeType, inlined: Inlined) -> list[ast.stmt]:
        """The same for a comprehension inlined in `code`."""
        return statements_of_fragment(code, inlined, self.tier(code) or TIERS[0])


def _reason_of(fault: Exception) -> str:
    """A sentence for the reader of the answer. Raises a BytecodeError again, which is no fault of a tier."""
    if isinstance(fault, CannotExpress):
        return str(fault)
    if isinstance(fault, RecursionError):
        return "the code is nested deeper than this interpreter can follow"
    if isinstance(fault, BytecodeError):
        raise fault
    return f"a fault in the decompiler: {type(fault).__name__}: {fault}"
