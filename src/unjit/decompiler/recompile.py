"""Source text back to one code object that can stand in for the original in its frame."""

from __future__ import annotations
import __future__

import ast
import functools
import operator
import warnings
from types import CodeType

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.helper_calls import without_helper_calls
from unjit.decompiler.imported_names import imported_names
from unjit.decompiler.lift.literals import literal

_FUTURE_FLAGS = functools.reduce(
    operator.or_,
    (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names),
)
_NESTED = 0x10
ENCLOSING = "enclosing_function"  # around a definition that has free variables


def recompile(
    source: str,
    original: CodeType,
    constants: dict[str, object],
    renamed: dict[str, str],
    helpers: dict[str, str],
) -> CodeType:
    """Compile `source`, one definition, in the context that `original` was compiled in.

    `constants` are the names that stand for constants without a literal; `renamed` the names that stand for
    variables whose own name source cannot say; `helpers` the helpers that it calls, with their names there. Raises
    CannotExpress when source does not compile or no code in it has the original's frame.
    """
    tree = _definition_alone(_parsed(source))
    tree = _ConstantsInPlace(constants).visit(tree)
    module = _compiled(_enclosed(tree, original.co_freevars, imported_names(original)), original)
    made = _find(module, tree, original)
    values = {_marker(k): value for k, value in enumerate(constants.values())}
    made = _with_constants(made, values)
    made = _with_names(made, {shown: name for name, shown in renamed.items()})
    made = without_helper_calls(made, {shown: name for name, shown in helpers.items()})
    return _in_place_of(made, original)


def _parsed(source: str) -> ast.Module:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return ast.parse(source)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CannotExpress(f"the source does not parse: {error}") from error


def _definition_alone(tree: ast.Module) -> ast.Module:
    """The definition, without what was printed above and around it."""
    definition = tree.body[-1] if tree.body else None
    if isinstance(definition, ast.FunctionDef) and definition.name == ENCLOSING:
        definition = definition.body[-2]
    if not isinstance(definition, ast.FunctionDef | ast.AsyncFunctionDef):
        raise CannotExpress("the source does not end in a definition")
    tree.body = [definition]
    return tree


def _compiled(tree: ast.Module, original: CodeType) -> CodeType:
    flags = original.co_flags & _FUTURE_FLAGS
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            code = compile(tree, original.co_filename, "exec", flags=flags, dont_inherit=True, optimize=0)
    except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
        raise CannotExpress(f"the source does not compile: {error}") from error
    assert isinstance(code, CodeType)
    return code


def _enclosed(tree: ast.Module, free: tuple[str, ...], imported: list[str]) -> ast.Module:
    """What the definition stood in: the module's imports, and a function that binds the free variables."""
    around = ast.parse("\n".join(f"import {name}" for name in imported))
    if free:
        outer = ast.parse(f"def {ENCLOSING}():\n    {' = '.join(free)} = None").body[0]
        assert isinstance(outer, ast.FunctionDef)
        outer.body += tree.body
        around.body.append(outer)
    else:
        around.body += tree.body
    return around


def _find(module: CodeType, tree: ast.Module, original: CodeType) -> CodeType:
    """The code of the one definition in `tree`."""
    name = getattr(tree.body[-1], "name", None)
    place = module
    if original.co_freevars:
        place = next(c for c in module.co_consts if isinstance(c, CodeType) and c.co_name == ENCLOSING)
    found = [c for c in place.co_consts if isinstance(c, CodeType) and c.co_name == name]
    if len(found) != 1:
        raise CannotExpress("the source does not define exactly one function")
    return found[0]


# ---------------------------------------------------------------- constants
def _marker(index: int) -> tuple[str, int]:
    """A literal that stands for constant number `index` while compiling; nothing else looks like it."""
    return ("unjit constant", index)


class _ConstantsInPlace(ast.NodeTransformer):
    """A name that stands for a constant becomes a marker literal, which compiling puts among the constants."""

    def __init__(self, constants: dict[str, object]) -> None:
        self.index = {name: k for k, name in enumerate(constants)}

    def visit_Name(self, node: ast.Name) -> ast.expr:
        index = self.index.get(node.id)
        return node if index is None else ast.copy_location(literal(_marker(index)), node)


def _with_constants(code: CodeType, values: dict[tuple[str, int], object]) -> CodeType:
    if not values:
        return code

    def replaced(const: object) -> object:
        if isinstance(const, CodeType):
            return _with_constants(const, values)
        if isinstance(const, tuple):
            return values[const] if const in values else tuple(replaced(item) for item in const)
        return const

    return code.replace(co_consts=tuple(replaced(const) for const in code.co_consts))


def _with_names(code: CodeType, names: dict[str, str]) -> CodeType:
    """Variables under the names that the original has for them."""
    if not names:
        return code

    def back(known: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(names.get(name, name) for name in known)

    consts = tuple(_with_names(c, names) if isinstance(c, CodeType) else c for c in code.co_consts)
    return code.replace(
        co_varnames=back(code.co_varnames),
        co_cellvars=back(code.co_cellvars),
        co_freevars=back(code.co_freevars),
        co_names=back(code.co_names),
        co_consts=consts,
    )


# ---------------------------------------------------------------- identity
def _in_place_of(code: CodeType, original: CodeType) -> CodeType:
    """Give the code the original's names; what decides about frames must be equal already."""
    flags = code.co_flags & ~_NESTED | original.co_flags & _NESTED
    qualname = getattr(original, "co_qualname", original.co_name)
    code = code.replace(co_name=original.co_name, co_flags=flags, co_firstlineno=original.co_firstlineno)
    return _requalified(code, getattr(code, "co_qualname", code.co_name), qualname)


def _requalified(code: CodeType, old: str, new: str) -> CodeType:
    """Qualified names of the code and those nested in it, as if compiled where the original was."""

    def renamed(name: str) -> str:
        return new + name[len(old) :] if name == old or name.startswith(old + ".<locals>") else name

    consts = tuple(_requalified(c, old, new) if isinstance(c, CodeType) else c for c in code.co_consts)
    if hasattr(code, "co_qualname"):
        return code.replace(co_consts=consts, co_qualname=renamed(code.co_qualname))  # type: ignore[call-arg]  # 3.11
    strings = tuple(renamed(c) if isinstance(c, str) and ".<locals>" in c else c for c in consts)
    return code.replace(co_consts=strings)
