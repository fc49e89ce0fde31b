"""What is printed for each kind of code: a definition with what it needs around it, or the statements of a file."""

from __future__ import annotations

import ast
from contextlib import suppress
from types import CodeType

from unjit.bytecode import decode
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.nodes import Apart, Definition
from unjit.decompiler.ir.tree.suites import Suite
from unjit.decompiler.kinds import (
    Kind,
    annotated_by,
    is_bare_generator,
    is_hidden,
    is_in_class,
    keeps_annotations_as_text,
    kind_of,
    type_parameters,
    variables_around,
)
from unjit.decompiler.render.definitions.annotations import annotations_of_header, header_alone
from unjit.decompiler.render.definitions.deferred import annotations_alone, deferred_by
from unjit.decompiler.render.definitions.functions import FunctionRenderer, class_statement, returned_value
from unjit.decompiler.render.definitions.headers import COMPREHENSIONS, as_written
from unjit.decompiler.render.definitions.preamble import comments, helper_import, needs_enclosing
from unjit.decompiler.render.definitions.private_class import private_class
from unjit.decompiler.render.definitions.type_parameters import generic_alone, type_given
from unjit.decompiler.render.lowering.lower import Lowering
from unjit.decompiler.render.lowering.names import ANNOTATED, ENCLOSING, Names
from unjit.decompiler.render.printing.printer import Printer
from unjit.decompiler.render.printing.writer import Writer

Unit = Definition | Suite


def unit_of(code: CodeType, renderer: FunctionRenderer, names: Names) -> Unit:
    """The definition or the statements. Raises CannotExpress."""
    kind, annotated = kind_of(code), annotated_by(code)
    if annotated is not None:
        return _annotated(code, annotated, renderer, names)
    if is_hidden(code):
        return _generic(code, renderer, names)
    if is_bare_generator(code):
        return [ast.Expr(renderer.lambda_alone(code))]
    if code.co_name in COMPREHENSIONS and renderer.bodies.is_at_first_tier(code):
        with suppress(CannotExpress):  # a function of statements then
            return [ast.Expr(renderer.comprehension_alone(code))]
    if kind is Kind.FUNCTION:
        return renderer.method(code, names.of_definition(code.co_name), private_class(code))
    if kind is Kind.CLASS:
        return _class(code, renderer, names)
    suite = renderer.module_suite(code)
    return _value(suite) if kind is Kind.EXPRESSION else suite


def _class(code: CodeType, renderer: FunctionRenderer, names: Names) -> ast.ClassDef:
    """The class without its bases, which whoever makes the class knows; so are what its type parameters are."""
    class_ = class_statement(code, renderer.class_suite(code), [], [])
    own = type_parameters(code)
    if own is not None:
        known = own or (names.of_hoisted("T"),)
        class_.type_params = [ast.TypeVar(name, None) for name in known]  # type: ignore[attr-defined]  # 3.12
    return class_


def _annotated(code: CodeType, kind: Kind, renderer: FunctionRenderer, names: Names) -> Unit:
    """A function, class or module that has the annotations, or bound, which the code makes, and nothing else."""
    around = renderer.lowering(names, renderer, code)
    if kind is Kind.EXPRESSION:
        value, knows_itself = _type_alone(code, around), code.co_name in code.co_freevars
        if is_in_class(code) and not (knows_itself or isinstance(value, ast.Starred)):  # as a bound may
            return _bare_class(code, [_alias(code, value)])
        holder = _holder(code, value)
    elif kind is Kind.FUNCTION:
        annotations = annotations_of_header(code, around)
        if keeps_annotations_as_text(code):
            annotations = {name: as_written(value) for name, value in annotations.items()}
        holder = header_alone(ANNOTATED, annotations)
    else:
        suite = annotations_alone(deferred_by(code, renderer.bodies.of_code(code)))
        if kind is Kind.CLASS:
            return _bare_class(code, around.statements(suite))
        return around.statements([a for s in suite for a in getattr(s, "body", [s])])
    return _bare_class(code, [holder]) if is_in_class(code) else holder


def _holder(code: CodeType, value: ast.expr) -> ast.FunctionDef:
    """A function with a type parameter that has this type, or with a `type` statement where that is a global."""
    name, holder = code.co_name, header_alone(ANNOTATED, {})
    if isinstance(value, ast.Starred):
        holder.type_params = [ast.TypeVarTuple(name, value)]  # type: ignore[attr-defined]  # 3.13
    elif name in code.co_names and name not in code.co_freevars:
        holder.body = [ast.Global([name]), _alias(code, value)]
    else:
        holder.type_params = [ast.TypeVar(name, value)]  # type: ignore[attr-defined]  # 3.12
    return holder


def _alias(code: CodeType, value: ast.expr) -> ast.stmt:
    alias: ast.stmt = ast.TypeAlias(ast.Name(code.co_name, ast.Store()), [], value)  # type: ignore[attr-defined]  # 3.12
    return alias


def _generic(code: CodeType, renderer: FunctionRenderer, names: Names) -> Unit:
    """What has the type parameters that the code makes."""
    statement = generic_alone(code, renderer.lowering(names, renderer, code))
    return _bare_class(code, [statement]) if is_in_class(code) else [statement]


def _bare_class(code: CodeType, body: Suite) -> ast.ClassDef:
    """A class of nothing but `body`: names are looked up in it first, but for those that it declares to be global."""
    declared = sorted({str(instr.value) for instr in decode(code) if instr.op == "LOAD_GLOBAL"})
    class_ = class_statement(code, [ast.Global(declared), *body] if declared else body, [], [])
    class_.name = ANNOTATED
    return class_


def _type_alone(code: CodeType, around: Lowering) -> ast.expr:
    shown = around.visit(Apart(around.nested.hidden(code, type_given), code))
    assert isinstance(shown, ast.expr)
    return shown


def _value(suite: Suite) -> Suite:
    value = returned_value(suite)
    if value is None:
        raise CannotExpress("the value is more than one expression")
    return [ast.Expr(value)]


def print_unit(unit: Unit, code: CodeType, names: Names, writer: Writer) -> Printer:
    """The unit as text, with imports of helpers and with comments on what Python alone does not tell."""
    free = tuple(map(names.of_variable, variables_around(code)))
    if isinstance(unit, list):
        printer = Printer(comments(names, free, code), writer)
        printer.module(unit, helper_import(names))
        return printer
    printer = Printer([*helper_import(names), *comments(names, free, code)], writer)
    private = private_class(code)
    if private is not None:
        printer.definition_in_class(private, unit)
    elif needs_enclosing(unit):
        printer.definition_inside(ENCLOSING, free, unit)
    else:
        printer.definition(unit)
    return printer


def laid_out(source: str | list[ast.stmt]) -> str:
    """Any Python source as unjit prints it: the same statements, without comments. May raise SyntaxError."""
    printer = Printer([], Writer())
    printer.module(ast.parse(source).body if isinstance(source, str) else source, [])
    return "\n".join(printer.lines) + "\n"
