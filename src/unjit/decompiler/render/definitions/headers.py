"""A function's first line and the top of its suite: arguments, annotations, docstring, declarations."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Sequence
from types import CodeType

from unjit.bytecode import Instr, decode, places_in
from unjit.bytecode.functions.frame import argument_names
from unjit.bytecode.functions.hidden_variables import CONDITIONAL_ANNOTATIONS
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree import nodes
from unjit.decompiler.ir.tree.fields import parts_of
from unjit.decompiler.kinds import Kind, keeps_annotations_as_text, kind_of
from unjit.decompiler.lift.shapes.inlined_comprehensions import find_inlined
from unjit.decompiler.render.definitions.annotations import annotations_of_header
from unjit.decompiler.render.lowering.arguments import items_of
from unjit.decompiler.render.lowering.lower import Lowering
from unjit.decompiler.render.lowering.names import Names

COMPREHENSIONS = ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>")
_EXPRESSIONS = (*COMPREHENSIONS, "<lambda>")
# The flag of code with a docstring, from 3.13 on; up to then a docstring is the first constant, whatever the flags.
_HAS_DOCSTRING = getattr(inspect, "CO_HAS_DOCSTRING", 0)


def arguments_of(code: CodeType, variables: Names) -> ast.arguments:
    """The arguments, without defaults and annotations: those belong to whoever makes the function."""
    names = [variables.of_variable(n) for n in argument_names(code)]
    positional = code.co_argcount
    args = [ast.arg(n, None) for n in names[:positional]]
    keyword_only = [ast.arg(n, None) for n in names[positional : positional + code.co_kwonlyargcount]]
    rest = names[positional + code.co_kwonlyargcount :]
    vararg = ast.arg(rest.pop(0), None) if code.co_flags & inspect.CO_VARARGS else None
    kwarg = ast.arg(rest.pop(0), None) if code.co_flags & inspect.CO_VARKEYWORDS else None
    split = code.co_posonlyargcount
    none: list[ast.expr | None] = [None] * len(keyword_only)
    return ast.arguments(args[:split], args[split:], vararg, keyword_only, none, kwarg, [])


_CHANGE_CELL = frozenset({"STORE_DEREF", "DELETE_DEREF"})
_DECLARING = frozenset({"STORE_GLOBAL", "DELETE_GLOBAL"}) | _CHANGE_CELL
_DECLARING_OUTSIDE_FUNCTIONS = _DECLARING | {"LOAD_GLOBAL"}


def declarations(code: CodeType, names: Names, around: Sequence[CodeType] = ()) -> list[ast.stmt]:
    """The `global` and `nonlocal` statements that the code needs.

    A function needs one for each global or free variable that it stores. A global that is only read was declared, too,
    outside functions and where a function `around` has a variable of that name.
    """
    kind = kind_of(code)
    operations = _DECLARING if kind is Kind.FUNCTION else _DECLARING_OUTSIDE_FUNCTIONS
    declares = not operations.isdisjoint(places_in(code))
    declaring = [i for i in _without_comprehensions(code) if i.op in operations] if declares else []
    declaring += _in_comprehensions(code)
    hidden = _hidden_globals(code, around) if around else ()
    if not declaring and not hidden and kind is not Kind.CLASS:  # as in most code
        return []
    global_ = sorted({str(i.value) for i in declaring if i.op not in _CHANGE_CELL}.union(hidden))
    stored = {str(i.value) for i in declaring if i.op in _CHANGE_CELL}
    if kind is Kind.CLASS:  # it has all that it declares, used or not
        stored |= set(code.co_freevars).difference(str(i.value) for i in decode(code))
    nonlocal_ = sorted((stored & set(code.co_freevars)) - {CONDITIONAL_ANNOTATIONS})
    declared: list[ast.stmt] = []
    if global_:
        declared.append(ast.Global([*map(names.of_variable, global_)]))
    if nonlocal_:
        declared.append(ast.Nonlocal([*map(names.of_variable, nonlocal_)]))
    return declared


def without_declared_within(declared: list[ast.stmt], code: CodeType, body: list[ast.stmt]) -> list[ast.stmt]:
    """A module's declarations without those that a function in it makes: they hold for the module, too."""
    if not declared or kind_of(code) is not Kind.MODULE:
        return declared
    within = _declared_within(body)
    globals_ = [name for each in declared if isinstance(each, ast.Global) for name in each.names if name not in within]
    return [ast.Global(globals_)] if globals_ else []


def _declared_within(body: list[ast.stmt]) -> set[str]:
    found: set[str] = set()
    statements: list[ast.AST] = list(body)
    for statement in statements:  # the list grows while it is walked
        if isinstance(statement, ast.Global):
            found.update(statement.names)
        statements += [part for part in parts_of(statement) if isinstance(part, _HOLDERS)]
    return found


_HOLDERS = (ast.stmt, ast.ExceptHandler, ast.match_case)  # of statements


def _without_comprehensions(code: CodeType) -> Sequence[Instr]:
    """The instructions without those of inlined comprehensions: of a function, without those on their own cells."""
    instrs = decode(code)
    cells = {*code.co_cellvars} & {*code.co_freevars}  # a cell of the comprehension, by the name of a free variable
    is_function = kind_of(code) is Kind.FUNCTION
    if is_function and not cells:
        return instrs
    inlined = {k for comprehension in find_inlined(instrs).values() for k in comprehension.indices}
    return [i for k, i in enumerate(instrs) if k not in inlined or (is_function and i.value not in cells)]


def _hidden_globals(code: CodeType, around: Sequence[CodeType]) -> set[str]:
    """Globals that the code reads although a function around it has a variable of that name."""
    read = _read(code)
    hidden: set[str] = set()
    for other in around:
        same = read.intersection((*other.co_varnames, *other.co_cellvars, *other.co_freevars))
        # Those of an inlined comprehension are its own.
        hidden |= same - {str(i.value) for i in decode(other) if i.op == "LOAD_FAST_AND_CLEAR"} if same else same
    return hidden


def _read(code: CodeType) -> set[str]:
    """Globals that the code reads, or that are read in lambdas and the like within it, which can declare nothing."""
    inside = (const for const in code.co_consts if isinstance(const, CodeType) and const.co_name in _EXPRESSIONS)
    own = {str(i.value) for i in decode(code) if i.op == "LOAD_GLOBAL"}
    return own.union(*map(_read, inside))


def _in_comprehensions(code: CodeType) -> tuple[Instr, ...]:
    """Stores within comprehensions that are functions of their own: by `:=`, to variables of the code around them."""
    found: tuple[Instr, ...] = ()
    for const in code.co_consts:
        if isinstance(const, CodeType) and const.co_name in COMPREHENSIONS:
            stores = (i for i in decode(const) if i.op in ("STORE_GLOBAL", "STORE_DEREF"))
            found += (*(i for i in stores if i.value not in const.co_cellvars), *_in_comprehensions(const))
    return found


def docstring_of(code: CodeType) -> list[ast.stmt]:
    """The docstring of a function, as its first statement."""
    first = code.co_consts[0] if code.co_consts else None
    if code.co_flags & _HAS_DOCSTRING == _HAS_DOCSTRING and isinstance(first, str) and not code.co_name.startswith("<"):
        return [ast.Expr(ast.Constant(first))]
    return []


def check_closure(made: nodes.MakeFunction) -> None:
    """Every cell must be the enclosing function's own variable of the same name: what a nested def gets."""
    cells = made.closure.elts if isinstance(made.closure, ast.Tuple) else []
    given = [cell.id if isinstance(cell, nodes.CellRef) else None for cell in cells]
    if given != list(made.code.co_freevars):
        raise CannotExpress(f"{made.code.co_name} is made with cells that are not variables of those names")


def add_defaults(made: nodes.MakeFunction, arguments: ast.arguments, around: Lowering) -> None:
    if made.defaults is not None:
        arguments.defaults = [around.visit(d) for d in items_of(made.defaults)]
    if made.kwdefaults is not None:
        if not isinstance(made.kwdefaults, ast.Dict):
            raise CannotExpress("keyword defaults that are not written as a dict")
        given = {
            key.value: around.visit(value)
            for key, value in zip(made.kwdefaults.keys, made.kwdefaults.values, strict=True)
            if isinstance(key, ast.Constant)
        }
        arguments.kw_defaults = [given.get(argument.arg) for argument in arguments.kwonlyargs]


def add_annotations(made: nodes.MakeFunction, function: nodes.Function, around: Lowering) -> None:
    by_name: dict[object, ast.expr] = {}
    if made.annotations is not None:
        flat = items_of(made.annotations)
        pairs = zip(flat[0::2], flat[1::2], strict=True)
        by_name = {key.value: around.visit(value) for key, value in pairs if isinstance(key, ast.Constant)}
    if isinstance(made.annotate, nodes.MakeFunction):
        check_closure(made.annotate)
        by_name |= annotations_of_header(made.annotate.code, around)
    if keeps_annotations_as_text(made.code):
        by_name = {name: as_written(value) for name, value in by_name.items()}
    function.returns = by_name.get("return")
    spec = function.args
    for argument in (*spec.posonlyargs, *spec.args, spec.vararg, *spec.kwonlyargs, spec.kwarg):
        if argument is not None:
            argument.annotation = by_name.get(argument.arg)


def as_written(annotation: ast.expr) -> ast.expr:
    """An annotation that the compiler kept as text, as the expression that the text is."""
    if not (isinstance(annotation, ast.Constant) and isinstance(annotation.value, str)):
        return annotation
    text = annotation.value
    try:
        if text.startswith("*"):  # of `*args`
            return ast.parse(f"[{text}]", mode="eval").body.elts[0]  # type: ignore[attr-defined,no-any-return]
        return ast.parse(text, mode="eval").body
    except SyntaxError:
        raise CannotExpress(f"the text of an annotation is no expression: {text!r:.80}") from None
