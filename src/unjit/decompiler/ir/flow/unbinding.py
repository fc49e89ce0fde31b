"""What unbinds the name of a handled exception after its clause: `e = None; del e`."""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import Block
from unjit.decompiler.ir.tree.constants import is_none

DELETES = frozenset({"DELETE_FAST", "DELETE_DEREF", "DELETE_NAME", "DELETE_GLOBAL"})
_UNBINDING = 3  # instructions: None is loaded and stored, then deleted
_ONLY_LEAVES = frozenset({"POP_BLOCK", "POP_EXCEPT", "NOP"})


def unbound_name(statements: list[ast.stmt]) -> str | None:
    """The name for which `e = None; del e` stands first."""
    if len(statements) < 2:
        return None
    cleared, deleted = statements[:2]
    is_unbinding = (
        isinstance(cleared, ast.Assign)
        and isinstance(cleared.targets[0], ast.Name)
        and is_none(cleared.value)
        and isinstance(deleted, ast.Delete)
        and isinstance(deleted.targets[0], ast.Name)
        and deleted.targets[0].id == cleared.targets[0].id
    )
    return cleared.targets[0].id if is_unbinding else None  # type: ignore[attr-defined]


def only_unbinds(block: Block) -> bool:
    """Whether all it does, or did, is to take the name of a handled exception away."""
    done = [instr.op for instr in block.instrs if instr.op not in _ONLY_LEAVES]
    if block.statements:
        return len(done) == _UNBINDING and done[0] == "LOAD_CONST" and done[-1] in DELETES
    return not DELETES.isdisjoint(done)
