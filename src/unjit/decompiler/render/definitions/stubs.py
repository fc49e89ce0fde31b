"""What stands where nested code could not be recovered: its name and variables, and a statement that says so.

After compiling, the original code takes the place of each (see `recompiling`), so that everything around it is proved.
"""

from __future__ import annotations

import ast
from types import CodeType

from unjit.decompiler.render.lowering.names import Names


def stub_suite(code: CodeType, reason: str, names: Names) -> list[ast.stmt]:
    """The suite of a function or class; it mentions the free variables, which what is around has to provide."""
    sentence = ast.Constant(names.of_unrecovered(code, reason))
    error = ast.Call(ast.Name("NotImplementedError", ast.Load()), [sentence], [])
    return [*_mentions(_free(code, names)), ast.Raise(error, None)]


def stub_value(code: CodeType, reason: str, names: Names) -> ast.expr:
    """The same for the body of a lambda."""
    return ast.Tuple([ast.Constant(names.of_unrecovered(code, reason)), *_free(code, names)], ast.Load())


def _free(code: CodeType, names: Names) -> list[ast.expr]:
    return [ast.Name(names.of_variable(name), ast.Load()) for name in code.co_freevars if name[0] != "."]


def _mentions(variables: list[ast.expr]) -> list[ast.stmt]:
    if not variables:
        return []
    return [ast.If(ast.Constant(False), [ast.Expr(ast.Tuple(variables, ast.Load()))], [])]
