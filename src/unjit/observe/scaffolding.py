"""Which lines of decompiled code only serve torch's profiler.

Around each call of a graph Dynamo opens and closes a record for the profiler: it calls
`record_pregraph_bytecode_enter()` before and `record_pregraph_bytecode_exit(…)` after, and keeps their results in
temporaries. A statement is scaffolding if all it does is to load or call one of the two, or to handle a variable that
nothing but scaffolding sets.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

_RECORDERS = {"record_pregraph_bytecode_enter", "record_pregraph_bytecode_exit"}
_HOME = "__import_torch_dot__dynamo_dot_utils"


def scaffolding_lines(source: str) -> tuple[int, ...]:
    """The lines, from 1, that hold nothing but scaffolding."""
    statements = [node for node in ast.walk(ast.parse(source)) if isinstance(node, ast.stmt)]
    simple = [node for node in statements if isinstance(node, (ast.Assign, ast.Expr, ast.Delete))]
    variables = _scaffold_variables(simple, statements)
    hidden = [node for node in simple if _is_scaffolding(node, variables)]
    lines = {line for node in hidden for line in _lines(node)}
    kept = {line for node in statements if node not in hidden for line in _own_lines(node)}
    return tuple(sorted(lines - kept))


def _scaffold_variables(simple: Sequence[ast.stmt], statements: list[ast.stmt]) -> set[str]:
    """Names that scaffolding alone sets and uses: the largest set that is consistent with itself."""
    names = {name for node in simple for name in _sets(node)}
    while True:
        hidden = [node for node in simple if _is_scaffolding(node, names)]
        shown = [part for node in statements if node not in hidden for part in _own_expressions(node)]
        outside = {name.id for part in shown for name in ast.walk(part) if isinstance(name, ast.Name)}
        if not names & outside:
            return names
        names -= outside


def _is_scaffolding(node: ast.stmt, variables: set[str]) -> bool:
    if isinstance(node, ast.Delete):
        return all(isinstance(target, ast.Name) and target.id in variables for target in node.targets)
    if isinstance(node, ast.Assign) and not all(isinstance(target, ast.Name) for target in node.targets):
        return False
    if not isinstance(node, (ast.Assign, ast.Expr)):
        return False
    return _sets(node) <= variables and _is_recorder(node.value, variables)


def _is_recorder(value: ast.expr, variables: set[str]) -> bool:
    """Whether an expression does nothing but load or call a recorder, or use what only scaffolding sets."""
    if isinstance(value, ast.NamedExpr):
        return _is_recorder(value.value, variables)
    if isinstance(value, ast.Call):
        parts = [value.func, *value.args]
        return not value.keywords and all(_is_recorder(part, variables) for part in parts)
    if isinstance(value, ast.Attribute):
        return value.attr in _RECORDERS and isinstance(value.value, ast.Name) and value.value.id == _HOME
    return isinstance(value, ast.Name) and value.id in variables


def _sets(node: ast.stmt) -> set[str]:
    """The names that a statement sets, walruses included."""
    names = (part for part in ast.walk(node) if isinstance(part, ast.Name))
    return {name.id for name in names if isinstance(name.ctx, ast.Store)}


def _own_expressions(node: ast.stmt) -> Iterator[ast.AST]:
    """What a statement itself evaluates: its children that are not statements."""
    return (child for child in ast.iter_child_nodes(node) if not isinstance(child, ast.stmt))


def _lines(node: ast.stmt) -> range:
    return range(node.lineno, (node.end_lineno or node.lineno) + 1)


def _own_lines(node: ast.stmt) -> range:
    """The lines of a statement; of one that holds others, its head."""
    body = getattr(node, "body", None)
    return range(node.lineno, body[0].lineno) if body else _lines(node)
