"""Which lines of decompiled code only serve torch's profiler.

Around each call of a graph Dynamo opens and closes a record for the profiler: it calls
`record_pregraph_bytecode_enter()` before and `record_pregraph_bytecode_exit(…)` after, and keeps their results in
temporaries; newer releases do so under `if _is_profiler_enabled`. A statement is scaffolding if all it does is to load,
call or test one of these, or to handle a variable that nothing but scaffolding sets and uses.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

RECORDERS = frozenset({"record_pregraph_bytecode_enter", "record_pregraph_bytecode_exit", "_is_profiler_enabled"})
HOMES = frozenset({"__import_torch_dot__dynamo_dot_utils", "__import_torch_dot_autograd_dot_profiler"})


def scaffolding_lines(source: str) -> tuple[int, ...]:
    """The lines, from 1, that hold nothing but scaffolding."""
    if not any(name in source for name in RECORDERS):
        return ()
    statements = _statements(ast.parse(source).body)
    variables = _scaffold_variables(statements)
    hidden = {node for node in statements if _is_scaffolding(node, variables)}
    lines = {line for node in hidden for line in _lines(node)}
    kept = {line for node in statements if node not in hidden for line in _own_lines(node)}
    return tuple(sorted(lines - kept))


def _statements(suite: list[ast.stmt]) -> list[ast.stmt]:
    """Those of a suite, and those in them."""
    found: list[ast.stmt] = []
    work: list[ast.AST] = list(suite)
    while work:
        node = work.pop()
        if isinstance(node, ast.stmt):
            found.append(node)
        for name in ("body", "orelse", "finalbody", "handlers", "cases"):
            work += getattr(node, name, ())
    return found


def _scaffold_variables(statements: Sequence[ast.stmt]) -> set[str]:
    """Names that scaffolding alone sets and uses: the largest set that is consistent with itself."""
    names = {name for node in statements if _loads_recorder(node) for name in _sets(node)}
    while True:
        hidden = {node for node in statements if _is_scaffolding(node, names)}
        shown = [part for node in statements if node not in hidden for part in _own_expressions(node)]
        outside = {name.id for part in shown for name in ast.walk(part) if isinstance(name, ast.Name)}
        if not names & outside:
            return names
        names -= outside


def _loads_recorder(node: ast.stmt) -> bool:
    """Whether an assignment has to do with the profiler at all."""
    if not isinstance(node, (ast.Assign, ast.Expr)):
        return False
    parts = list(ast.walk(node.value))
    return any(isinstance(part, ast.Attribute) and part.attr in RECORDERS for part in parts) or (
        isinstance(node.value, ast.Name) and node.value.id in HOMES
    )


def _is_scaffolding(node: ast.stmt, variables: set[str]) -> bool:
    if isinstance(node, ast.Delete):
        return all(isinstance(target, ast.Name) and target.id in variables for target in node.targets)
    if isinstance(node, ast.If):
        body = all(_is_scaffolding(part, variables) for part in node.body)
        return body and not node.orelse and _is_recorder(node.test, variables)
    if isinstance(node, ast.Assign):
        names = all(isinstance(target, ast.Name) for target in node.targets)
        return names and _is_recorder(node.value, variables) and _sets(node) <= variables
    if isinstance(node, ast.Expr) and isinstance(node.value, (ast.Call, ast.NamedExpr)):
        return _is_recorder(node.value, variables) and _sets(node) <= variables
    return False


def _is_recorder(value: ast.expr, variables: set[str]) -> bool:
    """Whether an expression does nothing but load, call or test recorders, or use what only scaffolding sets."""
    match value:
        case ast.NamedExpr(value=inner):
            return _is_recorder(inner, variables)
        case ast.Call(func=function, args=arguments, keywords=[]):
            return all(_is_recorder(part, variables) for part in (function, *arguments))
        case ast.Compare(left=left, comparators=others):
            return all(_is_recorder(part, variables) for part in (left, *others))
        case ast.Attribute(value=ast.Name(id=name), attr=attribute):
            return attribute in RECORDERS and (name in HOMES or name in variables)
        case ast.Name(id=name):
            return name in HOMES or name in variables
        case ast.Constant(value=None):
            return True
    return False


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
