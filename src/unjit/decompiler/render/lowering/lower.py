"""The IR's own nodes to plain `ast`: temporaries get names, functions get bodies, helpers become calls."""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, TypeVar, cast

from unjit.bytecode import positions_in
from unjit.bytecode import versions as v
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree import helpers, nodes
from unjit.decompiler.ir.tree.constants import is_none
from unjit.decompiler.ir.tree.fields import FIELDS_OF
from unjit.decompiler.ir.tree.literals import literal
from unjit.decompiler.ir.tree.notes import copy_mark, without_marks
from unjit.decompiler.render.definitions.decorated import is_decorated
from unjit.decompiler.render.definitions.nested import Nested
from unjit.decompiler.render.lowering.arguments import is_given_whole, spread_call
from unjit.decompiler.render.lowering.constants import WRITTEN_AS_THEY_ARE, constant_of
from unjit.decompiler.render.lowering.denied import denied, was_denied
from unjit.decompiler.render.lowering.formatted_strings import as_helper, formatted_value, is_literal, joined_string
from unjit.decompiler.render.lowering.names import Names
from unjit.decompiler.render.lowering.percent_formats import is_compiled_to_fields, percent_format, stands_in_braces
from unjit.decompiler.render.lowering.repeated import as_repeated
from unjit.decompiler.render.lowering.templates import template_string

NodeT = TypeVar("NodeT", ast.expr, ast.stmt)

_STAY = frozenset({ast.Name, str, type(None)})  # what becomes nothing else where each variable can be said
OpenSuite = tuple[Iterator[ast.stmt], list[ast.stmt]]  # its statements, and what they become


class Lowering:
    """The statements of one code object at a time."""

    def __init__(self, names: Names, nested: Nested, code: CodeType) -> None:
        self.names = names
        self.nested = nested
        self.code = code
        self.positions = positions_in(code)
        self.hoisted: list[ast.stmt] = []
        self.suites: list[OpenSuite] = []  # of the statement at hand
        self.stay = _STAY if names.are_sayable else _STAY - {ast.Name}

    def statements(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """A lowered suite; functions that no expression can hold are defined before the statement that needs them."""
        lowered: list[ast.stmt] = []
        outer = self.hoisted, self.suites
        work = [(iter(body), lowered)]
        while work:
            rest, suite = work[-1]
            statement = next(rest, None)
            if statement is None:
                work.pop()
                continue
            self.hoisted, self.suites = [], []
            new = self.visit(statement)
            suite += self.hoisted
            if type(new) is list:
                suite += new
            else:
                suite.append(new)
            work += reversed(self.suites)
        self.hoisted, self.suites = outer
        return lowered

    def visit(self, node: ast.AST) -> Any:
        """What the node becomes: see the method for its class."""
        return _METHODS[type(node)](self, node)

    def generic_visit(self, node: ast.AST) -> ast.AST:
        stay = self.stay
        for field in FIELDS_OF[type(node)]:
            value = getattr(node, field, None)
            kind = type(value)
            if kind in stay:
                continue
            if kind is not list:
                lowered = _METHODS[kind](self, value)
                if lowered is not value:
                    setattr(node, field, lowered)
            elif value and isinstance(value[0], ast.stmt):
                setattr(node, field, self._suite(value))
            elif value:
                # A new list: the old one may also belong to what the values on the stack are described by.
                items = [item if type(item) in stay else _METHODS[type(item)](self, item) for item in value]
                setattr(node, field, items)
        return node

    def _suite(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The suite that `body` becomes when the statement that it belongs to is done: nesting costs no recursion."""
        lowered: list[ast.stmt] = []
        self.suites.append((iter(body), lowered))
        return lowered

    def _value_visited(self, node: Any) -> Any:
        """`generic_visit` of a node whose only part is its value."""
        if type(node.value) not in self.stay:
            node.value = _METHODS[type(node.value)](self, node.value)
        return node

    visit_keyword = visit_Starred = _value_visited

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        if not self.names.are_sayable:
            node.attr = self.names.of_variable(node.attr)
        return self._value_visited(node)

    # ------------------------------------------------------------ statements
    def visit_Define(self, node: nodes.Define) -> ast.stmt:
        value = self.visit(node.value)
        if node.temp.uses == 0:
            return _marked(node, ast.Expr(value))
        target = ast.Name(self.names.of_temp(node.temp), nodes.STORE)
        return _marked(node, ast.Assign([target], value))

    def visit_Assign(self, node: ast.Assign) -> ast.AST:
        target = node.targets[0]
        if len(node.targets) == 1 and isinstance(target, ast.Name):
            made = self._definition(node.value, target.id)
            if made is not None:
                return _marked(node, made)
        return self.generic_visit(node)

    def _definition(self, value: ast.expr, name: str) -> ast.stmt | None:
        """`name = decorator(function)`: the def statement, or the class statement."""
        decorators = []
        while is_decorated(value):
            assert isinstance(value, ast.Call)
            decorators.append(value.func)
            value = value.args[0]
        made = self._defined(value, name)
        if isinstance(made, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
            made.decorator_list = [self.visit(d) for d in decorators]
        return None if decorators and not hasattr(made, "decorator_list") else made

    def _defined(self, value: ast.expr, name: str) -> ast.stmt | None:
        if isinstance(value, nodes.Helper):
            return self._of_type_parameters(value, name)
        if isinstance(value, ast.Call) and isinstance(value.func, nodes.BuildClass):
            return self.nested.class_(value, name, self)
        if isinstance(value, nodes.MakeFunction) and self.nested.is_named(value.code, name):
            return self.nested.definition(value, value.code.co_name, self)
        return None

    def _of_type_parameters(self, value: nodes.Helper, name: str) -> ast.stmt | None:
        from unjit.decompiler.render.definitions import type_parameters  # it lowers what is inside

        made_of = {"TYPEALIAS": type_parameters.type_alias, "WITH_TYPE_PARAMETERS": type_parameters.generic_definition}
        make = made_of.get(value.name)
        return None if make is None else make(value, name, self)

    def visit_Reraise(self, node: nodes.Reraise) -> ast.stmt:
        return _marked(node, ast.Raise(None, None))

    def visit_Accumulate(self, node: nodes.Accumulate) -> ast.stmt:
        name = helpers.OF_OPERATION.get(node.kind)
        if name is None:
            raise CannotExpress(f"{node.kind} changes a display that something else holds too")
        parts = (node.container, node.key, node.value)
        args = [self.visit(part) for part in parts if part is not None]
        return _marked(node, ast.Expr(self._helper(name, args, node)))

    def visit_Return(self, node: ast.Return | ast.Yield) -> ast.AST:
        if is_none(node.value):
            node.value = None
        return self.generic_visit(node)

    visit_Yield = visit_Return

    def visit_EnterWith(self, _node: nodes.EnterWith) -> ast.stmt:
        raise CannotExpress("a context manager is entered where no with statement fits")

    # ------------------------------------------------------------ patterns
    def visit_MatchAs(self, node: ast.MatchAs) -> ast.AST:
        node.name = self._bound(node.name)
        return self.generic_visit(node)

    def visit_MatchStar(self, node: ast.MatchStar) -> ast.AST:
        node.name = self._bound(node.name)
        return node

    def visit_MatchMapping(self, node: ast.MatchMapping) -> ast.AST:
        node.rest = self._bound(node.rest)
        return self.generic_visit(node)

    def _bound(self, name: str | None) -> str | None:
        return None if name is None else self.names.of_variable(name)

    # ------------------------------------------------------------ values
    def visit_Await(self, node: ast.Await) -> ast.AST:
        """A comprehension with `async for` awaits itself: its code is a coroutine, which only it may make."""
        call = node.value
        if isinstance(call, ast.Call) and isinstance(call.func, nodes.MakeFunction) and len(call.args) == 1:
            code = call.func.code
            if code.co_flags & inspect.CO_COROUTINE and code.co_name.endswith("comp>"):
                return self.visit_Call(call)
        return self.generic_visit(node)

    def visit_Call(self, node: ast.Call) -> ast.AST:
        function = node.func
        if len(node.args) == 1 or len(node.keywords) == 1:  # else nothing is spread
            if is_given_whole(node):
                return self._call_with(node)
            spread_call(node)
        if isinstance(function, nodes.MakeFunction) and len(node.args) == 1:
            made = self.nested.comprehension(function, node.args[0], self)
            if made is not None:
                return _marked(node, made)
        return self.generic_visit(node)

    def _call_with(self, node: ast.Call) -> ast.expr:
        """A call with a dict that is not made for it: `f(**d)` would make another."""
        (positional,), (named,) = node.args, node.keywords
        assert isinstance(positional, ast.Starred)
        function, values = self.visit(node.func), [self.visit(positional.value), self.visit(named.value)]
        return _marked(node, ast.Call(self._helper(helpers.SPREAD, [function], node), values, []))

    def visit_Lowered(self, node: nodes.Lowered) -> ast.AST:
        return node.made

    def visit_Inlined(self, node: nodes.Inlined) -> ast.expr:
        return _marked(node, self.nested.inlined(node, self))

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """Between brackets a slice, or a tuple with slices in it, has its own syntax."""
        node.value = self.visit(node.value)
        if v.PY311 and (elements := _starred_elements(node.slice)) is not None:
            node.slice = _marked(node.slice, ast.Tuple(elements, nodes.LOAD))
        if isinstance(node.slice, ast.Tuple):
            node.slice.elts = [self._between_brackets(part) for part in node.slice.elts]
        else:
            node.slice = self._between_brackets(node.slice)
        return node

    def _between_brackets(self, part: ast.expr) -> ast.expr:
        if isinstance(part, ast.Slice):
            step = None if part.step is None else self.visit(part.step)  # a None that was written is a third part
            return _marked(part, ast.Slice(self._limit(part.lower), self._limit(part.upper), step))
        shown = self.visit(part)
        assert isinstance(shown, ast.expr)
        return shown

    def _limit(self, part: ast.expr | None) -> ast.expr | None:
        """A part of a slice, left out where it is None."""
        return None if part is None or is_none(part) else self.visit(part)

    def visit_Slice(self, node: ast.Slice) -> ast.expr:
        """A slice on its own; one between brackets is its subscript's business."""
        name = "slice_of" if node.step is None else "slice_with_step"
        parts = [node.lower, node.upper, *([node.step] if node.step is not None else [])]
        args = [ast.Constant(None) if part is None else self.visit(part) for part in parts]
        return self._helper(name, args, node)

    def visit_Temp(self, node: nodes.Temp) -> ast.expr:
        return _name(self.names.of_temp(node), node)

    def visit_Name(self, node: ast.Name) -> ast.expr:
        shown = self.names.shown.get(node.id) or self.names.of_variable(node.id)
        return node if shown == node.id else _name(shown, node)

    def visit_Constant(self, node: ast.Constant) -> ast.expr:
        product = as_repeated(node, self.positions, self.code)
        if product is not None:
            part = constant_of(literal(product.part), self.names)
            return _marked(node, ast.BinOp(part, ast.Mult(), ast.Constant(product.times)))
        return node if type(node.value) in WRITTEN_AS_THEY_ARE else _marked(node, constant_of(node, self.names))

    def visit_MatchValue(self, node: ast.MatchValue) -> ast.AST:
        is_literal = isinstance(node.value, ast.Constant) and type(node.value.value) in WRITTEN_AS_THEY_ARE
        return node if is_literal else self.generic_visit(node)

    def visit_Compare(self, node: ast.Compare) -> ast.expr:
        is_denied = was_denied(node, self.positions)  # before its parts become others
        self.generic_visit(node)
        return _marked(node, denied(node)) if is_denied else node

    def visit_ObjectConst(self, node: nodes.ObjectConst) -> ast.expr:
        return _name(self.names.of_constant(node.value), node)

    def visit_CodeConst(self, node: nodes.CodeConst) -> ast.expr:
        return _name(self.names.of_constant(node.code), node)

    def visit_CellRef(self, node: nodes.CellRef) -> ast.expr:
        arguments = ast.arguments([], [], None, [], [], None, [])
        held = ast.Lambda(arguments, ast.Name(self.names.of_variable(node.id), nodes.LOAD))
        return self._helper(helpers.CELL, [held], node)

    def visit_Helper(self, node: nodes.Helper) -> ast.expr:
        if (elements := _starred_elements(node)) is not None:
            made: ast.expr = self.visit(ast.Tuple(elements, nodes.LOAD))
            return _marked(node, made)
        if (name := helpers.OF_OPERATION.get(node.name)) is not None:
            return self._helper(name, [self.visit(a) for a in node.args], node)
        raise CannotExpress(f"{node.name} is used where no syntax stands for it")

    def _helper(self, name: str, args: list[ast.expr], node: ast.AST) -> ast.expr:
        self.names.helper_calls += 1
        return _marked(node, ast.Call(ast.Name(self.names.of_helper(name), nodes.LOAD), args, []))

    def visit_Inplace(self, _node: nodes.Inplace) -> ast.expr:
        raise CannotExpress("the result of an augmented operator is not stored where its operand was")

    def visit_GetIter(self, node: nodes.GetIter) -> ast.expr:
        """An iterator taken where no for loop takes it."""
        name = helpers.OF_OPERATION.get("GET_ITER")
        if name is None:
            raise CannotExpress("an iterator is taken where no for loop takes it")
        return self._helper(name, [self.visit(node.value)], node)

    def visit_MakeFunction(self, node: nodes.MakeFunction) -> ast.expr:
        if node.code.co_name == "<lambda>":
            return _marked(node, self.nested.lambda_(node, self))
        beside = [one.name for one in self.hoisted if isinstance(one, ast.FunctionDef | ast.AsyncFunctionDef)]
        made = self.nested.definition(node, self.names.of_hoisted(node.code.co_name, beside), self)
        self.hoisted.append(_marked(node, made))
        return _name(made.name, node)

    def visit_BinOp(self, node: ast.BinOp) -> ast.AST:
        """A sum of hundreds of terms is as many deep on its left: that side is gone down here."""
        spine = [node]
        while type(spine[-1].left) is ast.BinOp:
            spine.append(spine[-1].left)
        left = self._left_of(spine[-1])
        for operation in reversed(spine):
            left = _marked(operation, ast.BinOp(left, operation.op, self.visit(operation.right)))
        return left

    def _left_of(self, node: ast.BinOp) -> ast.expr:
        """`'%s' % (a,)` would be compiled to a format; code that was not has an f-string without fields there."""
        left = node.left
        if isinstance(node.op, ast.Mod) and isinstance(left, ast.Constant) and isinstance(left.value, str):
            return ast.JoinedStr([left]) if is_compiled_to_fields(left.value, node.right) else left
        return cast(ast.expr, self.visit(left))

    def visit_JoinedStr(self, node: ast.JoinedStr) -> ast.expr:
        if not is_literal(node):
            name, parts = as_helper(node)
            return self._helper(name, [self.visit(part) for part in parts], node)
        in_braces, joined = stands_in_braces(node, self.positions), joined_string(node, self.visit)
        return _marked(node, percent_format(joined.values, in_braces=in_braces) or joined)

    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.expr:
        return _marked(node, formatted_value(node, self.visit))

    def visit_Apart(self, node: nodes.Apart) -> ast.expr:
        inside = type(self)(self.names, self.nested, node.code)
        shown = inside.visit(node.value)
        if inside.hoisted:
            raise CannotExpress("an annotation contains a function that no expression can hold")
        assert isinstance(shown, ast.expr)
        return without_marks(shown)

    def visit_Template(self, node: nodes.Template) -> ast.expr:
        return _marked(node, template_string(node, self.visit))

    def unknown(self, node: ast.AST) -> ast.expr:
        raise CannotExpress(f"{type(node).__name__} has no source form where it stands")

    visit_Null = visit_SelfMarker = visit_SavedException = visit_SavedLocal = visit_HandledException = unknown
    visit_EnterMethod = visit_NotImplementedErrorRef = visit_Interpolated = unknown
    visit_AssertionErrorRef = visit_BuildClass = visit_ImportModule = visit_ImportMember = unknown
    visit_MatchesException = visit_MatchesPattern = visit_MatchesGroup = unknown
    visit_ExitSuppresses = visit_LocalsDict = unknown


class _Methods(dict[type, Callable[[Lowering, Any], Any]]):
    """For each class of nodes the method that lowers it, looked up once."""

    def __missing__(self, kind: type) -> Callable[[Lowering, Any], Any]:
        found = self[kind] = getattr(Lowering, f"visit_{kind.__name__}", Lowering.generic_visit)
        return found


_METHODS = _Methods()


def is_lowered_by_parts(kind: type[ast.AST]) -> bool:
    """Whether nodes of this class stay as they are, but for their parts."""
    by_parts = Lowering.generic_visit, Lowering.visit_keyword, Lowering.visit_Attribute, Lowering.visit_Compare
    return _METHODS[kind] in by_parts


def _name(identifier: str, node: ast.AST) -> ast.expr:
    return _marked(node, ast.Name(identifier, nodes.LOAD))


def _starred_elements(node: ast.expr) -> list[ast.expr] | None:
    """The elements of a tuple with stars in it, which is made as a list; None of anything else."""
    if isinstance(node, nodes.Helper) and node.name == "LIST_TO_TUPLE" and isinstance(node.args[0], ast.List):
        return node.args[0].elts
    return None


def _marked(node: ast.AST, new: NodeT) -> NodeT:
    copy_mark(node, new)
    return new
