"""Variables that the source would otherwise not mention, or take for globals.

A frame has exactly the free and cell variables that its code names. Bytecode can have some that nothing reachable
uses: a resume function keeps all those of the function that it resumes. A test that is never true mentions them: the
compiler drops the statement and keeps the variables.
"""

from __future__ import annotations

import ast
import inspect
from types import CodeType

from unjit.bytecode import decode, reachable
from unjit.decompiler.render.names import Names


def kept_variables(code: CodeType, body: list[ast.stmt], names: Names) -> list[ast.stmt]:
    """`if False: …` that keeps the free and cell variables which `body` does not mention as such."""
    kept = _unmentioned(code, body, names) if code.co_freevars or code.co_cellvars else []
    mentions: list[ast.stmt] = [ast.Expr(_tuple(kept))] if kept else []
    unbound = [names.of_variable(n) for n in _never_stored(code)]
    if unbound:
        bound = {n.target.id for s in body for n in ast.walk(s) if isinstance(n, ast.NamedExpr)}
        unbound = [n for n in unbound if n not in bound]
    if unbound:
        mentions.append(ast.Assign([ast.Name(n, ast.Store()) for n in unbound], ast.Constant(None)))
    return [ast.If(ast.Constant(False), mentions, [])] if mentions else []


def _unmentioned(code: CodeType, body: list[ast.stmt], names: Names) -> list[ast.expr]:
    """Mentions of the free and cell variables that `body` does not mention as such."""
    used, captured = _mentions(body)
    used |= {"__class__"} if "super" in used | captured else set()
    free = [names.of_variable(n) for n in code.co_freevars]
    kept: list[ast.expr] = [ast.Name(n, ast.Load()) for n in free if n not in used | captured]
    cells = [n for n in map(names.of_variable, code.co_cellvars) if n not in captured]
    if cells:
        no_arguments = ast.arguments([], [], None, [], [], None, [])
        kept.append(ast.Lambda(no_arguments, _tuple([ast.Name(n, ast.Load()) for n in cells])))
    return kept


def _never_stored(code: CodeType) -> list[str]:
    """Locals that are read but stored by dead code only, so that reading one raises; such cells, read or not."""
    if not code.co_flags & inspect.CO_OPTIMIZED:
        return []
    arguments = code.co_argcount + code.co_kwonlyargcount
    arguments += bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    loaded: set[object] = set()
    stored: set[object] = {*code.co_varnames[:arguments], *code.co_cellvars, *code.co_freevars}
    bound: set[object] = set(code.co_varnames[:arguments])
    for instr in reachable(decode(code)):
        if instr.op in ("STORE_FAST", "LOAD_FAST_AND_CLEAR"):
            stored.add(instr.value)
        elif instr.op == "STORE_DEREF":
            bound.add(instr.value)
        elif instr.op in ("LOAD_FAST", "LOAD_FAST_CHECK", "DELETE_FAST"):
            loaded.add(instr.value)
    unbound_cells = set(code.co_cellvars) - bound
    return sorted(str(name) for name in (loaded - stored) | unbound_cells)


def _tuple(values: list[ast.expr]) -> ast.expr:
    return values[0] if len(values) == 1 else ast.Tuple(values, ast.Load())


def _mentions(body: list[ast.stmt]) -> tuple[set[str], set[str]]:
    """(names that the statements use, names that functions nested in them use)."""
    used: set[str] = set()
    captured: set[str] = set()
    work: list[tuple[ast.AST, bool]] = [(statement, False) for statement in body]
    while work:
        node, nested = work.pop()
        if isinstance(node, ast.Name):
            (captured if nested else used).add(node.id)
        elif isinstance(node, ast.Global | ast.Nonlocal):
            (captured if nested else used).update(node.names)
        inner = isinstance(node, _SCOPES)
        work += [(child, nested or inner) for child in ast.iter_child_nodes(node)]
    return used, captured


_SCOPES = (
    ast.FunctionDef,
    ast.AsyncFunctionDef,
    ast.Lambda,
    ast.ClassDef,
    ast.ListComp,
    ast.SetComp,
    ast.DictComp,
    ast.GeneratorExp,
)
