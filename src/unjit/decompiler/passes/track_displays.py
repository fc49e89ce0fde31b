"""Lists, tuples and dicts that never leave the frame, seen through.

*What Dynamo did*: it moves values around in lists that it makes, slices, fills and takes apart again within a few
instructions; nothing outside ever sees them. *The shape*: a display whose readers are only subscripts with constant
keys, unpackings and other such displays, before paths meet. *What we produce*: its elements in the places where
they end up, and the display itself only where something else gets hold of it. *What we refuse*: to follow a display
once it is passed to, or stored in, anything else; from then on it is an ordinary value.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from unjit.decompiler.ir.graph import Block, Branch, Graph, NextItem
from unjit.decompiler.ir.nodes import Accumulate, Define, Temp, copy_mark
from unjit.decompiler.ir.order import substitute, temps_in
from unjit.decompiler.ir.uses import all_roots, stored_names

_DISPLAYS, _CHANGES = (ast.List, ast.Tuple), (ast.Assign, ast.Delete)
_FOLLOWED = frozenset({*_DISPLAYS, ast.Dict, ast.Slice, ast.Subscript})


def run(graph: Graph) -> None:
    order = graph.reachable()
    if not _takes_apart(order):
        return
    parents = _only_ways_in(graph)
    stored, shared = stored_names(graph), _used_elsewhere(order, parents)
    states: dict[Block, _Tracker] = {}
    for block in order:
        before = states.get(parents[block]) if block in parents else None
        states[block] = before.copy() if before is not None else _Tracker(stored, shared)
        states[block].block(block)


def _takes_apart(blocks: list[Block]) -> bool:
    """Whether a display is subscripted by a constant, or poured into another, where it was made, as no person does."""
    displays: set[ast.AST] = set()
    slices: set[ast.AST] = set()
    for statement in (statement for block in blocks for statement in block.statements):
        if type(statement) is Define:
            value = statement.value
            if type(value) not in _FOLLOWED:
                continue
            if isinstance(value, _DISPLAYS):
                displays.add(statement.temp)
            elif isinstance(value, ast.Slice):
                slices.add(statement.temp)
            elif isinstance(value, ast.Subscript) and value.value in displays and _is_constant(value.slice, slices):
                return True
        elif isinstance(statement, _CHANGES):
            place = statement.targets[0]
            if isinstance(place, ast.Subscript) and place.value in displays:
                return True
        elif isinstance(statement, Accumulate) and statement.kind == "LIST_EXTEND" and statement.value in displays:
            return True
    return False


def _is_constant(key: ast.expr, slices: set[ast.AST]) -> bool:
    return isinstance(key, ast.Constant) or key in slices


def _only_ways_in(graph: Graph) -> dict[Block, Block]:
    """For each block that only one edge enters, where that edge comes from."""
    sources: dict[Block, list[Block]] = {}
    for block, edge in graph.edges():
        sources.setdefault(edge.target, []).append(block)
    return {
        target: before[0]
        for target, before in sources.items()
        if len(before) == 1 and target is not graph.entry and target not in graph.handled
    }


def _used_elsewhere(order: list[Block], parents: dict[Block, Block]) -> set[Temp]:
    """Temps that a block reads which the state at their definition does not reach, one way in at a time."""
    if len(order) == 1:
        return set()
    home: dict[Temp, Block] = {}
    elsewhere: set[Temp] = set()
    for block in order:
        above, parent = {block}, parents.get(block)
        while parent is not None and parent not in above:
            above.add(parent)
            parent = parents.get(parent)
        home.update((statement.temp, block) for statement in block.statements if isinstance(statement, Define))
        elsewhere.update(temp for temp in temps_in(*all_roots(block)) if home.get(temp, block) not in above)
    return elsewhere


@dataclass
class _Tracker:
    """`lists` and `dicts` hold the contents of displays not made yet; `known` what other temps stand for."""

    stored: set[str]  # locals that the code changes somewhere
    shared: set[Temp]  # temps that are read where this state does not reach
    lists: dict[Temp, list[ast.expr]] = field(default_factory=dict)
    dicts: dict[Temp, ast.Dict] = field(default_factory=dict)
    slices: dict[Temp, slice] = field(default_factory=dict)
    known: dict[Temp, ast.expr] = field(default_factory=dict)
    makers: dict[Temp, Define] = field(default_factory=dict)
    out: list[ast.stmt] = field(default_factory=list)

    def copy(self) -> _Tracker:
        """The state with which one of several branches goes on."""
        return _Tracker(
            self.stored,
            self.shared,
            {temp: list(contents) for temp, contents in self.lists.items()},
            {temp: ast.Dict(list(display.keys), list(display.values)) for temp, display in self.dicts.items()},
            dict(self.slices),
            dict(self.known),
            dict(self.makers),
        )

    def block(self, block: Block) -> None:
        for statement in block.statements:
            self._capture_before_store(statement)
            temps = temps_in(statement)
            if self.known.keys().isdisjoint(temps) and self.makers.keys().isdisjoint(temps):
                done = self._define(statement)
            else:
                done = self._follow(statement)
            if not done:
                self.out.append(statement)
        block.statements = self.out
        terminator = block.terminator
        if isinstance(terminator, Branch):
            terminator.test = self._read(terminator.test)
        elif isinstance(terminator, NextItem):
            terminator.iterator = self._read(terminator.iterator)
        for edge in terminator.edges():
            edge.args = [self._read(arg) for arg in edge.args]

    def _follow(self, statement: ast.stmt) -> bool:
        """Note what a statement does to displays; make those that it needs. Whether it was no more than the former."""
        substitute(statement, self.known)
        if self._define(statement) or self._change(statement):
            return True
        self._spread_arguments(statement)
        self._make_all(statement)
        return False

    def _read(self, value: ast.expr) -> ast.expr:
        holder = ast.Expr(value)
        substitute(holder, self.known)
        self._make_all(holder)
        return holder.value

    # ------------------------------------------------------------ making
    def _define(self, statement: ast.stmt) -> bool:
        """Note a display, or a part of one, instead of computing it."""
        if type(statement) is not Define or statement.temp in self.shared:
            return False
        value = statement.value
        if type(value) not in _FOLLOWED:
            return False
        if isinstance(value, _DISPLAYS):
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
            statement.value = _display_like(whole, [])
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
        if not self.makers:
            return
        made = {temp: self._make(temp) for temp in temps_in(root) if temp in self.makers}
        if made:
            substitute(root, made)

    def _make(self, temp: Temp) -> ast.expr:
        """Define the display, under a temp of its own: another branch may make it too."""
        if temp not in self.makers:
            return self.known[temp]
        maker = self.makers.pop(temp)
        value = maker.value
        if temp in self.lists:
            value = _display_like(maker.value, self.lists.pop(temp))
        elif temp in self.dicts:
            value = self.dicts.pop(temp)
        self.slices.pop(temp, None)
        copy_mark(maker.value, value)
        self._make_all(value)
        made = Temp(value)
        copy_mark(temp, made)
        self.known[temp] = made
        self.out.append(Define(made, value))
        return made

    def _capture_before_store(self, statement: ast.stmt) -> None:
        """A local is about to change: what displays hold of it is taken now."""
        if not isinstance(statement, _CHANGES):
            return
        stored = {target.id for target in statement.targets if isinstance(target, ast.Name)}
        if not stored:
            return
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


def _display_like(display: ast.expr, contents: list[ast.expr]) -> ast.expr:
    """A display of the same kind with these contents."""
    return ast.Tuple(contents, ast.Load()) if isinstance(display, ast.Tuple) else ast.List(contents, ast.Load())
