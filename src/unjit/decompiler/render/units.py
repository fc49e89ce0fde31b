"""What is printed for each kind of code: a definition with what it needs around it, or the statements of a file."""

from __future__ import annotations

import ast
from types import CodeType

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.suites import Suite
from unjit.decompiler.kinds import Kind, kind_of, type_parameters, variables_around
from unjit.decompiler.render.functions import FunctionRenderer, class_statement, returned_value
from unjit.decompiler.render.lower import Definition
from unjit.decompiler.render.names import ENCLOSING, Names
from unjit.decompiler.render.preamble import comments, helper_import, needs_enclosing
from unjit.decompiler.render.printer import Printer

Unit = Definition | ast.ClassDef | Suite


def unit_of(code: CodeType, renderer: FunctionRenderer, names: Names) -> Unit:
    """The definition or the statements. Raises CannotExpress."""
    kind = kind_of(code)
    if kind is Kind.FUNCTION:
        return renderer.function(code, names.of_definition(code.co_name))
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


def _value(suite: Suite) -> Suite:
    value = returned_value(suite)
    if value is None:
        raise CannotExpress("the value is more than one expression")
    return [ast.Expr(value)]


def print_unit(unit: Unit, code: CodeType, names: Names) -> Printer:
    """The unit as text, with imports of helpers and with comments on what Python alone does not tell."""
    free = tuple(map(names.of_variable, variables_around(code)))
    if isinstance(unit, list):
        printer = Printer(comments(names, free))
        printer.module(unit, helper_import(names))
        return printer
    printer = Printer([*helper_import(names), *comments(names, free)])
    if needs_enclosing(unit):
        printer.definition_inside(ENCLOSING, free, unit)
    else:
        printer.definition(unit)
    return printer


def laid_out(source: str) -> str:
    """Any Python source as unjit prints it: the same statements, without comments. May raise SyntaxError."""
    printer = Printer([])
    printer.module(ast.parse(source).body, [])
    return "\n".join(printer.lines) + "\n"
