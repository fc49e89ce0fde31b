"""Which tier each code object is decompiled by, and where that stands: those nested in one another fail one by one."""

from __future__ import annotations

import ast
from types import CodeType

from unjit.bytecode import BytecodeError
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.graph import Graph
from unjit.decompiler.ir.nodes import Inlined
from unjit.decompiler.pipeline import TIERS, Tier, statements_of, statements_of_fragment


class Plan:
    """The statements of `root` and of all that is nested in it, each by the first tier that nothing spoke against."""

    def __init__(self, root: CodeType, *, in_slices: bool = False) -> None:
        self.root = root
        self.in_slices = in_slices  # what is rendered is deeper than the stack
        self.graph: Graph | None = None  # of the root, as last made
        self.notes_stacks = False  # whether that says what lies on the stack before each instruction
        self._level: dict[int, int] = {}
        self._reasons: dict[int, list[str]] = {}

    def noting_stacks(self) -> Plan:
        """The same plan, by which the graph of the root, made anew, says what lies on the stack at each instruction."""
        again = Plan(self.root, in_slices=self.in_slices)
        again.notes_stacks, again._level, again._reasons = True, self._level, self._reasons
        return again

    def tier(self, code: CodeType) -> Tier | None:
        """None once every tier has failed."""
        level = self._level.get(id(code), 0)
        return TIERS[level] if level < len(TIERS) else None

    def is_at_first_tier(self, code: CodeType) -> bool:
        """Whether nothing spoke against the most readable source so far."""
        return self._level.get(id(code), 0) == 0

    def demote(self, code: CodeType, reason: str) -> None:
        """The tier that `code` is at has failed."""
        self._level[id(code)] = self._level.get(id(code), 0) + 1
        self._reasons.setdefault(id(code), []).append(reason)

    def failed(self, code: CodeType, fault: Exception) -> None:
        """The tier that `code` is at has failed by an exception; raises that if rendering in slices may do better."""
        if isinstance(fault, RecursionError) and not self.in_slices:
            raise fault
        self.demote(code, _reason_of(fault))

    def reason(self, code: CodeType) -> str:
        """Why the most readable tier failed."""
        return self._reasons[id(code)][0]

    @property
    def selectors(self) -> int:
        """How many variables that steer control the tiers in use add."""
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
    """The sentence for the reader of the answer; raises what is not a tier's to answer for."""
    if isinstance(fault, CannotExpress):
        return str(fault)
    if isinstance(fault, RecursionError):
        return "the code is nested deeper than this interpreter can follow"
    if isinstance(fault, BytecodeError):
        raise fault
    return f"a fault in the decompiler: {type(fault).__name__}: {fault}"
