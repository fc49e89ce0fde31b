"""A code object's header and body as one `def`, `lambda` or comprehension."""

from __future__ import annotations
import __future__

import ast
import inspect
from types import CodeType
from typing import Protocol

from unjit.bytecode import Instr, decode
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir import nodes
from unjit.decompiler.render.classes import class_body, docstring_first
from unjit.decompiler.render.comprehensions import Comprehension, comprehension_of
from unjit.decompiler.render.lower import Definition, Lowering
from unjit.decompiler.render.names import Names
from unjit.decompiler.render.scopes import kept_variables

_HAS_DOCSTRING = 0x4000000  # CO_HAS_DOCSTRING, 3.13 and later; earlier versions keep the docstring in co_consts[0]


class Bodies(Protocol):
    """Where structured statements come from."""

    def of_code(self, code: CodeType) -> list[ast.stmt]: ...

    def of_fragment(self, instrs: tuple[Instr, ...]) -> list[ast.stmt]: ...


class FunctionRenderer:
    """Renders a code object and those nested in it; `bodies` gives the structured statements of each."""

    def __init__(self, names: Names, bodies: Bodies) -> None:
        self.names = names
        self.bodies = bodies
        self.helpers = 0

    def function(self, code: CodeType, name: str) -> Definition:
        """`def name(…): …` for the code."""
        lowering = Lowering(self.names, self)
        body = lowering.statements(self.bodies.of_code(code))
        self.helpers += lowering.helpers
        body = [*_docstring(code), *self._declarations(code), *kept_variables(code, body, self.names), *body]
        kind = ast.AsyncFunctionDef if code.co_flags & inspect.CO_COROUTINE else ast.FunctionDef
        if code.co_flags & inspect.CO_ASYNC_GENERATOR:
            kind = ast.AsyncFunctionDef
        body += self._made_a_generator(code, body)
        function = kind(name, self._arguments(code), body or [ast.Pass()], [], None, None)
        function.type_params = []  # type: ignore[union-attr]  # 3.12 and later ask for it
        return function

    def _made_a_generator(self, code: CodeType, body: list[ast.stmt]) -> list[ast.stmt]:
        """A yield that is never reached, for a generator whose yields are all dead."""
        if not code.co_flags & (inspect.CO_GENERATOR | inspect.CO_ASYNC_GENERATOR):
            return []
        if any(isinstance(n, ast.Yield | ast.YieldFrom) for s in body for n in _own_nodes(s)):
            return []
        return [ast.If(ast.Constant(False), [ast.Expr(ast.Yield(None))], [])]

    # ------------------------------------------------------------ header
    def _arguments(self, code: CodeType) -> ast.arguments:
        names = [self.names.of_variable(n) for n in code.co_varnames]
        positional = code.co_argcount
        args = [ast.arg(n, None) for n in names[:positional]]
        keyword_only = [ast.arg(n, None) for n in names[positional : positional + code.co_kwonlyargcount]]
        rest = names[positional + code.co_kwonlyargcount :]
        vararg = ast.arg(rest.pop(0), None) if code.co_flags & inspect.CO_VARARGS else None
        kwarg = ast.arg(rest.pop(0), None) if code.co_flags & inspect.CO_VARKEYWORDS else None
        split = code.co_posonlyargcount
        none: list[ast.expr | None] = [None] * len(keyword_only)
        return ast.arguments(args[:split], args[split:], vararg, keyword_only, none, kwarg, [])

    def _declarations(self, code: CodeType) -> list[ast.stmt]:
        instrs = decode(code)
        global_ = sorted({str(i.value) for i in instrs if i.op in ("STORE_GLOBAL", "DELETE_GLOBAL")})
        stored = {str(i.value) for i in instrs if i.op in ("STORE_DEREF", "DELETE_DEREF")}
        nonlocal_ = sorted(stored & set(code.co_freevars))
        declared: list[ast.stmt] = []
        if global_:
            declared.append(ast.Global(global_))
        if nonlocal_:
            declared.append(ast.Nonlocal(nonlocal_))
        return declared

    # ------------------------------------------------------------ nested
    def definition(self, made: nodes.MakeFunction, name: str, around: Lowering) -> Definition:
        """`def name(…)` for a function that the enclosing code makes."""
        self._check_closure(made)
        function = self.function(made.code, name)
        self._defaults(made, function.args, around)
        self._annotations(made, function, around)
        return function

    def lambda_(self, made: nodes.MakeFunction, around: Lowering) -> ast.expr | None:
        """The lambda, or None where its body is more than one expression."""
        self._check_closure(made)
        returned = _returned(self.bodies.of_code(made.code))
        if returned is None:
            return None
        lowering = Lowering(self.names, self)
        value = lowering.visit(returned)
        self.helpers += lowering.helpers
        if lowering.hoisted:
            return None
        arguments = self._arguments(made.code)
        self._defaults(made, arguments, around)
        return ast.Lambda(arguments, value)

    def comprehension(self, made: nodes.MakeFunction, over: ast.expr, around: Lowering) -> ast.expr | None:
        """The comprehension that calling a nested function on one iterator is, or None where it is none."""
        if made.code.co_name not in ("<listcomp>", "<setcomp>", "<dictcomp>", "<genexpr>"):
            return None
        if not isinstance(over, nodes.GetIter):
            return None
        self._check_closure(made)
        return self._comprehension(self.bodies.of_code(made.code), around.visit(over.value))

    def inlined(self, node: nodes.Inlined, around: Lowering) -> ast.expr:
        """The comprehension that the compiler inlined. Raises CannotExpress when its instructions are none."""
        if not isinstance(node.iterator, nodes.GetIter):
            raise CannotExpress("an inlined comprehension loops over an iterator made elsewhere")
        return self._comprehension(self.bodies.of_fragment(node.instrs), around.visit(node.iterator.value))

    def _comprehension(self, body: list[ast.stmt], over: ast.expr) -> ast.expr:
        lowering = Lowering(self.names, self)
        shown = lowering.visit(comprehension_of(body, ast.Constant(None)))
        self.helpers += lowering.helpers
        assert isinstance(shown, Comprehension)
        shown.generators[0].iter = over
        return shown

    def class_(self, call: ast.Call, name: str, around: Lowering) -> ast.ClassDef | None:
        """The class statement for a call of `__build_class__`."""
        made, *bases = call.args
        if not isinstance(made, nodes.MakeFunction):
            return None
        label, *bases = bases
        if not isinstance(label, ast.Constant) or label.value != name:
            return None
        self._check_closure(made)
        lowering = Lowering(self.names, self)
        body = lowering.statements(class_body(self.bodies.of_code(made.code)))
        self.helpers += lowering.helpers
        body = docstring_first([*self._declarations(made.code), *body])
        keywords = [ast.keyword(k.arg, around.visit(k.value)) for k in call.keywords]
        class_ = ast.ClassDef(name, [around.visit(b) for b in bases], keywords, body or [ast.Pass()], [])
        class_.type_params = []  # type: ignore[attr-defined]  # 3.12 and later ask for it
        return class_

    def _check_closure(self, made: nodes.MakeFunction) -> None:
        """Every cell must be the enclosing function's own variable of the same name: what a nested def gets."""
        cells = made.closure.elts if isinstance(made.closure, ast.Tuple) else []
        given = [cell.id if isinstance(cell, nodes.CellRef) else None for cell in cells]
        if given != list(made.code.co_freevars):
            raise CannotExpress(f"{made.code.co_name} is made with cells that are not variables of those names")

    def _defaults(self, made: nodes.MakeFunction, arguments: ast.arguments, lowering: Lowering) -> None:
        if made.defaults is not None:
            arguments.defaults = [lowering.visit(d) for d in _items(made.defaults)]
        if made.kwdefaults is not None:
            if not isinstance(made.kwdefaults, ast.Dict):
                raise CannotExpress("keyword defaults that are not written as a dict")
            given = {
                key.value: lowering.visit(value)
                for key, value in zip(made.kwdefaults.keys, made.kwdefaults.values, strict=True)
                if isinstance(key, ast.Constant)
            }
            arguments.kw_defaults = [given.get(argument.arg) for argument in arguments.kwonlyargs]

    def _annotations(
        self,
        made: nodes.MakeFunction,
        function: Definition,
        lowering: Lowering,
    ) -> None:
        if made.annotations is None:
            return
        flat = _items(made.annotations)
        by_name = {
            key.value: lowering.visit(value)
            for key, value in zip(flat[0::2], flat[1::2], strict=True)
            if isinstance(key, ast.Constant)
        }
        if made.code.co_flags & __future__.annotations.compiler_flag:
            by_name = {name: _written(value) for name, value in by_name.items()}
        function.returns = by_name.get("return")
        spec = function.args
        for argument in (*spec.posonlyargs, *spec.args, spec.vararg, *spec.kwonlyargs, spec.kwarg):
            if argument is not None:
                argument.annotation = by_name.get(argument.arg)


def _returned(body: list[ast.stmt]) -> ast.expr | None:
    """What a body of nothing but returns gives back, as one expression; None for any other body."""
    if not body:
        return ast.Constant(None)
    first, *rest = body
    if isinstance(first, ast.Return) and not rest:
        return first.value if first.value is not None else ast.Constant(None)
    if not isinstance(first, ast.If):
        return None
    then, otherwise = _returned(first.body), _returned([*first.orelse, *rest])
    if then is None or otherwise is None or not first.body:
        return None
    return ast.IfExp(first.test, then, otherwise)


def _written(annotation: ast.expr) -> ast.expr:
    """An annotation that the compiler kept as text, as the expression that the text is."""
    if isinstance(annotation, ast.Constant) and isinstance(annotation.value, str):
        return ast.parse(annotation.value, mode="eval").body
    return annotation


def _items(value: ast.expr) -> list[ast.expr]:
    if isinstance(value, ast.Tuple):
        return value.elts
    if isinstance(value, ast.Constant) and isinstance(value.value, tuple):
        return [ast.Constant(item) for item in value.value]
    raise CannotExpress("defaults or annotations that are not written as a tuple")


def _docstring(code: CodeType) -> list[ast.stmt]:
    flagged = code.co_flags & _HAS_DOCSTRING if hasattr(inspect, "CO_HAS_DOCSTRING") else True
    first = code.co_consts[0] if code.co_consts else None
    if flagged and isinstance(first, str) and not code.co_name.startswith("<"):
        return [ast.Expr(ast.Constant(first))]
    return []


def _own_nodes(statement: ast.AST) -> list[ast.AST]:
    """Nodes of a statement that are not in a nested function."""
    found, work = [], [statement]
    while work:
        node = work.pop()
        found.append(node)
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            work += ast.iter_child_nodes(node)
    return found
