"""The graph as text, for people who debug a pass and for `--after PASS`."""

from __future__ import annotations

import ast
import copy
import itertools
from weakref import WeakKeyDictionary

from unjit.decompiler.ir.flow.graph import Branch, Edge, EnterTry, Graph, Jump, Match, NextItem
from unjit.decompiler.ir.tree import nodes
from unjit.decompiler.ir.tree.suites import suite_fields


def dump_graph(graph: Graph) -> str:
    """One paragraph a block: its name, parameters, regions, statements and edges."""
    lines: list[str] = []
    for block in graph.reachable():
        regions = " ".join(f"{r.kind}:{r.handler}" for r in block.region)
        params = ", ".join(map(show, block.params))
        left = " leaves handler" if block.leaves_handler else ""
        lines.append(f"{block}@{block.offset}({params}) [{regions}]{left}")
        lines += [f"    {show(statement)}" for statement in block.statements]
        lines.append(f"    {_terminator(block.terminator)}")
    return "\n".join(lines)


def dump_statements(body: list[ast.stmt], indent: str = "") -> str:
    """One statement a line, suites indented."""
    lines: list[str] = []
    for statement in body:
        suites = {field: getattr(statement, field) for field in suite_fields(statement)}
        shown = copy.copy(statement) if suites else statement
        for field in suites:
            setattr(shown, field, [])
        lines.append(indent + show(shown))
        for field, suite in suites.items():
            lines += [f"{indent}  {field}:", dump_statements(suite, indent + "    ")]
        for handler in getattr(statement, "handlers", []):
            lines += [f"{indent}  except {show(handler.type)}:", dump_statements(handler.body, indent + "    ")]
    return "\n".join(lines)


def _terminator(terminator: object) -> str:
    if isinstance(terminator, Jump):
        return f"-> {_edge(terminator.edge)}"
    if isinstance(terminator, Branch):
        then, other = _edge(terminator.true), _edge(terminator.false)
        return f"{show(terminator.test)} ? {then} : {other}"
    if isinstance(terminator, NextItem):
        return f"{show(terminator.item)} of {show(terminator.iterator)} ? {_edge(terminator.body)} : " + _edge(
            terminator.exhausted,
        )
    if isinstance(terminator, Match):
        edges = " | ".join(f"{show(case.pattern)}: {case.edge and _edge(case.edge)}" for case in terminator.cases)
        return (
            f"match {show(terminator.subject)}: {edges}" + f" | {terminator.otherwise and _edge(terminator.otherwise)}"
        )
    if isinstance(terminator, EnterTry):
        return f"{terminator.construct.value} {_edge(terminator.body)} ! {_edge(terminator.caught)}"
    return "."


def _edge(edge: Edge) -> str:
    return f"{edge.target}({', '.join(map(show, edge.args))})" if edge.args else repr(edge.target)


_numbers: WeakKeyDictionary[nodes.Temp, int] = WeakKeyDictionary()
_counter = itertools.count(1)


def _number_of(temp: nodes.Temp) -> int:
    """Numbers in the order of first being shown."""
    if temp not in _numbers:
        _numbers[temp] = next(_counter)
    return _numbers[temp]


def show(node: object) -> str:
    """A node on one line; what has no syntax by its class and parts."""
    if isinstance(node, nodes.Define):
        return f"{show(node.temp)} = {show(node.value)}"
    if isinstance(node, nodes.Temp):
        return f"t{_number_of(node)}"
    if isinstance(node, list):
        return "[" + ", ".join(map(show, node)) + "]"
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Constant):
        return repr(node.value)
    if isinstance(node, ast.AST):
        parts = ", ".join(show(getattr(node, field, None)) for field in node._fields if field != "ctx")
        return f"{type(node).__name__}({parts})"
    return repr(node)
