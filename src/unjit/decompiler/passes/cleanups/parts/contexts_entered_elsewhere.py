"""A `with` whose manager was entered before the code begins: its exit function comes in as a value.

So it is for code that is entered in the midst of a `with`, as resume functions may be. The exit function is then a
parameter, or computed; `with entered(exit):` says that it is called at the end, and nothing when it begins.
"""

from __future__ import annotations

import ast

from unjit.decompiler.ir.flow.graph import Block, Branch, EnterTry, Path
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.helpers import AS_ENTERED
from unjit.decompiler.ir.tree.nodes import EnterWith, ExitSuppresses, Helper, Temp
from unjit.decompiler.passes.cleanups.parts.ways_out import after_handler_exit, ways_out


def entered_elsewhere(pad: Block, enter: EnterTry, inside: list[Block], path: Path) -> EnterWith | None:
    """What stands for entering the manager of the region that `pad` begins, put there.

    None, and nothing changed, where its handler asks no exit function, or another one than is called on its ways out.
    Where it is no `with` for another reason, what is put there has no source, and the next tier takes over.
    """
    branch = enter.caught.target.terminator
    test = branch.test if isinstance(branch, Branch) else None
    if not isinstance(test, ExitSuppresses):
        return None
    starts = [after_handler_exit(edge) for _, edge in ways_out(inside, path)]
    calls = [call for start in starts if (call := _exit_call(start, test.exit)) is not None]
    if len(calls) < len(starts):
        return None
    entered = EnterWith(Helper(AS_ENTERED, [test.exit]), Temp(), Temp())
    for call in calls:
        call.func = entered.exit
    test.exit = entered.exit
    pad.statements.append(entered)
    return entered


def _exit_call(block: Block, exit_: ast.expr) -> ast.Call | None:
    """The call `exit_(None, None, None)` that the block begins with."""
    first = block.statements[0] if block.statements else None
    call = first.value if isinstance(first, ast.Expr) else None
    if not isinstance(call, ast.Call) or not _is_same_value(call.func, exit_) or call.keywords:
        return None
    return call if [is_none(argument) for argument in call.args] == [True] * 3 else None


def _is_same_value(one: ast.expr, other: ast.expr) -> bool:
    """Whether both read one value of the stack, or one local, which nothing in between was stored to."""
    if isinstance(one, ast.Name) and isinstance(other, ast.Name):
        return one.id == other.id
    return one is other
