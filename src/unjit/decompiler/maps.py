"""From bytecode to source: the line of each instruction, the expression of each value on the stack."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping

from unjit.decompiler.ir.graph import Graph
from unjit.decompiler.ir.nodes import CellRef, HandledException, Null, ObjectConst, SavedException, SelfMarker, Temp
from unjit.decompiler.render.names import Names


def lines_of_offsets(graph: Graph, known: Mapping[int, int]) -> dict[int, int]:
    """Every reachable instruction's line: its own, or that of the next one in its block that has one."""
    lines: dict[int, int] = {}
    for block in graph.blocks:
        following = [i.offset for i in block.instrs]
        line: int | None = None
        for offset in reversed(following):
            line = known.get(offset, line)
            if line is not None:
                lines[offset] = line
        for offset in following:
            line = lines.setdefault(offset, line) if line is not None else None
    return lines


def stacks_of(graph: Graph, names: Names) -> Mapping[int, tuple[str, ...]]:
    """The text of each stack slot at each offset, made when it is asked for."""
    return _Stacks(graph.stacks, names)


class _Stacks(Mapping[int, "tuple[str, ...]"]):
    def __init__(self, stacks: dict[int, tuple[ast.expr, ...]], names: Names) -> None:
        self._stacks, self._names = stacks, names

    def __getitem__(self, offset: int) -> tuple[str, ...]:
        return tuple(_described(value, self._names) for value in self._stacks[offset])

    def __iter__(self) -> Iterator[int]:
        return iter(self._stacks)

    def __len__(self) -> int:
        return len(self._stacks)


def _described(value: ast.expr, names: Names) -> str:
    """A value in words of the source: its variable, its expression, or what kind of slot it is."""
    if isinstance(value, Null | SelfMarker):
        return "NULL"
    if isinstance(value, SavedException):
        return "<exception handled before>"
    if isinstance(value, HandledException):
        return f"<exception {value.part}>"
    if isinstance(value, CellRef):
        return f"<cell {value.id}>"
    if isinstance(value, ObjectConst):
        return names.of_constant(value.value)
    if isinstance(value, Temp):
        return _temp(value, names)
    return ast.unparse(value) if isinstance(value, ast.Constant | ast.Name) else f"<{type(value).__name__}>"


def _temp(temp: Temp, names: Names) -> str:
    if temp.name is not None:
        return temp.name
    if temp.definition is None:
        return "<value>"
    try:
        return ast.unparse(_Shown(names).visit(temp.definition))
    except Exception:  # a definition that only the bytecode can say, such as an iterator or an import
        return f"<{type(temp.definition).__name__}>"


class _Shown(ast.NodeTransformer):
    """Temps inside a definition as their own definitions, on a copy."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def visit(self, node: ast.AST) -> ast.AST:
        if isinstance(node, Temp | Null | CellRef | ObjectConst | HandledException | SavedException):
            return ast.Name(_described(node, self.names))
        if not isinstance(node, ast.expr):
            return node
        copy = type(node).__new__(type(node))
        copy.__dict__.update(node.__dict__)
        for field in node._fields:
            part = getattr(node, field, None)
            if isinstance(part, list):
                setattr(copy, field, [self.visit(p) if isinstance(p, ast.AST) else p for p in part])
            elif isinstance(part, ast.AST):
                setattr(copy, field, self.visit(part))
        return copy
