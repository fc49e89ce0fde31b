"""Graphs as torch prints them, back to nodes: torch's trace has every stage of a graph as text alone.

A printed graph is Python of a narrow kind, so it is read with `ast`, strictly: what is not of that kind makes the whole
graph `Unknown`, and is never guessed at. Comments carry what Python has no words for: the user's line of each node.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from typing import Final, Literal

from unjit.artifacts.graph_lines import ends_a_line, place_in
from unjit.model import Maybe, Message, Place, Unknown
from unjit.report.drawings.names import dotted, names_in

NodeKind = Literal["placeholder", "get_attr", "call_function", "call_method", "call_module", "output"]
_NOWHERE: Final = Unknown(Message("torch keeps no line for it"))
_TORCH: Final = re.compile(r"^(?:torch\.ops|torch|self)\.")


@dataclass(frozen=True, slots=True)
class PrintedNode:
    """One node of a graph. `inputs` are indices of nodes before it, `first` and `last` lines of the text, from 1."""

    name: str
    kind: NodeKind
    target: str  # aten.add.Tensor, +, ln_1
    value: str  # what torch writes of its value: f32[2, 3][3, 1]cpu; empty where it writes nothing
    inputs: tuple[int, ...]
    first: int
    last: int
    place: Maybe[Place]
    within: tuple[str, ...]  # names of the graphs that it lies within, for a graph that another one calls


@dataclass
class _Reading:
    """The nodes found so far, and where each name that stands for one leads."""

    places: list[Maybe[Place]]  # for each line of the text
    nodes: list[PrintedNode] = field(default_factory=list)
    names: dict[str, int] = field(default_factory=dict)
    within: tuple[str, ...] = ()

    def add(self, name: str, kind: NodeKind, target: str, value: str, at: ast.AST, parts: ast.AST | None) -> None:
        inputs = tuple(dict.fromkeys(self._read(parts))) if parts is not None else ()
        first, last = _lines(at)
        place = _NOWHERE if kind in ("placeholder", "output") else self.places[first - 1]
        self.names[name] = len(self.nodes)
        self.nodes.append(PrintedNode(name, kind, target, value, inputs, first, last, place, self.within))

    def _read(self, parts: ast.AST) -> Iterator[int]:
        return (self.names[name.id] for name in names_in(parts) if name.id in self.names)


class _NotAGraph(Exception):
    """The text has something that torch's printer does not write."""


def read_printed_graph(text: str) -> Maybe[tuple[PrintedNode, ...]]:
    """The nodes of a graph that torch printed, with those of the graphs within it, in the order of the text."""
    try:
        tree = ast.parse(text)
        reading = _Reading(_places(text.splitlines()))
        _read_class(_only_class(tree), reading)
    except (SyntaxError, ValueError, RecursionError, _NotAGraph) as error:
        return Unknown(Message(f"not a graph as torch prints it: {error}"))
    return tuple(reading.nodes)


def _only_class(tree: ast.Module) -> ast.ClassDef:
    classes = [node for node in tree.body if isinstance(node, ast.ClassDef)]
    if len(classes) != 1:
        raise _NotAGraph(f"{len(classes)} classes where there should be one")
    return classes[0]


def _places(lines: list[str]) -> list[Maybe[Place]]:
    """For each line, the place that the last comment before it names."""
    found: list[Maybe[Place]] = []
    current: Maybe[Place] = _NOWHERE
    for line in lines:
        if place := place_in(line):
            current = place
        elif ends_a_line(line):
            current = _NOWHERE
        found.append(current)
    return found


def _read_class(node: ast.ClassDef, reading: _Reading) -> None:
    """A graph module: its `forward`, and one class for each graph that it calls."""
    for part in node.body:
        if isinstance(part, ast.FunctionDef) and part.name == "forward":
            reading.names = {}
            _read_forward(part, reading)
        elif isinstance(part, ast.ClassDef):
            outer = reading.within
            reading.within = (*outer, part.name)
            _read_class(part, reading)
            reading.within = outer
        elif not isinstance(part, ast.Pass):
            raise _NotAGraph(f"line {part.lineno} is neither `forward` nor a graph that it calls")


def _read_forward(function: ast.FunctionDef, reading: _Reading) -> None:
    arguments = function.args
    given = [*arguments.posonlyargs, *arguments.args, *arguments.kwonlyargs]
    rest = [one for one in (arguments.vararg, arguments.kwarg) if one is not None]
    packed = {"self", *(name for statement in function.body for name in _unpacked(statement))}
    for argument in (one for one in [*given, *rest] if one.arg not in packed):
        reading.add(argument.arg, "placeholder", argument.arg, _annotation(argument.annotation), argument, None)
    for statement in function.body:
        _read_statement(statement, reading)


def _unpacked(statement: ast.stmt) -> set[str]:
    """The joint graph takes its inputs packed: the parameters that this statement unpacks to those declared before."""
    match statement:
        case ast.Assign(value=ast.Call(func=ast.Attribute(attr="tree_flatten_spec"), args=[ast.List(elts=given), *_])):
            return {one.id for one in given if isinstance(one, ast.Name)}
    return set()


def _read_statement(statement: ast.stmt, reading: _Reading) -> None:
    match statement:
        case ast.AnnAssign(target=ast.Name(id=name), value=None, annotation=annotation):
            reading.add(name, "placeholder", name, _annotation(annotation), statement, None)
        case ast.AnnAssign(target=ast.Name(id=name), value=ast.expr() as value, annotation=annotation):
            _read_value(name, value, _annotation(annotation), statement, reading)
        case ast.Assign(targets=targets, value=value):
            _read_assignment(targets, value, statement, reading)
        case ast.AugAssign(target=ast.Name(id=name), op=operator):
            reading.add(name, "call_function", f"{_symbol(operator)}=", "", statement, statement)
        case ast.Return(value=value):
            reading.add("output", "output", "output", "", statement, value)
        case ast.Expr(value=ast.Call() as call):
            reading.add(f"line_{statement.lineno}", "call_function", _target(call, reading)[1], "", statement, call)
        case ast.Expr(value=ast.Constant()) | ast.Pass():
            pass  # a docstring, or a graph without nodes
        case _:
            raise _NotAGraph(f"line {statement.lineno} is a statement that no graph has")


def _read_assignment(targets: list[ast.expr], value: ast.expr, at: ast.stmt, reading: _Reading) -> None:
    match targets, value:
        case _, ast.Constant(value=None):
            return  # torch lets go of values that are not read any more
        case [ast.Name(id=name)], ast.Name(id=other) if other in reading.names:
            reading.names[name] = reading.names[other]
            _rename(name, at.lineno, reading)
        case [ast.Name(id=name)], _:
            _read_value(name, value, "", at, reading)
        case [ast.Subscript() as item], _:
            reading.add(ast.unparse(item), "call_function", "setitem", "", at, at)
        case [ast.Tuple()], ast.Call() if _unpacked(at):
            return
        case _:
            raise _NotAGraph(f"line {at.lineno} assigns to something that no graph assigns to")


def _rename(name: str, line: int, reading: _Reading) -> None:
    """`l_x_ = L_x_`: torch writes an input whose own name begins with a capital; the node has this name."""
    at = reading.names[name]
    node = reading.nodes[at]
    if node.kind == "placeholder" and node.name.lower() == name.lower():
        reading.nodes[at] = replace(node, name=name, first=line, last=line)


def _read_value(name: str, value: ast.expr, annotation: str, at: ast.stmt, reading: _Reading) -> None:
    if isinstance(value, ast.Attribute) and _root(value) == "self":
        reading.add(name, "get_attr", dotted(value).removeprefix("self."), annotation, at, None)
        return
    kind, target = _target(value, reading)
    reading.add(name, kind, target, annotation, at, value)


def _target(value: ast.expr, reading: _Reading) -> tuple[NodeKind, str]:
    """What a node computes, in one word."""
    match value:
        case ast.Call(func=ast.Attribute(value=owner, attr=method)) if _reads(owner, reading):
            return "call_method", method
        case ast.Call(func=function) if _root(function) == "self":
            return "call_module", dotted(function).removeprefix("self.")
        case ast.Call(func=function):
            return "call_function", _TORCH.sub("", dotted(function))
        case ast.BinOp(op=operator):
            return "call_function", _symbol(operator)
        case ast.UnaryOp(op=operator):
            return "call_function", _symbol(operator)
        case ast.Compare(ops=[operator]):
            return "call_function", _symbol(operator)
        case ast.Subscript():
            return "call_function", "getitem"
        case ast.Attribute(attr=attribute):
            return "call_function", f"getattr {attribute}"
        case _:
            return "call_function", type(value).__name__.lower()


def _reads(owner: ast.expr, reading: _Reading) -> bool:
    return _root(owner) in reading.names or not isinstance(owner, (ast.Name, ast.Attribute))


def _root(value: ast.expr) -> str | None:
    """The name that a chain of attributes begins with."""
    while isinstance(value, ast.Attribute):
        value = value.value
    return value.id if isinstance(value, ast.Name) else None


_SYMBOLS: Final = {
    "Add": "+", "Sub": "-", "Mult": "*", "Div": "/", "FloorDiv": "//", "Mod": "%", "Pow": "**", "MatMult": "@",
    "LShift": "<<", "RShift": ">>", "BitAnd": "&", "BitOr": "|", "BitXor": "^", "USub": "neg", "UAdd": "pos",
    "Invert": "~", "Not": "not", "Eq": "==", "NotEq": "!=", "Lt": "<", "LtE": "<=", "Gt": ">", "GtE": ">=",
    "Is": "is", "IsNot": "is not", "In": "in", "NotIn": "not in",
}  # fmt: skip


def _symbol(operator: ast.AST) -> str:
    return _SYMBOLS[type(operator).__name__]


def _annotation(node: ast.expr | None) -> str:
    if node is None:
        return ""
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else ast.unparse(node)


def _lines(node: ast.AST) -> tuple[int, int]:
    first = getattr(node, "lineno", 1)
    return first, getattr(node, "end_lineno", None) or first
