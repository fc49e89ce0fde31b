"""`except*` clauses.

*What the compiler did*: a handler makes a list, and each clause splits the group; what a clause raises goes on the
list, by a handler of its own that `lift.shapes.restoring_handlers` has seen through. After the last clause the list and
the rest are put together, and raised again unless that is nothing. *The shape*: splits whose two ways lead to one
place, and one putting together. *What we produce*: a chain of tests, each after the suite of the one before, that ends
by leaving the handler. *What we refuse*: a handler that does anything else with the list or the parts.
"""

from __future__ import annotations

import ast

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.flow.graph import Block, Branch, Edge, Graph, Jump
from unjit.decompiler.ir.flow.jumps import onward
from unjit.decompiler.ir.flow.unbinding import unbound_name
from unjit.decompiler.ir.tree.nodes import LEFT_OVER, Accumulate, Define, HandledException, Helper, MatchesGroup, Temp

_PUT_TOGETHER_AND_ASKED = 2  # statements: what is left over is made one exception, and compared with None


def run(graph: Graph) -> None:
    if not graph.is_protected:
        return
    blocks = graph.reachable()
    lists = {value.args[0] for block in blocks if (value := _left_over(block)) is not None}
    if not lists:
        return
    for block in blocks:
        block.statements = [s for s in block.statements if not _keeps_list(s, lists)]
    names = [clause for block in blocks if (clause := _split(block)) is not None]
    for block in blocks:
        if _left_over(block) is not None:
            _leave(block)
    for name, following in names:
        _drop_unbinding(blocks, name, following)
    graph.forget_order()


def _left_over(block: Block) -> Helper | None:
    """What is put together in this block, of the list and the rest."""
    for statement in block.statements:
        value = statement.value if isinstance(statement, Define) else None
        if isinstance(value, Helper) and value.name == LEFT_OVER:
            return value
    return None


def _keeps_list(statement: ast.stmt, lists: set[ast.expr]) -> bool:
    if isinstance(statement, Accumulate):
        return statement.container in lists
    return isinstance(statement, Define) and statement.temp in lists


# ---------------------------------------------------------------- clauses
def _split(block: Block) -> tuple[str, Block] | None:
    """Let the block end by asking for its clause's type; the clause's name, if it has one, and where it goes on."""
    branch = block.terminator
    if not isinstance(branch, Branch) or len(block.statements) < 2:
        return None
    made, tested = block.statements[-2:]
    if not (isinstance(made, Define) and isinstance(made.value, MatchesGroup) and isinstance(tested, Define)):
        return None
    if branch.test is not tested.temp or not isinstance(tested.value, ast.Compare):
        raise CannotExpress("a part of an exception group is asked something else than whether it is there")
    found, other = branch.false, branch.true
    if isinstance(tested.value.ops[0], ast.IsNot):
        found, other = other, found
    del block.statements[-2:]
    block.terminator = Branch(made.value, found, other)
    name = _name(found.target, made.temp, made.value.handler)
    return None if name is None else (name, other.target)


def _name(body: Block, part: Temp, handler: int) -> str | None:
    """The name that the suite gives to its part of the group first of all."""
    first = body.statements[0] if body.statements else None
    if not (isinstance(first, ast.Assign) and first.value is part and isinstance(first.targets[0], ast.Name)):
        return None
    first.value = HandledException(handler)
    return first.targets[0].id


def _drop_unbinding(blocks: list[Block], name: str, following: Block) -> None:
    """`name = None; del name` at the end of a suite is what the clause's name implies."""
    for block in blocks:
        jump = block.terminator
        if (
            isinstance(jump, Jump)
            and onward(jump.edge.target) is onward(following)
            and unbound_name(block.statements[-2:]) == name
        ):
            del block.statements[-2:]


# ---------------------------------------------------------------- the end
def _leave(block: Block) -> None:
    """Leave the handler where the list and the rest were put together: raising again is what the statement does."""
    branch = block.terminator
    tested = block.statements[-1]
    if not (isinstance(branch, Branch) and isinstance(tested, Define) and isinstance(tested.value, ast.Compare)):
        raise CannotExpress("what is left of an exception group is not raised again")
    nothing = branch.false if isinstance(tested.value.ops[0], ast.IsNot) else branch.true
    leaving = nothing.target
    if leaving.statements or not leaving.leaves_handler or not isinstance(leaving.terminator, Jump):
        raise CannotExpress("the end of an except* statement does something else than leave the handler")
    if len(block.statements) != _PUT_TOGETHER_AND_ASKED:
        raise CannotExpress("something is done before an exception group is put together")
    block.statements, block.leaves_handler = [], True
    block.terminator = Jump(Edge(leaving.terminator.edge.target, leaving.terminator.edge.args))
