"""The suite of a class or module: its statements, without the bookkeeping that the compiler puts around them."""

from __future__ import annotations

import ast
import inspect
from types import CodeType

from unjit.bytecode import Instr, decode
from unjit.bytecode import versions as v
from unjit.bytecode.functions.hidden_variables import CLASS_NAMESPACE, CONDITIONAL_ANNOTATIONS, TYPE_PARAMETERS
from unjit.decompiler.ir.tree.nodes import LocalsDict
from unjit.decompiler.ir.tree.suites import Suite, rewrite_suites
from unjit.decompiler.kinds import Kind, annotated_by, keeps_annotations_as_text
from unjit.decompiler.render.definitions.headers import as_written

_STORES = ("STORE_NAME", "STORE_DEREF")
# What a class body stores first, each once; the order and which of them depend on the version and the class.
_FIRST_STORES = ("__module__", "__qualname__", "__firstlineno__", "__type_params__", CLASS_NAMESPACE)


def without_first_stores(statements: Suite) -> Suite:
    """The suite of a class without what the compiler stores first; `join_ends` took away what it stores last."""
    open_ = set(_FIRST_STORES)
    for start, statement in enumerate(statements):
        stored = next((name for name in open_ if _stores(statement, name)), None)
        if stored is None:
            return statements[start:]
        open_.remove(stored)
    return []


def _stores(statement: ast.stmt, name: str) -> bool:
    if not isinstance(statement, ast.Assign) or len(statement.targets) != 1:
        return False
    target, value = statement.targets[0], statement.value
    if not isinstance(target, ast.Name) or target.id != name:
        return False
    expected = {"__module__": "__name__", "__type_params__": TYPE_PARAMETERS}.get(name)
    if expected is not None:
        return isinstance(value, ast.Name) and value.id == expected
    return isinstance(value, LocalsDict if name == CLASS_NAMESPACE else ast.Constant)


def is_future_import(statement: ast.stmt) -> bool:
    """Whether only a docstring and others of its kind may stand before it: `from __future__ import …`."""
    return isinstance(statement, ast.ImportFrom) and statement.module == "__future__"


def annotations_as_written(code: CodeType, body: Suite) -> Suite:
    """The body with annotations as expressions, where `from __future__ import annotations` keeps them as text."""

    def written(suite: Suite) -> Suite:
        for statement in suite:
            if isinstance(statement, ast.AnnAssign):
                statement.annotation = as_written(statement.annotation)
        return suite

    return rewrite_suites(body, written) if keeps_annotations_as_text(code) else body


def with_annotations(code: CodeType, body: Suite) -> Suite:
    """The body, and an annotation without effect where the compiler prepared for annotations and none is left."""
    notes = any(map(_prepares_annotations, decode(code)))
    if v.PY314 and not keeps_annotations_as_text(code):
        return [*body, *_annotated_in_parentheses(code, notes=notes)]
    if not notes or _annotates(body):
        return body
    if v.PY314 and CONDITIONAL_ANNOTATIONS not in code.co_cellvars:
        return [*body, _annotated(is_kept=False)]
    return [*body, _dead(_annotated(is_kept=not v.PY314))]


def _annotated_in_parentheses(code: CodeType, *, notes: bool) -> Suite:
    """An annotation of something in parentheses, where what the compiler prepared for it is left (3.14 on).

    It prepares for all annotations, and keeps those of names alone. A class has a cell for its namespace then, as one
    with functions or type parameters has anyway; with an annotation in a compound statement it also notes which ones
    it reached. A module always notes that.
    """
    inside = [const for const in code.co_consts if isinstance(const, CodeType)]
    notes = notes and all(annotated_by(const) not in (Kind.CLASS, Kind.MODULE) for const in inside)
    knows = CLASS_NAMESPACE in code.co_cellvars and not any(map(_asks_for_namespace, inside))
    if notes and CLASS_NAMESPACE in code.co_cellvars:
        return [_dead(_annotated(is_kept=False))]
    return [_annotated(is_kept=False)] if notes or knows else []


def _asks_for_namespace(inside: CodeType) -> bool:
    is_function = inside.co_flags & inspect.CO_OPTIMIZED and not inside.co_name.startswith("<")
    return bool(is_function) or CLASS_NAMESPACE in inside.co_freevars


def _annotated(*, is_kept: bool) -> ast.AnnAssign:
    """`_: None`, or `(_): None`, an annotation that is not kept."""
    return ast.AnnAssign(ast.Name("_", ast.Store()), ast.Constant(None), None, int(is_kept))


def _dead(statement: ast.stmt) -> ast.If:
    return ast.If(ast.Constant(False), [statement], [])


def _prepares_annotations(instr: Instr) -> bool:
    """Whether it prepares for annotations: from 3.14 on, by an empty set for those whose place is reached."""
    return instr.op == "SETUP_ANNOTATIONS" or (instr.op in _STORES and instr.value == CONDITIONAL_ANNOTATIONS)


def _annotates(body: Suite) -> bool:
    found = False

    def look(suite: Suite) -> Suite:
        nonlocal found
        found = found or any(isinstance(statement, ast.AnnAssign) for statement in suite)
        return suite

    rewrite_suites(body, look)
    return found
