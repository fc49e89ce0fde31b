"""Three-address statements back to expressions, within a block.

*What the compiler did*: it evaluated an expression's parts in order, each left on the stack for its one use. *The
shape*: a `Define` right before the statement that reads its value first. *What we produce*: the value in place of the
read, so order is kept by construction; and the statements that read a value several times: chained and augmented
assignment, walrus, unpacking, displays being filled, imports. *What we refuse*: moving anything across anything else
that could be noticed; such a value stays a temporary.
"""

from __future__ import annotations

import ast

from unjit.decompiler.folding.join_statements import join
from unjit.decompiler.ir.flow.graph import Block, Branch, Jump
from unjit.decompiler.ir.tree.nodes import Define, Temp
from unjit.decompiler.ir.tree.notes import copy_mark, is_fast, is_plain
from unjit.decompiler.ir.tree.order import Place, first_temps, put


def fold_block(block: Block) -> None:
    """Fold all of a block, its test or the values it passes on included."""
    done: list[ast.stmt] = []
    for statement in block.statements:
        add(done, statement)
    block.statements = done
    fold_terminator(block)


def append_folded(block: Block, statements: list[ast.stmt]) -> None:
    """Append statements that were folded among themselves; after the first that joins nothing, as they are."""
    for k, statement in enumerate(statements):
        before = len(block.statements)
        waiting = before > 0 and _waits(block.statements[-1])
        add(block.statements, statement)
        if len(block.statements) == before + 1 and not isinstance(statement, Define) and not waiting:
            block.statements += statements[k + 1 :]
            return


def _waits(last: ast.stmt) -> bool:
    """Whether a statement may still become a part of one that follows."""
    return type(last) is Define or (type(last) is ast.Assign and type(last.value) is Temp)


def fold_terminator(block: Block) -> None:
    terminator = block.terminator
    if isinstance(terminator, Branch):
        holder = ast.Expr(terminator.test)
        consume(block.statements, holder)
        terminator.test = holder.value
    elif isinstance(terminator, Jump) and terminator.edge.args:
        values = ast.Tuple(terminator.edge.args)
        consume(block.statements, values)
        terminator.edge.args = values.elts


def add(done: list[ast.stmt], statement: ast.stmt) -> None:
    """Append `statement` to folded statements, with what it reads first put in its place."""
    consume(done, statement)
    if type(statement) is not Define:
        join(done, statement)
        if done[-1] is not statement and getattr(done[-1], "together", False):
            together = done.pop()  # of several assignments: what they read is read in it
            consume(done, together)
            done.append(together)
    elif statement.temp.uses == 0:
        join(done, _as_statement(statement))
    else:
        done.append(statement)


def consume(done: list[ast.stmt], node: ast.AST) -> None:
    """Put the definitions at the end of `done` into the places of `node` that read them, the last one first."""
    last = done[-1] if done else None
    if type(last) is ast.Assign and type(last.value) is Temp and _stored_within(last, last.value, node):
        done.pop()
        last = done[-1] if done else None
    if type(last) is not Define:
        return
    places = first_temps(node)
    while places and done and type(last := done[-1]) is Define:
        if last.temp.uses > 1 and is_plain(last.value) and _repeat_plain_value(done, last, places):
            continue
        place = places.pop()
        if place[0] is last.temp and last.temp.uses == 1:
            put(place, last.value)
            done.pop()
        elif _put_local(done, last, places):
            places.append(place)


def _stored_within(stored: ast.Assign, value: Temp, node: ast.AST) -> bool:
    """Put `x = value` as `(x := value)` into `node`, if that reads the value next: a walrus stores what it passes on.

    The value itself was computed before paths parted that each have a copy of its reader: else it would be here.
    """
    target = stored.targets[0]
    if len(stored.targets) > 1 or not isinstance(target, ast.Name):
        return False
    if type(node) is ast.Assign and node.value is value:  # another target of the same statement
        return False
    place = next((place for place in first_temps(node) if place[0] is value), None)
    if place is None or any(isinstance(part, ast.Name) and part.id == target.id for part in ast.walk(node)):
        return False
    named = ast.NamedExpr(target, value)
    copy_mark(stored, named)
    value.uses -= 1
    put(place, named)
    return True


def _put_local(done: list[ast.stmt], last: Define, places: list[Place]) -> bool:
    """Put a local into the one place that reads it, though others are read later: nobody sees when it was taken."""
    if last.temp.uses != 1 or not is_fast(last.value):
        return False
    reader = next((place for place in places if place[0] is last.temp), None)
    if reader is None:
        return False
    put(reader, last.value)
    places.remove(reader)
    done.pop()
    return True


def _repeat_plain_value(done: list[ast.stmt], last: Define, places: list[Place]) -> bool:
    """A constant or local that was duplicated for one statement: written as often as it is read there."""
    readers = [place for place in places if place[0] is last.temp]
    if len(readers) != last.temp.uses:
        return False
    for place in readers:
        put(place, last.value)
    places[:] = [place for place in places if place[0] is not last.temp]
    done.pop()
    return True


def _as_statement(define: Define) -> ast.stmt:
    """A value that nobody reads."""
    statement = ast.Expr(define.value)
    copy_mark(define, statement)
    return statement
