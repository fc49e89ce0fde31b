"""Lists, tuples and dicts that never leave the frame, seen through.

*What Dynamo did*: it moves values around in lists that it makes, slices, fills and takes apart again within a few
instructions; nothing outside ever sees them. *The shape*: a display whose only readers are subscripts with constant
keys, unpackings and other such displays, in one block. *What we produce*: its elements in the places where they end
up, and the display itself only where something else gets hold of it. *What we refuse*: to follow a display once it is
passed to, or stored in, anything else; from then on it is an ordinary value.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from unjit.decompiler.ir.graph import Block, Branch, Graph, NextItem
from unjit.decompiler.ir.nodes import Accumulate, Define, Temp, copy_mark
from unjit.decompiler.ir.order import substitute, temps_in
from unjit.decompiler.ir.uses import count_uses, replace_temps, stored_names


def run(graph: Graph) -> None:
    juggling = [block for block in graph.reachable() if _takes_apart(block.statements)]
    if not juggling:
        return
    replaced: dict[Temp, ast.expr] = {}
    stored = stored_names(graph)
    shared = _used_in_several_blocks(graph)
    for block in juggling:
        tracker = _Tracker(stored, shared)
        tracker.block(block)
        replaced.update(tracker.known)
    replace_temps(graph, replaced)
    count_uses(graph)


def _takes_apart(statements: list[ast.stmt]) -> bool:
    """Whether a display is subscripted where it was made. Code that a person wrote does not do that; it stays."""
    displays: set[ast.AST] = set()
    for statement in statements:
        if isinstance(statement, Define):
            if isinstance(statement.value, ast.List | ast.Tuple):
                displays.add(statement.temp)
            elif isinstance(statement.value, ast.Subscript) and statement.value.value in displays:
                return True
        elif isinstance(statement, ast.Assign | ast.Delete):
            place = statement.targets[0]
            if isinstance(place, ast.Subscript) and place.value in displays:
                return True
    return False


def _used_in_several_blocks(graph: Graph) -> set[Temp]:
    seen: dict[Temp, Block] = {}
    shared: set[Temp] = set()
    for block in graph.reachable():
        for root in (*block.statements, *_terminator_roots(block)):
            for temp in (*temps_in(root), *((root.temp,) if isinstance(root, Define) else ())):
                if seen.setdefault(temp, block) is not block:
                    shared.add(temp)
    return shared


@dataclass
class _Tracker:
    """`lists` and `dicts` hold the contents of displays not made yet; `known` the temps that stand for other values."""

    stored: set[str]  # locals that the code changes somewhere
    shared: set[Temp]  # temps that other blocks read too
    lists: dict[Temp, list[ast.expr]] = field(default_factory=dict)
    dicts: dict[Temp, ast.Dict] = field(default_factory=dict)
    slices: dict[Temp, slice] = field(default_factory=dict)
    known: dict[Temp, ast.expr] = field(default_factory=dict)
    makers: dict[Temp, Define] = field(default_factory=dict)
    out: list[ast.stmt] = field(default_factory=list)

    def block(self, block: Block) -> None:
        for statement in block.statements:
            substitute(statement, self.known)
            if isinstance(statement, Accumulate) and isinstance(statement.container, Temp):
                statement.container = self.known.get(statement.container, statement.container)
            self._capture_before_store(statement)
            if not (self._define(statement) or self._change(statement)):
                self._spread_arguments(statement)
                self._make_all(statement)
                self.out.append(statement)
        block.statements = self.out
        for root in _terminator_roots(block):
            substitute(root, self.known)
            self._make_all(root)

    # ------------------------------------------------------------ making
    def _define(self, statement: ast.stmt) -> bool:
        """Note a display, or a part of one, instead of computing it."""
        if not isinstance(statement, Define) or statement.temp in self.shared:
            return False
        value = statement.value
        if isinstance(value, ast.List | ast.Tuple):
            self.lists[statement.temp] = list(value.elts)
        elif isinstance(value, ast.Dict) and value.keys and all(_is_text(key) for key in value.keys):
            self.dicts[statement.temp] = value
        elif isinstance(value, ast.Slice) and (constant := _constant_slice(value)) is not None:
            self.slices[statement.temp] = constant
        elif isinstance(value, ast.Subscript) and isinstance(value.value, Temp) and value.value in self.lists:
            return self._part(statement.temp, self.lists[value.value], value, statement)
        else:
            return False
        self.makers[statement.temp] = statement
        return True

    def _part(self, temp: Temp, contents: list[ast.expr], part: ast.Subscript, statement: Define) -> bool:
        """An element, which is known, or a slice, which is a display of the same kind."""
        index, whole = self._key(part.slice), self.makers[part.value].value  # type: ignore[index]  # a Temp
        if isinstance(index, slice):
            self.lists[temp] = contents[index]
            self.makers[temp] = statement
            statement.value = ast.Tuple([], ast.Load()) if isinstance(whole, ast.Tuple) else ast.List([], ast.Load())
            return True
        if isinstance(index, int) and -len(contents) <= index < len(contents):
            element = contents[index]
            if isinstance(element, ast.Name) and element.id in self.stored:
                self.out.append(Define(temp, element))
            else:
                self.known[temp] = temp.definition = element
            return True
        return False

    def _key(self, key: ast.expr) -> int | slice | None:
        if isinstance(key, Temp):
            return self.slices.get(key)
        if isinstance(key, ast.Slice):
            return _constant_slice(key)
        if isinstance(key, ast.Constant) and type(key.value) is int:
            return key.value
        return None

    # ------------------------------------------------------------ changing
    def _change(self, statement: ast.stmt) -> bool:
        """Do to the noted contents what the statement does to the list."""
        if isinstance(statement, ast.Assign) and len(statement.targets) == 1:
            return self._store(statement.targets[0], statement.value)
        if isinstance(statement, ast.Delete):
            return self._delete(statement.targets[0])
        if isinstance(statement, Accumulate) and isinstance(statement.container, Temp):
            return self._accumulate(statement, self.lists.get(statement.container))
        return False

    def _subscripted(self, target: ast.expr) -> tuple[list[ast.expr], int | slice] | None:
        if not isinstance(target, ast.Subscript) or not isinstance(target.value, Temp):
            return None
        contents, index = self.lists.get(target.value), self._key(target.slice)
        if contents is None or index is None:
            return None
        if isinstance(index, int) and not -len(contents) <= index < len(contents):
            return None
        return contents, index

    def _store(self, target: ast.expr, value: ast.expr) -> bool:
        place = self._subscripted(target)
        if place is None:
            return False
        contents, index = place
        if isinstance(index, int):
            contents[index] = value
            return True
        new = self.lists.get(value) if isinstance(value, Temp) else None
        if new is None or index.step not in (None, 1):
            return False
        contents[index] = new
        return True

    def _delete(self, target: ast.expr) -> bool:
        place = self._subscripted(target)
        if place is not None:
            del place[0][place[1]]
        return place is not None

    def _accumulate(self, statement: Accumulate, contents: list[ast.expr] | None) -> bool:
        if contents is None:
            return False
        if statement.kind == "LIST_APPEND":
            contents.append(statement.value)
            return True
        value = statement.value
        new = self.lists.get(value) if isinstance(value, Temp) else None
        if isinstance(value, ast.Constant) and isinstance(value.value, tuple):
            new = [ast.Constant(item) for item in value.value]
        if statement.kind != "LIST_EXTEND" or new is None:
            return False
        contents += new
        return True

    # ------------------------------------------------------------ letting go
    def _spread_arguments(self, statement: ast.stmt) -> None:
        """`f(*display)` gets the elements one by one; the display is not seen even there."""
        call = statement.value if isinstance(statement, Define | ast.Expr) else None
        if not isinstance(call, ast.Call) or len(call.args) != 1 or not isinstance(call.args[0], ast.Starred):
            return
        spread = call.args[0].value
        if isinstance(spread, Temp) and spread in self.lists:
            call.args = list(self.lists[spread])

    def _make_all(self, root: ast.AST) -> None:
        """Make every display that `root` reads, the ones inside it first."""
        for temp in list(temps_in(root)):
            self._make(temp)

    def _make(self, temp: Temp) -> None:
        maker = self.makers.pop(temp, None)
        if maker is None:
            return
        if temp in self.lists:
            kind = ast.Tuple if isinstance(maker.value, ast.Tuple) else ast.List
            maker.value = kind(self.lists.pop(temp), ast.Load())
            copy_mark(maker, maker.value)
        self.dicts.pop(temp, None)
        self.slices.pop(temp, None)
        self._make_all(maker.value)
        self.out.append(maker)

    def _capture_before_store(self, statement: ast.stmt) -> None:
        """A local is about to change: what displays hold of it is taken now."""
        if not isinstance(statement, ast.Assign | ast.Delete):
            return
        stored = {target.id for target in statement.targets if isinstance(target, ast.Name)}
        for holder in (*self.lists.values(), *(display.values for display in self.dicts.values())):
            for k, value in enumerate(holder):
                if isinstance(value, ast.Name) and value.id in stored:
                    taken = Temp(value)
                    copy_mark(statement, taken)
                    self.out.append(Define(taken, value))
                    holder[k] = taken


def _is_text(key: ast.expr | None) -> bool:
    return isinstance(key, ast.Constant) and isinstance(key.value, str)


def _constant_slice(value: ast.Slice) -> slice | None:
    parts = [None if p is None else p.value if isinstance(p, ast.Constant) else p for p in _bounds(value)]
    if all(part is None or type(part) is int for part in parts):
        return slice(*parts)
    return None


def _bounds(value: ast.Slice) -> tuple[ast.expr | None, ast.expr | None, ast.expr | None]:
    return value.lower, value.upper, value.step


def _terminator_roots(block: Block) -> list[ast.AST]:
    terminator = block.terminator
    roots: list[ast.AST] = [ast.Tuple(edge.args) for edge in terminator.edges()]
    if isinstance(terminator, Branch):
        roots.append(ast.Expr(terminator.test))
    elif isinstance(terminator, NextItem):
        roots.append(ast.Expr(terminator.iterator))
    return roots
