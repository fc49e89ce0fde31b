"""`x: T = v` in a class or module from 3.14 on, where one function makes all annotations when they are asked for.

*What the compiler did*: it wrote that function, which fills a dict, in the order of the annotations; for those that
may not come to be (in a module each, in a class those in a compound statement) it numbered them, noted the number in a
set where the annotation stands, and has the function look it up. *What we produce*: the annotation where its number is
noted, else with the assignment of its variable, or where its line says. *What we refuse*: any other such function.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from types import CodeType
from typing import NamedTuple

from unjit.bytecode import decode
from unjit.bytecode.functions.hidden_variables import CONDITIONAL_ANNOTATIONS
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree import nodes
from unjit.decompiler.ir.tree.notes import copy_mark, offset_of
from unjit.decompiler.ir.tree.suites import Suite, rewrite_suites, statements_in
from unjit.decompiler.kinds import Kind, annotated_by, kind_of
from unjit.decompiler.render.definitions.annotations import without_refusal

_FUNCTIONS = ("__annotate__", "__annotate_func__")  # under which name a module and a class store it


class Deferred(NamedTuple):
    """One annotation that the function makes; with a `number`, only if that was noted when its place was reached."""

    name: str
    annotation: ast.expr
    number: int | None
    line: int | None


def take_annotate(suite: Suite) -> tuple[Suite, nodes.MakeFunction | None]:
    """The suite without what serves the annotations, and the function that makes them, if there is one."""
    made = None
    kept = []
    for statement in suite:
        name, value = _stored(statement)
        if name in _FUNCTIONS and isinstance(value, nodes.MakeFunction) and annotated_by(value.code) is not None:
            made = value
        elif not (name == CONDITIONAL_ANNOTATIONS and isinstance(value, ast.Set) and not value.elts):
            kept.append(statement)
    return kept, made


def _stored(statement: ast.stmt) -> tuple[str | None, ast.expr | None]:
    if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
        target = statement.targets[0]
        return (target.id, statement.value) if isinstance(target, ast.Name) else (None, None)
    return None, None


# ---------------------------------------------------------------- what the function makes
def deferred_by(code: CodeType, body: Suite) -> list[Deferred]:
    """The annotations that the function with this code and these statements makes, in order."""
    line_before = {after.offset: i.line for i, after in itertools.pairwise(decode(code))}
    found = []
    filled = [s for s in without_refusal(body) if not isinstance(s, nodes.Define | ast.Return)]
    for statement in filled:
        number, fill = _unconditional(statement)
        target = fill.targets[0] if isinstance(fill, ast.Assign) else None
        if not (isinstance(fill, ast.Assign) and isinstance(target, ast.Subscript)):
            raise CannotExpress("annotations are made in a way that no class or module says")
        key = target.slice
        if not (isinstance(key, ast.Constant) and isinstance(key.value, str)):
            raise CannotExpress("an annotation that belongs to no variable")
        line = line_before.get(offset_of(fill) or 0)  # of the variable's name, which is loaded last
        found.append(Deferred(key.value, nodes.Apart(fill.value, code), number, line))
    return found


def _unconditional(statement: ast.stmt) -> tuple[int | None, ast.stmt]:
    """Number and statement of `if number in __conditional_annotations__: statement`; any other, without a number."""
    if not isinstance(statement, ast.If) or len(statement.body) != 1:
        return None, statement
    test = statement.test
    if not (isinstance(test, ast.Compare) and isinstance(test.left, ast.Constant) and isinstance(test.ops[0], ast.In)):
        raise CannotExpress("annotations are made under a condition that no class or module says")
    if not (_is_noted_set(test.comparators[0]) and isinstance(test.left.value, int)):
        raise CannotExpress("annotations are made under a condition that no class or module says")
    return test.left.value, statement.body[0]


def _is_noted_set(value: ast.expr) -> bool:
    return isinstance(value, ast.Name) and value.id == CONDITIONAL_ANNOTATIONS


# ---------------------------------------------------------------- where they stand
def with_deferred(code: CodeType, suite: Suite, annotations: list[Deferred]) -> Suite:
    """The suite of the class or module with each annotation in its place."""
    numbered = {one.number: one for one in annotations if one.number is not None}
    placed: dict[ast.AST, int] = {}
    suite = rewrite_suites(suite, lambda inner: _at_notes(inner, numbered, placed))
    for number in sorted(numbered.keys() - set(placed.values())):
        _put_dead(suite, numbered[number], number, placed)
    plain = [one for one in annotations if one.number is None]
    suite = _at_assignments(suite, plain, _lines_of(code, {node: numbered[k].line for node, k in placed.items()}))
    return _under_a_condition(suite, placed) if kind_of(code) is Kind.CLASS else suite


def _under_a_condition(suite: Suite, placed: dict[ast.AST, int]) -> Suite:
    """The suite of a class with its numbered annotations in `if True:`, as of what was around them nothing is left."""
    done: Suite = []
    for is_numbered, together in itertools.groupby(suite, key=placed.__contains__):
        run = list(together)
        done += [_if_true(run)] if is_numbered else run
    return done


def _if_true(suite: Suite) -> ast.stmt:
    condition = ast.If(ast.Constant(True), suite, [])
    copy_mark(suite[0], condition)
    return condition


def with_a_condition(code: CodeType, suite: Suite) -> Suite:
    """The suite of a class, with its last annotation in `if True:` if a cell tells that one is in a compound statement.

    The cell is all that is left of such a statement where annotations are text (`from __future__ import annotations`).
    """
    if CONDITIONAL_ANNOTATIONS not in code.co_cellvars or kind_of(code) is not Kind.CLASS:
        return suite
    annotated = [k for k, statement in enumerate(suite) if _is_of_a_name(statement)]
    if not annotated or sum(map(_is_of_a_name, statements_in(suite))) > len(annotated):
        return suite
    last = annotated[-1]
    return [*suite[:last], _if_true([suite[last]]), *suite[last + 1 :]]


def _is_of_a_name(statement: ast.stmt) -> bool:
    return isinstance(statement, ast.AnnAssign) and bool(statement.simple)


def _lines_of(code: CodeType, annotated: dict[ast.AST, int | None]) -> Callable[[ast.stmt], int | None]:
    """What gives the line of a statement; of one that has none, as `try:`, that of the first annotation in it."""
    lines = {i.offset: i.line for i in decode(code)}

    def line_of(statement: ast.stmt) -> int | None:
        own = lines.get(offset_of(statement) or -1)
        if own is not None or not annotated:
            return own
        within = (annotated.get(node) for node in ast.walk(statement))
        return min((line for line in within if line is not None), default=None)

    return line_of


def _put_dead(suite: Suite, one: Deferred, number: int, placed: dict[ast.AST, int]) -> None:
    """Put in an annotation whose place is never reached: before the first statement with a later one."""
    annotated = ast.AnnAssign(ast.Name(one.name, ast.Store()), one.annotation, None, 1)
    dead = ast.If(ast.Constant(False), [annotated], [])
    after = (k for k, s in enumerate(suite) if any(placed.get(node, -1) > number for node in ast.walk(s)))
    suite.insert(next(after, len(suite)), dead)
    placed[annotated] = number


def _at_notes(suite: Suite, numbered: dict[int, Deferred], placed: dict[ast.AST, int]) -> Suite:
    """The suite with each numbered annotation where its number is noted: `__conditional_annotations__.add(number)`."""
    done: Suite = []
    holding: set[ast.expr] = set()
    for statement in suite:
        if isinstance(statement, nodes.Define) and _is_noted_set(statement.value):
            holding.add(statement.temp)
        elif isinstance(statement, nodes.Accumulate) and statement.container in holding:
            number = statement.value.value if isinstance(statement.value, ast.Constant) else None
            if not isinstance(number, int) or number not in numbered:
                raise CannotExpress("an annotation is noted that the function for them does not make")
            _annotate(done, numbered[number])
            placed[done[-1]] = number
        else:
            done.append(statement)
    return done


def _annotate(done: Suite, one: Deferred) -> None:
    """Annotate the assignment that stands last, if it is one of the variable; otherwise the variable alone."""
    name, value = _stored(done[-1]) if done else (None, None)
    if name == one.name and value is not None:
        before = done.pop()
    else:
        before, value = None, None
    annotated = ast.AnnAssign(ast.Name(one.name, ast.Store()), one.annotation, value, 1)
    if before is not None:
        copy_mark(before, annotated)
    done.append(annotated)


def _at_assignments(suite: Suite, plain: list[Deferred], line_of: Callable[[ast.stmt], int | None]) -> Suite:
    """The suite with the other annotations, in order: each at the next assignment of its variable, or on its line."""
    done: Suite = []
    waiting = list(plain)
    for statement in suite:
        line = line_of(statement)
        while waiting and _is_above(waiting[0].line, line):
            _annotate(done, waiting.pop(0))
        done.append(statement)
        if waiting and _stored(statement)[0] == waiting[0].name and line in (None, waiting[0].line):
            _annotate(done, waiting.pop(0))
    for one in waiting:
        _annotate(done, one)
    return done


def _is_above(line: int | None, other: int | None) -> bool:
    return line is not None and other is not None and line < other


def annotations_alone(annotations: list[Deferred]) -> Suite:
    """The annotations alone, without the rest of the class or module; the numbered ones under a condition."""
    suite: Suite = []
    for one in annotations:
        alone = ast.AnnAssign(ast.Name(one.name, ast.Store()), one.annotation, None, 1)
        suite.append(alone if one.number is None else ast.If(ast.Constant(True), [alone], []))
    return suite
