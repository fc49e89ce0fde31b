"""Functions, classes and `type` statements with type parameters, from the hidden function that the compiler made.

Its code is one of three shapes, see `lift.operations.type_parameters`; any other is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType

from unjit.bytecode import versions as v
from unjit.bytecode.functions.hidden_variables import TYPE_PARAMETERS
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree import nodes
from unjit.decompiler.ir.tree.suites import Suite
from unjit.decompiler.kinds import HIDDEN
from unjit.decompiler.render.definitions.annotations import without_refusal
from unjit.decompiler.render.definitions.functions import returned_value
from unjit.decompiler.render.definitions.headers import check_closure
from unjit.decompiler.render.lowering.arguments import spread_call
from unjit.decompiler.render.lowering.lower import Lowering

_BARE = ("TYPEVAR", "PARAMSPEC", "TYPEVARTUPLE")
_WITH_BOUND = ("TYPEVAR_WITH_BOUND", "TYPEVAR_WITH_CONSTRAINTS")
_NODES = {"PARAMSPEC": "ParamSpec", "TYPEVARTUPLE": "TypeVarTuple"}
# What the hidden function calls its arguments and its own variables.
_GENERIC_BASE = ".generic_base"
_PASSED = (".defaults", ".kwdefaults")


def generic_definition(node: nodes.Helper, bound: str, around: Lowering) -> ast.stmt | None:
    """The statement that binds `bound` to what the call of a hidden function gives; None if it has another name."""
    *passed, made = node.args
    assert isinstance(made, nodes.MakeFunction)
    check_closure(made)
    inside = type(around)(around.names, around.nested, made.code)
    statements: Suite = around.nested.hidden(made.code, list)
    last = statements[-1] if statements else None
    value = last.value if isinstance(last, ast.Return) else None
    if isinstance(value, nodes.Helper) and len(statements) == 1:
        if value.name == "TYPEALIAS":
            return type_alias(value, bound, inside)
        if value.name == "SET_FUNCTION_TYPE_PARAMS":
            return _function(value, passed, bound, inside, around)
    return _class(statements, bound, inside)


def generic_alone(code: CodeType, around: Lowering) -> ast.stmt:
    """The statement whose hidden function this is; the defaults that it is handed read `...`."""
    made, bound = nodes.MakeFunction(code), code.co_name[len(HIDDEN) : -1]
    made.closure = ast.Tuple([nodes.CellRef(name) for name in code.co_freevars], ast.Load())
    passed: list[ast.expr] = [ast.Constant(...)] * code.co_argcount
    statement = generic_definition(nodes.Helper("WITH_TYPE_PARAMETERS", [*passed, made]), bound, around)
    if statement is None:
        raise CannotExpress("type parameters of something by another name")
    return statement


def type_alias(node: nodes.Helper, bound: str, around: Lowering) -> ast.stmt | None:
    """`type bound[…] = …`."""
    (parts,) = node.args
    if not (isinstance(parts, ast.Tuple) and len(parts.elts) == 3):
        raise CannotExpress("a type alias that is not made of a name, parameters and a value")
    name, parameters, value = parts.elts
    if not (isinstance(name, ast.Constant) and around.nested.is_bound_as(str(name.value), bound)):
        return None
    params = list(_parameters(parameters, around)) if isinstance(parameters, ast.Tuple) else []
    alias: ast.stmt = ast.TypeAlias(  # type: ignore[attr-defined]  # 3.12 and later
        ast.Name(bound, ast.Store()), params, _lazy(value, around)
    )
    return alias


def _function(
    node: nodes.Helper,
    passed: list[ast.expr],
    bound: str,
    inside: Lowering,
    around: Lowering,
) -> nodes.Definition | None:
    parameters, made = node.args
    if not (isinstance(made, nodes.MakeFunction) and around.nested.is_named(made.code, bound)):
        return None
    for field in ("defaults", "kwdefaults"):
        given = getattr(made, field)
        if isinstance(given, ast.Name) and given.id in _PASSED:
            value = passed.pop(0)
            is_unknown = isinstance(value, ast.Constant) and value.value is ...
            setattr(made, field, _of_last(made.code, field) if is_unknown else value)
    params = list(_parameters(parameters, inside))
    function = around.nested.definition(made, made.code.co_name, around, annotated_in=inside)
    function.type_params = params  # type: ignore[union-attr]  # 3.12 and later
    return function


def _of_last(code: CodeType, field: str) -> ast.expr:
    """Defaults that nobody knows, nor how many there are: `...` for the last argument that can have one."""
    unknown = ast.Constant(...)
    if field == "defaults":
        return ast.Tuple([unknown], ast.Load())
    last = code.co_varnames[code.co_argcount + code.co_kwonlyargcount - 1]
    return ast.Dict([ast.Constant(last)], [unknown])


def _class(statements: Suite, bound: str, inside: Lowering) -> nodes.Definition | None:
    """`.type_params = (…)`, `.generic_base = Generic[.type_params]`, then the class with that as its last base."""
    known = {s.temp: s.value for s in statements if isinstance(s, nodes.Define)}
    stored = {_name_of(s.targets[0]): s.value for s in statements if isinstance(s, ast.Assign)}
    last = statements[-1] if statements else None
    call = last.value if isinstance(last, ast.Return) else None
    if set(stored) != {TYPE_PARAMETERS, _GENERIC_BASE} or not isinstance(call, ast.Call):
        raise CannotExpress("type parameters of something that is no function, class or type alias")
    call.func = known.get(call.func, call.func)  # type: ignore[call-overload]
    spread_call(call)
    call.args = [known.get(a, a) for a in call.args]  # type: ignore[call-overload]
    params = list(_parameters(stored[TYPE_PARAMETERS], inside))
    class_ = inside.nested.class_(call, bound, inside)
    if class_ is None:
        return None
    generic = class_.bases.pop() if class_.bases else None
    if not (isinstance(generic, ast.Name) and generic.id == inside.names.of_variable(_GENERIC_BASE)):
        raise CannotExpress("a class with type parameters whose last base does not say so")
    class_.type_params = params  # type: ignore[attr-defined]  # 3.12 and later
    return class_


def _name_of(target: ast.expr) -> str | None:
    return target.id if isinstance(target, ast.Name) else None


# ---------------------------------------------------------------- parameters
def _parameters(value: ast.expr, around: Lowering) -> Iterator[ast.AST]:
    if not isinstance(value, ast.Tuple):
        raise CannotExpress("type parameters that are not a tuple")
    for element in value.elts:
        if not isinstance(element, ast.NamedExpr):
            raise CannotExpress("a type parameter that no variable holds")
        yield _parameter(element.value, around)


def _parameter(value: ast.expr, around: Lowering) -> ast.AST:
    default: list[ast.expr] = []
    if isinstance(value, nodes.Helper) and value.name == "SET_TYPEPARAM_DEFAULT":
        value, given = value.args
        default = [_lazy(given, around)]
    if not isinstance(value, nodes.Helper) or value.name not in (*_BARE, *_WITH_BOUND):
        raise CannotExpress("a type parameter that is none")
    name = value.args[0]
    assert isinstance(name, ast.Constant)
    if value.name in _NODES:
        parameter: ast.AST = getattr(ast, _NODES[value.name])(name.value, *default)
        return parameter
    bound = _lazy(value.args[1], around) if value.name in _WITH_BOUND else None
    if (value.name == "TYPEVAR_WITH_CONSTRAINTS") != isinstance(bound, ast.Tuple):
        raise CannotExpress("constraints of a type parameter that are not written as a tuple")
    variable: ast.AST = ast.TypeVar(name.value, bound, *default)  # type: ignore[attr-defined]  # 3.12 and later
    return variable


def _lazy(value: ast.expr, around: Lowering) -> ast.expr:
    """The expression that a function gives when it is asked for; from 3.14 on it is asked for in a format."""
    if not isinstance(value, nodes.MakeFunction):
        raise CannotExpress("a type that is not computed by a function of its own")
    check_closure(value)
    if not v.PY314 and _only_item(around.nested.hidden(value.code, list)) is None:
        return around.nested.lambda_(value, around).body
    lowered = around.visit(nodes.Apart(around.nested.hidden(value.code, type_given), value.code))
    assert isinstance(lowered, ast.expr)
    return lowered


def type_given(statements: Suite) -> ast.expr:
    """The type that the function with these statements gives."""
    if v.PY314:
        statements = without_refusal(statements)
    unpacked = _only_item(statements)
    returned = returned_value(statements) if unpacked is None else ast.Starred(unpacked, ast.Load())
    if returned is None:
        raise CannotExpress("a type that is more than one expression")
    return returned


def _only_item(statements: Suite) -> ast.expr | None:
    """What `(x,) = value; return x` unpacks: the default `*value` of a type variable tuple."""
    if len(statements) != 2:
        return None
    unpack, returned = statements
    if not (isinstance(unpack, ast.Assign) and isinstance(returned, ast.Return)):
        return None
    target = unpack.targets[0]
    return unpack.value if isinstance(target, ast.Tuple) and target.elts == [returned.value] else None
