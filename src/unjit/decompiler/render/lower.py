"""The IR's own nodes to plain `ast`: temporaries get names, functions get bodies, helpers become calls."""

from __future__ import annotations

import ast
from collections.abc import Callable

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir import nodes
from unjit.decompiler.ir.nodes import copy_mark
from unjit.decompiler.render import names as naming
from unjit.decompiler.render.constants import constant_expression
from unjit.decompiler.render.names import Names

# Gives the body and header of a nested code object; `functions.py` passes itself in.
NestedFunction = Callable[[nodes.MakeFunction, "Lowering", str | None], ast.stmt | ast.expr]


class Lowering(ast.NodeTransformer):
    """One function's statements at a time; `helpers` counts the calls that stand for an instruction."""

    def __init__(self, names: Names, nested: NestedFunction) -> None:
        self.names = names
        self.nested = nested
        self.helpers = 0
        self.hoisted: list[ast.stmt] = []

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """A lowered suite; functions that no expression can hold are defined before the statement that needs them."""
        lowered: list[ast.stmt] = []
        outer, self.hoisted = self.hoisted, []
        for statement in body:
            new = self.visit(statement)
            lowered += self.hoisted
            self.hoisted = []
            lowered += new if isinstance(new, list) else [new]
        self.hoisted = outer
        return lowered

    def generic_visit(self, node: ast.AST) -> ast.AST:
        for field in node._fields:
            value = getattr(node, field, None)
            if isinstance(value, list):
                suite = bool(value) and isinstance(value[0], ast.stmt)
                setattr(node, field, self.statements(value) if suite else [self._part(item) for item in value])
            elif isinstance(value, ast.AST):
                setattr(node, field, self.visit(value))
        return node

    def _part(self, item: object) -> object:
        return self.visit(item) if isinstance(item, ast.AST) else item

    # ------------------------------------------------------------ statements
    def visit_Define(self, node: nodes.Define) -> ast.stmt:
        value = self.visit(node.value)
        if node.temp.uses == 0:
            return _marked(node, ast.Expr(value))
        target = ast.Name(self.names.of_temp(node.temp), ast.Store())
        return _marked(node, ast.Assign([target], value))

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Name):
            made = self._definition(node.value, target.id)
            if made is not None:
                return _marked(node, made)
        return self.generic_visit(node)

    def _definition(self, value: ast.expr, name: str) -> ast.stmt | None:
        """`name = decorator(function)`: the def statement."""
        decorators = []
        while isinstance(value, ast.Call) and len(value.args) == 1 and not value.keywords:
            decorators.append(value.func)
            value = value.args[0]
        if not isinstance(value, nodes.MakeFunction) or value.code.co_name != name:
            return None
        made = self.nested(value, self, name)
        if not isinstance(made, ast.FunctionDef | ast.AsyncFunctionDef):
            return None
        made.decorator_list = [self.visit(d) for d in decorators]
        return made

    def visit_Reraise(self, node: nodes.Reraise) -> ast.stmt:
        return _marked(node, ast.Raise(None, None))

    def visit_Accumulate(self, node: nodes.Accumulate) -> ast.stmt:
        raise CannotExpress(f"{node.kind} changes a display that something else holds too")

    def visit_EnterWith(self, node: nodes.EnterWith) -> ast.stmt:
        raise CannotExpress("a context manager is entered where no with statement fits")

    # ------------------------------------------------------------ values
    def visit_Temp(self, node: nodes.Temp) -> ast.expr:
        return _name(self.names.of_temp(node), node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return _name(self.names.of_variable(node.id), node)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        return _kept(node, constant_expression(node.value))

    def visit_ObjectConst(self, node: nodes.ObjectConst) -> ast.expr:
        return _name(self.names.of_constant(node.value), node)

    def visit_CodeConst(self, node: nodes.CodeConst) -> ast.expr:
        return _name(self.names.of_constant(node.code), node)

    def visit_CellRef(self, node: nodes.CellRef) -> ast.expr:
        arguments = ast.arguments([], [], None, [], [], None, [])
        held = ast.Lambda(arguments, ast.Name(self.names.of_variable(node.id), ast.Load()))
        return self._helper(naming.CELL_HELPER, [held], node)

    def visit_Helper(self, node: nodes.Helper) -> ast.expr:
        if node.name == "FOR_ITER":
            return self._helper(naming.ITERATOR_HELPER, [self.visit(a) for a in node.args], node)
        raise CannotExpress(f"{node.name} is used where no syntax stands for it")

    def _helper(self, name: str, args: list[ast.expr], node: ast.AST) -> ast.expr:
        self.helpers += 1
        return _kept(node, ast.Call(ast.Name(name, ast.Load()), args, []))

    def visit_Inplace(self, node: nodes.Inplace) -> ast.expr:
        raise CannotExpress("the result of an augmented operator is not stored where its operand was")

    def visit_GetIter(self, node: nodes.GetIter) -> ast.expr:
        raise CannotExpress("an iterator is taken where no for loop fits")

    def visit_MakeFunction(self, node: nodes.MakeFunction) -> ast.expr:
        made = self.nested(node, self, None)
        if isinstance(made, ast.expr):
            return _kept(node, made)
        assert isinstance(made, ast.FunctionDef | ast.AsyncFunctionDef)
        self.hoisted.append(_marked(node, made))
        return _name(made.name, node)

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        values: list[ast.expr] = []
        for value in node.values:
            if isinstance(value, ast.JoinedStr):
                values += value.values
            elif isinstance(value, ast.Constant) or isinstance(value, ast.FormattedValue):
                values.append(value)
            else:
                raise CannotExpress("a string is joined from values that no format made")
        lowered = [v if isinstance(v, ast.Constant) else self.visit(v) for v in values]
        return _kept(node, ast.JoinedStr(lowered))

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.expr:
        inner = node.value
        if isinstance(inner, ast.FormattedValue):  # converted first, formatted then
            node = ast.FormattedValue(inner.value, inner.conversion, node.format_spec)
        spec = node.format_spec
        if isinstance(spec, ast.Constant):
            spec = ast.JoinedStr([spec])
        elif spec is not None:
            spec = self.visit(spec)
        if spec is not None and not isinstance(spec, ast.JoinedStr):
            spec = ast.JoinedStr([ast.FormattedValue(spec, -1, None)])
        return _kept(node, ast.FormattedValue(self.visit(node.value), node.conversion, spec))

    def unknown(self, node: ast.AST) -> ast.expr:
        raise CannotExpress(f"{type(node).__name__} has no source form where it stands")

    visit_Null = visit_SelfMarker = visit_SavedException = visit_HandledException = unknown
    visit_AssertionErrorRef = visit_BuildClass = visit_Import = visit_ImportMember = unknown
    visit_MatchesException = visit_ExitSuppresses = unknown


def _name(identifier: str, node: ast.AST) -> ast.expr:
    return _kept(node, ast.Name(identifier, ast.Load()))


def _kept(node: ast.AST, new: ast.expr) -> ast.expr:
    copy_mark(node, new)
    return new


def _marked(node: ast.AST, new: ast.stmt) -> ast.stmt:
    copy_mark(node, new)
    return new


