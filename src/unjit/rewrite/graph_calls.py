"""How an entry's code collects the inputs of its graphs and takes their outputs apart, and other ways to do either."""

from __future__ import annotations

import ast
import copy
import inspect
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

from unjit.errors import UnjitError
from unjit.model import Expression, Graph, Maybe, Message, Unknown
from unjit.torch_private.compiled_graphs.graphs import GLOBAL_PREFIX, names_of_graphs

_ORIGINAL = "_"  # stands for what was there in an expression of the caller's
_NOT_READ = Unknown(Message("the graph could not be read"))


@dataclass(frozen=True, slots=True)
class CollectedInput:
    """What the code passes to a graph at one place."""

    graph: str
    index: int
    expression: str  # in the code's source
    source: Maybe[Expression]  # the user's value that it stands for


@dataclass(frozen=True, slots=True)
class TakenOutput:
    """One place where the code takes an output of a graph."""

    graph: str
    index: int
    expression: str  # in the code's source
    statement: str  # the line where it is taken


class GraphCalls:
    """The calls of graphs in the source of an entry's code."""

    def __init__(self, source: str) -> None:
        self.tree = ast.parse(source)
        graphs = _names_of_graphs(self.tree)
        self.calls: dict[str, ast.Call] = {}
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in graphs:
                self.calls[graphs[node.func.id]] = node

    def inputs(self, graphs: tuple[Graph, ...]) -> tuple[CollectedInput, ...]:
        """All inputs of all graphs, in the order in which they are passed."""
        known = {str(graph.name): graph.inputs for graph in graphs}
        return tuple(
            CollectedInput(name, index, ast.unparse(argument), _source_of(known.get(name, _NOT_READ), index))
            for name, call in self.calls.items()
            for index, argument in enumerate(call.args)
        )

    def outputs(self) -> tuple[TakenOutput, ...]:
        """All places where an output of a graph is taken, in the order of the source."""
        found = [(name, site) for name in self.calls for site in self._sites(name)]
        return tuple(
            TakenOutput(name, site.index, ast.unparse(site.node), ast.unparse(site.statement).splitlines()[0])
            for name, site in found
        )

    def with_input(self, index: int, expression: str, graph: str | None) -> str:
        """The source with another expression at one input; `_` in it is the one that was there."""
        call = self.calls[_chosen(graph, list(self.calls))]
        if not isinstance(index, int) or not 0 <= index < len(call.args):
            inputs = f"{len(call.args)} input{'s' * (len(call.args) != 1)}"
            raise UnjitError(f"the graph has {inputs}, counted from 0; there is no {index!r}")
        call.args[index] = self._instead(call.args[index], expression)
        return self._unparsed()

    def with_output(self, index: int, expression: str, graph: str | None) -> str:
        """The source with another expression wherever an output is taken; `_` in it is the output."""
        sites = [site for site in self._sites(_chosen(graph, list(self.calls))) if site.index == index]
        if not sites:
            raise UnjitError(f"the code takes no output {index!r} of the graph; .graph_outputs has what it takes")
        for site in sites:
            if site.target:
                value = self._instead(ast.Name(site.node.id, ast.Load()), expression)  # type: ignore[attr-defined]
                site.body.insert(site.body.index(site.statement) + 1, ast.Assign([copy.deepcopy(site.node)], value))
            else:
                _Replacing(site.node, self._instead(copy.copy(site.node), expression)).visit(site.statement)
        return self._unparsed()

    def _instead(self, original: ast.expr, text: str) -> ast.expr:
        """The caller's expression; what stood there is still computed where it also sets a variable."""
        if not isinstance(text, str):
            raise UnjitError(f"what to put in place of `_` is an expression as a string, not {type(text).__name__}")
        try:
            wanted = ast.parse(text.strip(), mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError) as error:
            reason = error.msg if isinstance(error, SyntaxError) else error  # which names a line of no file
            raise UnjitError(f"`{text}` is not an expression: {reason}") from None
        uses = sum(isinstance(node, ast.Name) and node.id == _ORIGINAL for node in ast.walk(wanted))
        sets = any(isinstance(node, ast.NamedExpr) for node in ast.walk(original))
        if uses <= 1 and not (sets and uses == 0):
            return _renamed(wanted, original)
        name = self._fresh()
        kept = ast.NamedExpr(ast.Name(name, ast.Store()), original)
        both = ast.Tuple([kept, _renamed(wanted, ast.Name(name, ast.Load()))], ast.Load())
        return ast.Subscript(both, ast.Constant(1), ast.Load())

    def _fresh(self) -> str:
        taken = {node.id for node in ast.walk(self.tree) if isinstance(node, ast.Name)}
        return next(name for number in range(1, len(taken) + 2) if (name := f"original_{number}") not in taken)

    def _sites(self, graph: str) -> list[_Site]:
        results = _Results(self.calls[graph])
        results.visit(self.tree)
        return results.sites

    def _unparsed(self) -> str:
        return ast.unparse(ast.fix_missing_locations(self.tree)) + "\n"


def _names_of_graphs(tree: ast.Module) -> dict[str, str]:
    """The names by which the code calls each graph: Dynamo's, and variables that only ever hold it."""
    named = [node for node in ast.walk(tree) if isinstance(node, ast.Name)]
    names = {node.id: node.id for node in named if node.id.startswith(GLOBAL_PREFIX)}
    stores = Counter(node.id for node in named if isinstance(node.ctx, ast.Store))
    for node in ast.walk(tree):
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Name) and node.value.id in names:
            held = (target.id for target in node.targets if isinstance(target, ast.Name) and stores[target.id] == 1)
            names |= dict.fromkeys(held, node.value.id)
    return names


@dataclass(frozen=True, slots=True)
class _Site:
    """One place where an output is taken: an expression, or a variable that it is unpacked into."""

    index: int
    node: ast.expr
    statement: ast.stmt
    body: list[ast.stmt]  # that the statement stands in
    target: bool


class _Results(ast.NodeVisitor):
    """Where the result of one call goes: subscripts of it, or of variables that hold it, and unpackings."""

    def __init__(self, call: ast.Call) -> None:
        self.call, self.sites, self.holders = call, list[_Site](), set[str]()

    def generic_visit(self, node: ast.AST) -> None:
        for _name, value in ast.iter_fields(node):
            if isinstance(value, list) and value and isinstance(value[0], ast.stmt):
                for statement in list(value):
                    self.statement(statement, value)
                    self.generic_visit(statement)

    def statement(self, statement: ast.stmt, body: list[ast.stmt]) -> None:
        if isinstance(statement, ast.Assign) and self.holds(statement.value):
            for target in statement.targets:
                self.assigned(target, statement, body)
        for node in _own(statement):
            if isinstance(node, ast.Subscript) and self.holds(node.value) and isinstance(node.slice, ast.Constant):
                self.sites.append(_Site(node.slice.value, node, statement, body, target=False))  # type: ignore[arg-type]

    def assigned(self, target: ast.expr, statement: ast.stmt, body: list[ast.stmt]) -> None:
        if isinstance(target, ast.Name):
            self.holders.add(target.id)
        elif isinstance(target, (ast.Tuple, ast.List)):
            for index, part in enumerate(target.elts):
                if isinstance(part, ast.Name):
                    self.sites.append(_Site(index, part, statement, body, target=True))

    def holds(self, value: ast.expr) -> bool:
        return value is self.call or (isinstance(value, ast.Name) and value.id in self.holders)


def _own(statement: ast.stmt) -> Iterator[ast.AST]:
    """The expressions of a statement itself, not of those inside it."""
    for child in ast.iter_child_nodes(statement):
        if not isinstance(child, ast.stmt):
            yield from ast.walk(child)


class _Replacing(ast.NodeTransformer):
    def __init__(self, old: ast.AST, new: ast.expr) -> None:
        self.old, self.new = old, new

    def visit(self, node: ast.AST) -> Any:
        return self.new if node is self.old else self.generic_visit(node)


def _renamed(wanted: ast.expr, original: ast.expr) -> ast.expr:
    found: ast.expr = _Renaming(original).visit(wanted)
    return found


class _Renaming(ast.NodeTransformer):
    """Puts in place of `_` what it stands for."""

    def __init__(self, original: ast.expr) -> None:
        self.original = original

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.original if node.id == _ORIGINAL else node


def _source_of(inputs: Any, index: int) -> Maybe[Expression]:
    if isinstance(inputs, Unknown) or index >= len(inputs):
        return inputs if isinstance(inputs, Unknown) else _NOT_READ
    found: Maybe[Expression] = inputs[index].source
    return found


def graph_named(graph: str | None, code: CodeType) -> str:
    """The full name of the graph that is meant. Raises UnjitError if it is not one that the code calls."""
    return _chosen(graph, names_of_graphs(code))


def _chosen(graph: str | None, names: list[str]) -> str:
    found = [name for name in names if graph is None or name == graph or name.startswith(f"{graph}_")]
    if len(found) == 1:
        return found[0]
    if not names:
        raise UnjitError("the code calls no graph")
    raise UnjitError(f"say which graph is meant, by graph=…; the code calls {', '.join(names)}")


def takes(function: Callable[..., Any], count: int) -> bool:
    """Whether a callable can be called with so many inputs; true where it does not tell."""
    try:
        inspect.signature(function).bind(*[None] * count)
    except TypeError:
        return False
    except ValueError:
        return True
    return True
