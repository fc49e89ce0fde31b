"""From bytecode to source: the line of each instruction, the expression of each value on the stack."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from types import CodeType
from typing import TypeVar

from unjit.bytecode import Instr, decode, reachable_in, stack_depths
from unjit.bytecode.constants.constant_key import constant_key
from unjit.decompiler.ir.tree.nodes import (
    AssertionErrorRef,
    BuildClass,
    CellRef,
    CodeConst,
    ExitSuppresses,
    GetIter,
    HandledException,
    Helper,
    ImportMember,
    ImportModule,
    Inlined,
    Inplace,
    MakeFunction,
    MatchesException,
    Null,
    ObjectConst,
    SavedException,
    SelfMarker,
    Temp,
)
from unjit.decompiler.render.lowering.names import Names
from unjit.decompiler.render.lowering.percent_formats import percent_format

V = TypeVar("V")
_NO_TEXT = "<value>"
_CONSTANTS = {"LOAD_CONST", "LOAD_SMALL_INT"}


Stacks = Mapping[int, tuple[ast.expr, ...]]


def lines_of_offsets(
    code: CodeType, blocks: Iterable[Sequence[int]], known: Mapping[int, int], first: int
) -> dict[int, int]:
    """For the offset of each reachable instruction its 1-based line in the source; `first` is that of the definition.

    `known` has the lines of the instructions that expressions and statements were made from, `blocks` the offsets in
    each block. A copy that the compiler made of such an instruction lies on the same line. What nobody wrote, as a jump
    or a clean-up, lies where all else of its old line went, or else where the next instruction of its block does.
    """
    instrs = reachable_in(code)
    twins = _only_value((_twin(i), known[i.offset]) for i in instrs if i.offset in known)
    moved = _only_value((i.line, known[i.offset]) for i in instrs if i.offset in known and i.line is not None)
    following = _lines_of_what_follows(blocks, known)
    lines: dict[int, int] = {}
    line = first
    for instr in instrs:
        found = known.get(instr.offset) or twins.get(_twin(instr)) or moved.get(instr.line)
        line = found or following.get(instr.offset) or line
        lines[instr.offset] = line
    return lines


def _twin(instr: Instr) -> object:
    """A key that an instruction shares with the compiler's copies of it, and with nothing else.

    One without a line has no copies that are known, nor has the load of a constant: generated code, which may all have
    one line, loads the same constant for many things.
    """
    alone = instr.line is None or instr.op in _CONSTANTS
    return instr.offset if alone else (instr.op, constant_key(instr.value), instr.arg, instr.line)


def _only_value(pairs: Iterable[tuple[object, int]]) -> dict[object, int]:
    """The pairs whose key goes with one value only."""
    found: dict[object, int] = {}
    torn = set()
    for key, value in pairs:
        if found.setdefault(key, value) != value:
            torn.add(key)
    return {key: value for key, value in found.items() if key not in torn}


def _lines_of_what_follows(blocks: Iterable[Sequence[int]], known: Mapping[int, int]) -> dict[int, int]:
    """For each instruction the line of the next one of its block that has one."""
    lines: dict[int, int] = {}
    for offsets in blocks:
        line: int | None = None
        for offset in reversed(offsets):
            line = known.get(offset, line)
            if line is not None:
                lines.setdefault(offset, line)
    return lines


def stacks_of(code: CodeType, stacks: Stacks, names: Names) -> dict[int, tuple[str, ...]]:
    """For each reachable offset the text of each stack slot, bottom first; `stacks` has the values.

    Slots of what was folded away before lifting (clean-ups, the loop of an `await`) read `<value>`.
    """
    texts: dict[int, tuple[str, ...]] = {}
    described: dict[int, str] = {}  # a value lies on the stack at many offsets
    for offset, depth in stack_depths(decode(code)).items():
        stack = stacks.get(offset)
        if stack is None or len(stack) != depth:  # what was folded away before the lifting has another depth
            texts[offset] = (_NO_TEXT,) * depth
            continue
        for value in stack:
            if id(value) not in described:
                described[id(value)] = _described(value, names)
        texts[offset] = tuple(described[id(value)] for value in stack)
    return texts


class WhenAsked(Mapping[int, V]):
    """A map from offsets that is made when it is first asked for: most callers of the decompiler never do."""

    def __init__(self, make: Callable[[], Mapping[int, V]]) -> None:
        self._make: Callable[[], Mapping[int, V]] | None = make
        self._made: Mapping[int, V] = {}

    def _map(self) -> Mapping[int, V]:
        if self._make is not None:
            self._made, self._make = self._make(), None
        return self._made

    def __getitem__(self, offset: int) -> V:
        return self._map()[offset]

    def __iter__(self) -> Iterator[int]:
        return iter(self._map())

    def __len__(self) -> int:
        return len(self._map())


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
    if isinstance(value, CodeConst):
        return f"<code {value.code.co_name}>"
    if isinstance(value, ObjectConst):
        return names.of_constant(value.value)
    if isinstance(value, Temp):
        return _temp(value, names)
    return ast.unparse(value) if isinstance(value, ast.Constant | ast.Name) else f"<{type(value).__name__}>"


def _temp(temp: Temp, names: Names) -> str:
    """The variable that holds the value, if one does, or the expression that it was defined by."""
    if temp.name is not None:
        return temp.name
    if temp.exit_of is not None:
        return f"<exit of {_text(temp.exit_of, names)}>"
    return _NO_TEXT if temp.definition is None else _text(temp.definition, names)


def _text(value: ast.expr, names: Names) -> str:
    """The source of a value; `<value>` where that cannot be written."""
    try:
        shown = _Shown(names).visit(value)
        for node in ast.walk(shown):
            if isinstance(node, ast.stmt):
                node.lineno = 0
        return ast.unparse(shown)
    except (ValueError, RecursionError):  # a backslash in a field before 3.12; a sum of hundreds of terms
        return _NO_TEXT


class _Shown(ast.NodeTransformer):
    """A copy of an expression, with names or definitions in place of its Temps and of what has no syntax."""

    def __init__(self, names: Names) -> None:
        self.names = names

    def _expr(self, node: ast.expr) -> ast.expr:
        shown = self.visit(node)
        assert isinstance(shown, ast.expr)
        return shown

    def visit(self, node: ast.AST) -> ast.AST:
        special = _in_words(node)
        if special is not None:
            return ast.Name(special)
        if isinstance(node, GetIter):
            return ast.Call(ast.Name("iter"), [self._expr(node.value)], [])
        if isinstance(node, Inplace):
            return ast.BinOp(self._expr(node.left), node.op, self._expr(node.right))
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
        return (percent_format(copy.values) if isinstance(copy, ast.JoinedStr) else None) or copy


def _in_words(node: ast.AST) -> str | None:
    """A description of a value that has no syntax; None for one that has."""
    if isinstance(node, MakeFunction):
        return f"<function {node.code.co_name}>"
    if isinstance(node, ImportModule):
        return f"<module {node.module}>"
    if isinstance(node, ImportMember):
        return f"<{node.member} of the module being imported>"
    if isinstance(node, AssertionErrorRef):
        return "AssertionError"
    if isinstance(node, BuildClass):
        return "<the builder of classes>"
    if isinstance(node, Inlined):
        return "<comprehension>"
    if isinstance(node, MatchesException):
        return "<whether the exception matches>"
    if isinstance(node, ExitSuppresses):
        return "<what __exit__ answers>"
    return f"<{node.name.lower()}>" if isinstance(node, Helper) else None
