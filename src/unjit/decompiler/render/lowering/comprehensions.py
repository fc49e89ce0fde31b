"""Loops that fill a display, as the comprehension that they were.

*What the compiler did*: a comprehension is a function of its own up to 3.11, inlined from 3.12 on: it makes a display,
loops, adds, and returns it. *The shape*: nested `for` and `if` with one statement each, the innermost adding to the
display, or yielding. *What we refuse*: any other statement in between.
"""

from __future__ import annotations

import ast

from unjit.bytecode import versions as v
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.negation import is_negation
from unjit.decompiler.ir.tree.nodes import Accumulate, Define, GetIter, Temp

Comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp


def iterated(given: ast.expr) -> ast.expr | None:
    """What a comprehension loops over, by what its code is given: its iterator, on some Pythons the thing itself."""
    if v.COMPREHENSIONS_ASK_ALONE:
        return given
    return given.value if isinstance(given, GetIter) else None


def comprehension_of(body: list[ast.stmt], over: ast.expr) -> Comprehension:
    """The comprehension whose code has these statements, looping over `over`. Raises CannotExpress if it is none."""
    container, body = _container(body)
    generators: list[ast.comprehension] = []
    statement = _after_single_values(body, generators)
    while isinstance(statement, ast.For | ast.AsyncFor | ast.If):
        if statement.orelse:
            raise CannotExpress("a comprehension's loop has an else")
        if isinstance(statement, ast.If):
            generators[-1].ifs.append(statement.test)
            if getattr(statement, "is_divided", False):
                generators[-1].is_divided = True  # type: ignore[attr-defined]  # a note of ours on the node
        else:
            iterable = _iterated_over(statement.iter) if generators else over
            is_async = int(isinstance(statement, ast.AsyncFor))
            generators.append(ast.comprehension(statement.target, iterable, [], is_async))
        statement = _after_single_values(statement.body, generators)
    if not generators:
        raise CannotExpress("a comprehension does not loop")
    if isinstance(statement, ast.Pass):
        return _adding_nothing(container, generators)
    return _made(container, statement, generators)


def _container(body: list[ast.stmt]) -> tuple[Define | None, list[ast.stmt]]:
    """The definition of the display, and the statements between it and its return; None and all, for a generator."""
    first, last = body[0] if body else None, body[-1] if body else None
    if isinstance(first, Define) and isinstance(last, ast.Return) and last.value is first.temp:
        return first, body[1:-1]
    return None, body


def _adding_nothing(container: Define | None, generators: list[ast.comprehension]) -> Comprehension:
    """A comprehension whose test can never hold: the compiler drops both the test and what would be added."""
    generators[-1].ifs.append(ast.Constant(False))
    if container is None:
        return ast.GeneratorExp(ast.Constant(None), generators)
    if isinstance(container.value, ast.Dict):
        return ast.DictComp(ast.Constant(None), ast.Constant(None), generators)
    kind = ast.ListComp if isinstance(container.value, ast.List) else ast.SetComp
    return kind(ast.Constant(None), generators)


def _after_single_values(body: list[ast.stmt], generators: list[ast.comprehension]) -> ast.stmt:
    """The one statement that is left when those before it are clauses again.

    Within a comprehension `for x in [value]` is compiled to an assignment, `if test or True` to a test without effect.
    """
    while generators and len(body) > 1:
        first = body[0]
        if isinstance(first, ast.Assign) and len(first.targets) == 1:
            generators.append(ast.comprehension(first.targets[0], ast.List([first.value], ast.Load()), [], 0))
        elif isinstance(first, ast.If) and not first.orelse and isinstance(_only(first.body), ast.Pass):
            generators[-1].ifs.append(ast.BoolOp(ast.Or(), [_without_not(first.test), ast.Constant(True)]))
        else:
            break
        body = body[1:]
    return _only(body)


def _without_not(test: ast.expr) -> ast.expr:
    return test.operand if is_negation(test) else test


def _only(body: list[ast.stmt]) -> ast.stmt:
    if len(body) != 1:
        raise CannotExpress("a comprehension has several statements where one belongs")
    return body[0]


def _made(container: Define | None, added: ast.stmt, generators: list[ast.comprehension]) -> Comprehension:
    if container is None:
        if isinstance(added, ast.Expr) and isinstance(added.value, ast.Yield) and added.value.value is not None:
            return _generator(added.value.value, generators)
        raise CannotExpress("a generator expression does something else than yield")
    if not isinstance(added, Accumulate) or added.container is not container.temp:
        raise CannotExpress("a comprehension does something else than add")
    if added.kind == "LIST_APPEND":
        return ast.ListComp(added.value, generators)
    if added.kind == "SET_ADD":
        return ast.SetComp(added.value, generators)
    if added.kind == "MAP_ADD" and added.key is not None:
        return ast.DictComp(added.key, added.value, generators)
    if added.kind == "LIST_EXTEND":  # from here on: unpacking, 3.15
        return ast.ListComp(ast.Starred(added.value, ast.Load()), generators)
    if added.kind == "SET_UPDATE":
        return ast.SetComp(ast.Starred(added.value, ast.Load()), generators)
    if added.kind == "DICT_UPDATE":
        return ast.DictComp(added.value, None, generators)  # type: ignore[arg-type]
    raise CannotExpress(f"a comprehension adds by {added.kind}")


def _generator(item: ast.expr, generators: list[ast.comprehension]) -> ast.GeneratorExp:
    """The generator expression; `(*x for …)` (3.15) is compiled to a loop over `x` without a variable."""
    last = generators[-1]
    if len(generators) > 1 and item is last.target and isinstance(item, Temp) and not last.ifs:
        return ast.GeneratorExp(ast.Starred(_iterated_over(last.iter), ast.Load()), generators[:-1])
    return ast.GeneratorExp(item, generators)


def _iterated_over(iterable: ast.expr) -> ast.expr:
    """What was written where a loop begins: later compilers of 3.13 ask for its iterator, and that for its own."""
    return iterable.value if isinstance(iterable, GetIter) else iterable
