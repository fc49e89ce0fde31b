"""A code object's header and body as one `def`, `lambda`, comprehension, class or module."""

from __future__ import annotations

import ast
import inspect
import itertools
from collections.abc import Callable
from types import CodeType
from typing import Protocol, TypeVar

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree import nodes
from unjit.decompiler.ir.tree.suites import Suite
from unjit.decompiler.render.definitions import headers, stubs
from unjit.decompiler.render.definitions.classes import (
    annotations_as_written,
    is_future_import,
    with_annotations,
    without_first_stores,
)
from unjit.decompiler.render.definitions.deferred import deferred_by, take_annotate, with_a_condition, with_deferred
from unjit.decompiler.render.definitions.docstrings import docstring_first
from unjit.decompiler.render.definitions.mangling import mangled, with_private_names
from unjit.decompiler.render.definitions.scopes import kept_variables
from unjit.decompiler.render.definitions.static_attributes import spelled_out, with_static_attributes
from unjit.decompiler.render.lowering.arguments import spread_call
from unjit.decompiler.render.lowering.comprehensions import Comprehension, comprehension_of, iterated
from unjit.decompiler.render.lowering.in_slices import LoweringInSlices
from unjit.decompiler.render.lowering.lower import Lowering
from unjit.decompiler.render.lowering.names import Names
from unjit.decompiler.render.lowering.returns import say_none

Rendered = TypeVar("Rendered")


class Bodies(Protocol):
    """Where structured statements come from, and who is told that a way of making them failed; see `plan.Plan`."""

    def of_code(self, code: CodeType) -> list[ast.stmt]: ...

    def of_fragment(self, code: CodeType, inlined: nodes.Inlined) -> list[ast.stmt]: ...

    def tier(self, code: CodeType) -> object | None: ...

    def is_at_first_tier(self, code: CodeType) -> bool: ...

    def in_order(self, code: CodeType) -> bool: ...

    def failed(self, code: CodeType, fault: Exception) -> None: ...

    def reason(self, code: CodeType) -> str: ...

    @property
    def in_slices(self) -> bool: ...


class FunctionRenderer:
    """Renders a code object and those nested in it; `bodies` gives the structured statements of each."""

    def __init__(self, names: Names, bodies: Bodies) -> None:
        self.names = names
        self.bodies = bodies
        self.lowering = LoweringInSlices if bodies.in_slices else Lowering
        self.private: str | None = None  # the class whose private names are shown as they were written
        self.around: tuple[CodeType, ...] = ()  # the functions in whose suite we are, outermost first

    def settled(self, code: CodeType, render: Callable[[], Rendered]) -> Rendered | None:
        """What `render` makes of `code` by the first tier that can; None where none can."""
        while self.bodies.tier(code) is not None:
            state, private, around = self.names.state(), self.private, self.around
            try:
                return render()
            except Exception as fault:  # a fault of ours costs this tier, and is told
                self.bodies.failed(code, fault)
                self.names.restore(state)
                self.private, self.around = private, around
        return None

    # ------------------------------------------------------------ suites
    def function(self, code: CodeType, name: str) -> nodes.Function:
        """`def name(…): …` for the code."""
        around, self.around = self.around, (*self.around, code)
        body = self._lowered(code, self.bodies.of_code(code))
        say_none(body, code)
        self.around = around
        kept = kept_variables(code, body, self.names, in_order=self.bodies.in_order(code))
        body = [*headers.docstring_of(code), *headers.declarations(code, self.names, around), *kept, *body]
        body += self._made_a_generator(code, body)
        return self._definition(code, name, body)

    def method(self, code: CodeType, name: str, private: str | None) -> nodes.Function:
        """`def name(…): …` as it stands in the class whose private names it defines, if there is one."""
        self.private = private
        made = self.function(code, name)
        if private is not None:
            with_private_names([made], private, self.names.looking_private)
        return made

    def class_suite(self, code: CodeType) -> Suite:
        """What stands in the class whose code this is."""
        outer, self.private = self.private, code.co_name
        suite = self._outside_functions(code, without_first_stores(self._annotated(code)))
        self.private = outer
        return with_private_names(suite, code.co_name, self.names.looking_private, spelled_out(code))

    def module_suite(self, code: CodeType) -> Suite:
        """The statements of a file, or of what else is compiled by itself."""
        return self._outside_functions(code, self._annotated(code))

    def _annotated(self, code: CodeType) -> Suite:
        """The statements of a class or module, with the annotations that a function of its own makes (3.14)."""
        suite, annotate = take_annotate(self.bodies.of_code(code))
        if annotate is None:
            return suite
        headers.check_closure(annotate)
        made = self.hidden(annotate.code, lambda body: deferred_by(annotate.code, body))
        return with_deferred(code, suite, made)

    def _outside_functions(self, code: CodeType, statements: Suite) -> Suite:
        documented = docstring_first(statements)
        documentation = documented[:1] if documented is not statements else []
        body = annotations_as_written(code, self._lowered(code, documented[len(documentation) :]))
        body = with_a_condition(code, with_annotations(code, with_static_attributes(code, body)))
        futures = list(itertools.takewhile(is_future_import, body))
        declared = headers.without_declared_within(headers.declarations(code, self.names), code, body)
        return [*documentation, *futures, *declared, *body[len(futures) :]]

    def _lowered(self, code: CodeType, statements: Suite) -> Suite:
        return self.lowering(self.names, self, code).statements(statements)

    def _definition(self, code: CodeType, name: str, body: Suite) -> nodes.Function:
        asynchronous = code.co_flags & (inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR)
        kind = ast.AsyncFunctionDef if asynchronous else ast.FunctionDef
        arguments = headers.arguments_of(code, self.names)
        function = kind(name, arguments, body or [ast.Pass()], [], None, None)
        function.type_params = []  # type: ignore[union-attr]  # 3.12 and later ask for it
        function.code = code  # type: ignore[union-attr]  # a note of ours on the node
        return function

    def _made_a_generator(self, code: CodeType, body: list[ast.stmt]) -> list[ast.stmt]:
        """A yield that is never reached, for a generator whose yields are all dead."""
        if not code.co_flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR):
            return []
        if any(isinstance(n, ast.Yield | ast.YieldFrom) for s in body for n in _own_nodes(s)):
            return []
        return [ast.If(ast.Constant(False), [ast.Expr(ast.Yield(None))], [])]

    # ------------------------------------------------------------ nested
    def is_named(self, code: CodeType, bound: str) -> bool:
        """Whether a definition that has the code's name binds the variable `bound`."""
        return self.is_bound_as(code.co_name, bound)

    def is_bound_as(self, name: str, bound: str) -> bool:
        return mangled(name, self.private) == bound

    def hidden(self, code: CodeType, read: Callable[[Suite], Rendered]) -> Rendered:
        """What `read` makes of what a function does that no source shows, by the first tier of which it can."""
        found = self.settled(code, lambda: read(self.bodies.of_code(code)))
        if found is None:
            raise CannotExpress(self.bodies.reason(code))
        return found

    def definition(
        self, made: nodes.MakeFunction, name: str, around: Lowering, annotated_in: Lowering | None = None
    ) -> nodes.Function:
        """`def name(…)` for a function that the enclosing code makes."""
        headers.check_closure(made)
        code = made.code
        function = self.settled(code, lambda: self.function(code, name))
        if function is None:
            function = self._definition(code, name, stubs.stub_suite(code, self.bodies.reason(code), self.names))
        headers.add_defaults(made, function.args, around)
        headers.add_annotations(made, function, annotated_in or around)
        return function

    def lambda_(self, made: nodes.MakeFunction, around: Lowering) -> ast.Lambda:
        """The lambda; no other definition has its name, so one whose body is no expression is not recovered."""
        headers.check_closure(made)
        code = made.code
        value = self.settled(code, lambda: self._value(code))
        if value is None:
            value = stubs.stub_value(code, self.bodies.reason(code), self.names)
        arguments = headers.arguments_of(code, self.names)
        headers.add_defaults(made, arguments, around)
        return ast.Lambda(arguments, value)

    def lambda_alone(self, code: CodeType) -> ast.Lambda:
        return ast.Lambda(headers.arguments_of(code, self.names), self._value(code))

    def _value(self, code: CodeType) -> ast.expr:
        """What a lambda gives back."""
        returned = returned_value(self.bodies.of_code(code))
        lowering = self.lowering(self.names, self, code)
        value = None if returned is None else lowering.visit(returned)
        if lowering.hoisted or not isinstance(value, ast.expr):
            raise CannotExpress("the body of a lambda is more than one expression")
        return value

    def comprehension(self, made: nodes.MakeFunction, over: ast.expr, around: Lowering) -> ast.expr | None:
        """The comprehension that calling a nested function on one iterator is, or None where it is none."""
        code = made.code
        if code.co_name not in headers.COMPREHENSIONS:
            return None
        iterable = iterated(over)
        if iterable is None:
            return None
        headers.check_closure(made)
        shown = self.settled(code, lambda: self._comprehension(code, self.bodies.of_code(code)))
        if shown is None:
            raise CannotExpress(self.bodies.reason(code))
        shown.generators[0].iter = around.visit(iterable)
        return shown

    def inlined(self, node: nodes.Inlined, around: Lowering) -> ast.expr:
        """The comprehension that the compiler inlined. Raises CannotExpress when its instructions are none."""
        over = iterated(node.iterator) or nodes.Helper("FOR_ITER", [node.iterator])  # one made elsewhere
        shown = self._comprehension(around.code, self.bodies.of_fragment(around.code, node))
        shown.generators[0].iter = around.visit(over)
        return shown

    def comprehension_alone(self, code: CodeType) -> Comprehension:
        """The comprehension whose function this is, over what that is given. Raises CannotExpress if it is none."""
        shown = self._comprehension(code, self.bodies.of_code(code))
        shown.generators[0].iter = ast.Name(self.names.of_variable(code.co_varnames[0]), ast.Load())
        return shown

    def _comprehension(self, code: CodeType, body: list[ast.stmt]) -> Comprehension:
        shown = self.lowering(self.names, self, code).visit(comprehension_of(body, ast.Constant(None)))
        assert isinstance(shown, Comprehension)
        return shown

    def class_(self, call: ast.Call, bound: str, around: Lowering) -> ast.ClassDef | None:
        """The class statement for a call of `__build_class__` whose result is bound to a name."""
        spread_call(call)
        made, *bases = call.args
        if not isinstance(made, nodes.MakeFunction):
            return None
        label, *bases = bases
        code = made.code
        if not isinstance(label, ast.Constant) or label.value != code.co_name or not self.is_named(code, bound):
            return None
        headers.check_closure(made)
        body = self.settled(code, lambda: self.class_suite(code))
        if body is None:
            body = stubs.stub_suite(code, self.bodies.reason(code), self.names)
        keywords = [ast.keyword(k.arg, around.visit(k.value)) for k in call.keywords]
        return class_statement(code, body, [around.visit(b) for b in bases], keywords)


def class_statement(code: CodeType, body: Suite, bases: list[ast.expr], keywords: list[ast.keyword]) -> ast.ClassDef:
    class_ = ast.ClassDef(code.co_name, bases, keywords, body or [ast.Pass()], [])
    class_.type_params = []  # type: ignore[attr-defined]  # 3.12 and later ask for it
    class_.code = code  # type: ignore[attr-defined]  # a note of ours on the node
    return class_


def returned_value(body: list[ast.stmt]) -> ast.expr | None:
    """What a body of nothing but returns gives back, as one expression; None for any other body."""
    if not body:
        return ast.Constant(None)
    first, *rest = body
    if isinstance(first, ast.Return) and not rest:
        return first.value if first.value is not None else ast.Constant(None)
    if not isinstance(first, ast.If):
        return None
    then, otherwise = returned_value(first.body), returned_value([*first.orelse, *rest])
    if then is None or otherwise is None or not first.body:
        return None
    return ast.IfExp(first.test, then, otherwise)


def _own_nodes(statement: ast.AST) -> list[ast.AST]:
    """Nodes of a statement that are not in a nested function."""
    found, work = [], [statement]
    while work:
        node = work.pop()
        found.append(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            work += ast.iter_child_nodes(node)
    return found
