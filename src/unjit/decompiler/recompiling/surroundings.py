"""What a definition is put into to be compiled, and where its code is found in that.

Around it stand the module's imports, and a function that has its free variables as its own.
"""

from __future__ import annotations

import ast
from types import CodeType

from unjit.bytecode import decode, with_nested
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.kinds import (
    HIDDEN,
    Kind,
    annotated_by,
    is_hidden,
    is_in_class,
    type_parameters,
    variables_around,
)
from unjit.decompiler.render.definitions.private_class import private_class
from unjit.decompiler.render.lowering.names import ENCLOSING

# Definitions that are expressions.
_NAMELESS = (ast.Lambda, ast.GeneratorExp, ast.ListComp, ast.SetComp, ast.DictComp)


def _name_of(definition: ast.stmt, original: CodeType) -> str:
    """The name of the code that the definition makes; of what has type parameters that of the code that makes those."""
    if isinstance(definition, ast.Expr):
        return "<lambda>" if isinstance(definition.value, ast.Lambda) else original.co_name
    return str(getattr(definition, "name", original.co_name))


def definition_alone(tree: ast.Module, original: CodeType) -> ast.Module:
    """The definition, without what was printed above and around it."""
    definition = tree.body[-1] if tree.body else None
    if definition is not None:
        definition = within_enclosing(definition)
    is_nameless = isinstance(definition, ast.Expr) and isinstance(definition.value, _NAMELESS)
    is_other = isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef)
    if definition is None or not (is_nameless or is_other or is_hidden(original)):
        raise CannotExpress("the source does not end in a definition")
    if not is_nameless and variables_around(original) and hides_a_global(original):
        # Names that are private to `C` are private to `_C` in the same words.
        another = "_" if private_class(original) is not None else f"{ENCLOSING}_"
        definition.name = f"{another}{definition.name}"  # type: ignore[attr-defined]  # a definition
    tree.body = [*(_assigned_outside(original) if is_nameless else ()), definition]
    return ast.fix_missing_locations(tree)


def within_enclosing(printed: ast.stmt) -> ast.stmt:
    """The definition in the function that was printed around it, for its free variables; any other statement itself."""
    if isinstance(printed, ast.FunctionDef) and printed.name == ENCLOSING:
        return printed.body[-2]  # the last statement is the `return` that gives it back
    return printed


def _assigned_outside(original: CodeType) -> list[ast.stmt]:
    """`global` for what `:=` in a comprehension assigns: it means variables of the function around that."""
    names = sorted({str(instr.value) for instr in decode(original) if instr.op == "STORE_GLOBAL"})
    return [ast.Global(names)] if names else []


def hides_a_global(original: CodeType) -> bool:
    """Whether a function, or the class that it is shown in, hides a global that is read within.

    In a function around them they would be variables of that.
    """
    name = private_class(original) or original.co_name
    return any(name in code.co_names and name not in code.co_freevars for code in with_nested(original))


def enclosed(tree: ast.Module, free: tuple[str, ...], imported: list[str]) -> ast.Module:
    """What the definition stood in: the module's imports, and a function that binds the free variables."""
    around = ast.parse("\n".join(f"import {name}" for name in imported))
    if free:
        kind = "async def" if isinstance(tree.body[-1], ast.Expr) else "def"  # a comprehension may need that
        outer = ast.parse(f"{kind} {ENCLOSING}():\n    {' = '.join(free)} = None").body[0]
        assert isinstance(outer, ast.FunctionDef | ast.AsyncFunctionDef)
        outer.body += tree.body
        around.body.append(outer)
    else:
        around.body += tree.body
    return around


def find(module: CodeType, tree: ast.Module, original: CodeType) -> CodeType:
    """The code of the one definition in `tree`."""
    name = _name_of(tree.body[-1], original)
    place = module
    if variables_around(original):
        place = next(c for c in module.co_consts if isinstance(c, CodeType) and c.co_name == ENCLOSING)
    annotated = annotated_by(original)
    last = tree.body[-1]
    if is_hidden(original):
        return named(named(place, name) if is_in_class(original) else place, original.co_name)
    if private_class(original) is not None and isinstance(last, ast.ClassDef):
        return only_code_in(named(place, last.name))
    if annotated is not None and isinstance(last, ast.ClassDef):
        place, last = named(place, name), last.body[-1]
    is_type = annotated is Kind.EXPRESSION and isinstance(last, ast.FunctionDef)
    is_bound = is_type and getattr(last, "type_params", [])
    if is_bound or (annotated is None and type_parameters(original) is not None):
        place = named(place, f"{HIDDEN}{name}>")
    elif is_type:
        place = named(place, name)
    return named(place, name if annotated is None else original.co_name)


def named(place: CodeType, name: str) -> CodeType:
    return _only([c for c in place.co_consts if isinstance(c, CodeType) and c.co_name == name])


def _only(found: list[CodeType]) -> CodeType:
    if len(found) != 1:
        raise CannotExpress("the source does not define exactly one function")
    return found[0]


def only_code_in(place: CodeType) -> CodeType:
    return _only([c for c in place.co_consts if isinstance(c, CodeType)])
