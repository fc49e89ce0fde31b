"""Lists, tuples and dicts that never leave the frame, seen through while lifting.

*What Dynamo did*: it moves values around in lists that it makes, slices, fills and takes apart again within a few
instructions; nothing outside ever sees them. *The shape*: a display whose readers are only subscripts with constant
keys, other such displays, and the moves of the stack, before paths meet. *What we produce*: its elements in the places
where they end up, and the display itself only where something else gets hold of it: until then its `Define` is put
off. *What we refuse*: to follow a display once it is passed to, or stored in, anything else; from then on it is an
ordinary value.

Compilers call this the scalar replacement of aggregates that do not escape. It is done here and not by a pass over the
graph, since most of what Dynamo's code does is no more than this, and is then never made.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.decompiler.ir.tree.constants import is_text
from unjit.decompiler.ir.tree.nodes import LOAD, Define, Temp
from unjit.decompiler.ir.tree.notes import copy_mark
from unjit.decompiler.ir.tree.order import temps_in
from unjit.decompiler.lift.extents import Extents
from unjit.decompiler.lift.machine import Machine
from unjit.decompiler.lift.operations.displays import dict_of_map
from unjit.decompiler.lift.operations.table import OPERATIONS
from unjit.decompiler.lift.operations.values import slice_display, slice_of
from unjit.decompiler.lift.seen_through.put_off import PutOff, reads

_MOVES = frozenset({"COPY", "SWAP", "DUP_TOP", "DUP_TOP_TWO", "ROT_TWO", "ROT_THREE", "ROT_FOUR", "ROT_N"})
_LISTS = frozenset({"BUILD_LIST", "BUILD_TUPLE"})


def moves_displays(extents: Extents) -> bool:
    """Whether a list is moved on the stack as soon as it is made, as people's code hardly ever does."""
    if _MOVES.isdisjoint(extents.operations) or _LISTS.isdisjoint(extents.operations):
        return False
    after = [k + 1 for op in _LISTS & extents.operations for k in extents.places[op]]
    return any(extents.instrs[k].op in _MOVES for k in after if k < len(extents.instrs))


@dataclass(slots=True)
class SeeingThrough(Machine):
    """A machine that makes displays as late as it can."""

    put_off: PutOff = field(default_factory=PutOff)
    known: dict[ast.expr, Temp] = field(default_factory=dict)  # the displays made since, and the value that each is now
    left_alone: frozenset[int] = frozenset()  # offsets at which displays are made at once: see `build_seen_through`
    takes_apart: bool = False  # whether it took a part of a display, as code that people write hardly does

    def pop(self) -> ast.expr:
        value = self.take()
        return self.made(value) if type(value) is Temp else value

    def pop_many(self, count: int) -> list[ast.expr]:
        values = self.take_many(count)
        return self.all_made(values)

    def before_store(self, name: str, stored: ast.expr | None = None) -> None:
        """Displays that are put off may hold the local too: what it holds is taken now, for them as for the stack."""
        Machine.before_store(self, name, stored)
        if not self.put_off.may_read(name):
            return
        self.put_off = self.put_off.reachable_from(self.stack, self.known)  # nobody asks what the others hold
        holding = [values for values in self.put_off.holders() if any(reads(value, name) for value in values)]
        if holding:
            taken = self.define(ast.Name(name, LOAD))
            self.kept.add(taken)
            for values in holding:
                values[:] = [taken if reads(value, name) else value for value in values]

    def shown_stack(self) -> tuple[ast.expr, ...]:
        """Displays that are put off with what they hold by now, which need not be what they began with."""
        return tuple(self._shown(value) for value in self.stack)

    def _shown(self, value: ast.expr) -> ast.expr:
        contents = self.put_off.lists.get(value)  # type: ignore[call-overload]  # finds Temps alone
        if contents is None:
            return self.known.get(value, value)
        shown = Temp()
        shown.definition = _like(value, [self._shown(part) for part in contents])
        return shown

    # ------------------------------------------------------------ putting off
    def hold(self, display: ast.List | ast.Tuple) -> None:
        """Push a display, its `Define` put off."""
        if self.offset in self.left_alone:
            display.elts = [self.made(value) for value in display.elts]
            self.push(display)
        else:
            self.kept.update(display.elts)
            self.put_off.lists[self._named(display)] = list(display.elts)

    def hold_dict(self, display: ast.Dict) -> None:
        """The same for a dict whose keys are text, the only kind that Dynamo moves about."""
        if self.offset not in self.left_alone and display.keys and all(map(is_text, display.keys)):
            self.kept.update(display.values)
            self.put_off.dicts[self._named(display)] = display
        else:
            display.values = [self.made(value) for value in display.values]
            self.push(display)

    def hold_slice(self, display: ast.Slice) -> None:
        """The same for a slice whose bounds are constant."""
        if self.offset not in self.left_alone and _as_slice(display) is not None:
            self.put_off.slices[self._named(display)] = display
        else:
            self.push(display)

    def _named(self, display: ast.expr) -> Temp:
        temp = Temp()
        temp.definition = display
        display.at = temp.at = self.offset  # type: ignore[attr-defined]  # as `mark` does
        self.stack.append(temp)
        return temp

    # ------------------------------------------------------------ letting go
    def made(self, value: ast.expr) -> ast.expr:
        """The value itself; if it is a display that was put off, this makes it, and before it what it holds.

        Made, it is a new Temp: on another path from the same block it may be made elsewhere.
        """
        if type(value) is not Temp:
            return value
        put_off = self.put_off
        display: ast.expr
        if value in put_off.lists:
            display = _like(value, self.all_made(put_off.lists.pop(value)))
        elif value in put_off.dicts:
            display = put_off.dicts.pop(value)
            display.values = self.all_made(display.values)
        elif value in put_off.slices:
            display = put_off.slices.pop(value)
        else:
            return self.known.get(value, value)
        fresh = self.known[value] = Temp()
        self.kept.add(fresh)
        fresh.definition = display
        copy_mark(value, display)
        copy_mark(value, fresh)
        self.statements.append(Define(fresh, display))
        return fresh

    def all_made(self, values: list[ast.expr]) -> list[ast.expr]:
        """The same for each of these; the list itself is changed."""
        for k, value in enumerate(values):
            if type(value) is Temp:
                before = len(self.statements)
                values[k] = self.made(value)
                if len(self.statements) > before:
                    self.put_before(before, values[k + 1 :])
        return values

    def put_before(self, place: int, later: list[ast.expr]) -> None:
        """Move what was made from `place` on before what computes the later operands, where people write it."""
        making = self.statements[place:]
        del self.statements[place:]
        computing, read = self._taken_back(later), set(temps_in(*making))
        holds_one = any(each.temp in read for each in computing)
        self.statements += [*computing, *making] if holds_one else [*making, *computing]

    def _taken_back(self, values: list[ast.expr]) -> list[Define]:
        """The statements at the end that do no more than compute these values and what they hold, taken off."""
        taken: list[Define] = []
        wanted = set(values)
        for value in values:
            wanted.update(self.put_off.held_by(value))
        while self.statements and type(last := self.statements[-1]) is Define and last.temp in wanted:
            self.statements.pop()
            taken.append(last)
            wanted.update(temps_in(last.value))
        return taken[::-1]

    def spread(self, arguments: ast.expr) -> list[ast.expr]:
        """`f(*display)` gets the elements one by one; the display is not seen even there."""
        contents = self.put_off.lists.get(arguments)  # type: ignore[call-overload]  # finds Temps alone
        return Machine.spread(self, arguments) if contents is None else [self.made(value) for value in contents]

    # ------------------------------------------------------------ reading and changing
    def place(self, container: ast.expr, key: ast.expr) -> tuple[list[ast.expr], int | slice] | None:
        """The contents of a list or tuple that is put off, and the index or slice that the key is; else None."""
        contents = self.put_off.lists.get(container)  # type: ignore[call-overload]  # finds Temps alone
        if contents is None:
            return None
        index: object = None
        if type(key) is ast.Constant:
            index = key.value
        elif isinstance(key, ast.Slice):
            index = _as_slice(key)
        elif key in self.put_off.slices:
            index = _as_slice(self.put_off.slices[key])
        if type(index) is int:
            return (contents, index) if -len(contents) <= index < len(contents) else None
        return (contents, index) if isinstance(index, slice) else None

    def take_part(self, container: ast.expr, key: ast.expr) -> bool:
        """Push a part of a display: an element, or the display that a slice gives. False if that is not known."""
        place = self.place(container, key)
        if place is None:
            return False
        contents, index = place
        self.takes_apart = True
        if isinstance(index, int):
            self.stack.append(contents[index])
        else:
            self.hold(_like(container, contents[index]))
        return True

    def store_part(self, container: ast.expr, key: ast.expr, value: ast.expr) -> bool:
        """Let a part of a list that is put off be this value. False if the list is not, or the slice has a step."""
        place = self.place(container, key)
        if place is None or type(container.definition) is not ast.List:  # type: ignore[attr-defined]  # a Temp
            return False
        contents, index = place
        self.kept.add(value)
        if isinstance(index, int):
            contents[index] = value
        else:
            new = self.put_off.lists.get(value)  # type: ignore[call-overload]  # finds Temps alone
            if new is None or index.step not in (None, 1):
                return False
            contents[index] = new
        self.takes_apart = True
        return True


def _like(display: ast.expr, contents: list[ast.expr]) -> ast.List | ast.Tuple:
    """A display of the same kind with these contents."""
    is_tuple = isinstance(display, Temp) and isinstance(display.definition, ast.Tuple)
    return ast.Tuple(contents, LOAD) if is_tuple else ast.List(contents, LOAD)


def _as_slice(display: ast.Slice) -> slice | None:
    """The slice itself, if its bounds are numbers or not there."""
    bounds = (display.lower, display.upper, display.step)
    parts = [part.value if isinstance(part, ast.Constant) else part for part in bounds]
    return slice(*parts) if all(part is None or type(part) is int for part in parts) else None


# ------------------------------------------------------------ instructions
def _tuple(m: SeeingThrough, i: Instr) -> None:
    m.hold(ast.Tuple(m.take_many(i.arg), LOAD))


def _list(m: SeeingThrough, i: Instr) -> None:
    m.hold(ast.List(m.take_many(i.arg), LOAD))


def _map(m: SeeingThrough, i: Instr) -> None:
    made = dict_of_map(m.take_many(2 * i.arg))
    if isinstance(made, ast.Dict):
        m.hold_dict(made)
    else:
        made.args = m.all_made(made.args)
        m.push(made)


def _const_key_map(m: SeeingThrough, i: Instr) -> None:
    keys = m.pop()
    assert isinstance(keys, ast.Constant)
    assert isinstance(keys.value, tuple)
    m.hold_dict(ast.Dict([ast.Constant(key) for key in keys.value], m.take_many(i.arg)))


def _build_slice(m: SeeingThrough, i: Instr) -> None:
    if i.arg in (2, 3):
        m.hold_slice(slice_of(*m.pop_many(i.arg)))
    else:
        OPERATIONS[i.op](m, i)


def _load_const(m: SeeingThrough, i: Instr) -> None:
    if type(i.value) is slice and isinstance(display := slice_display(i.value), ast.Slice):
        m.hold_slice(display)
    else:
        OPERATIONS[i.op](m, i)


def _pop_top(m: SeeingThrough, i: Instr) -> None:
    del i
    m.take()


def _subscript(m: SeeingThrough, i: Instr) -> None:
    if m.peek(2) in m.put_off.lists:
        container, key = m.take_many(2)
        if m.take_part(container, key):
            return
        m.stack += [container, key]
    OPERATIONS[i.op](m, i)


def _slice(m: SeeingThrough, i: Instr) -> None:
    container, lower, upper = m.take_many(3)
    if not m.take_part(container, slice_of(lower, upper)):
        m.stack += [container, lower, upper]
        OPERATIONS[i.op](m, i)


def _binary_op(m: SeeingThrough, i: Instr) -> None:
    (_subscript if i.arg == v.SUBSCRIPT else OPERATIONS[i.op])(m, i)


def _store_subscr(m: SeeingThrough, i: Instr) -> None:
    value, container, key = m.take_many(3)
    if not m.store_part(container, key, value):
        m.stack += [value, container, key]
        OPERATIONS[i.op](m, i)


def _store_slice(m: SeeingThrough, i: Instr) -> None:
    value, container, lower, upper = m.take_many(4)
    if not m.store_part(container, slice_of(lower, upper), value):
        m.stack += [value, container, lower, upper]
        OPERATIONS[i.op](m, i)


def _delete_subscr(m: SeeingThrough, i: Instr) -> None:
    container, key = m.take_many(2)
    place = m.place(container, key)
    if place is not None and type(container.definition) is ast.List:  # type: ignore[attr-defined]  # a Temp
        del place[0][place[1]]
        m.takes_apart = True
    else:
        m.stack += [container, key]
        OPERATIONS[i.op](m, i)


def _list_append(m: SeeingThrough, i: Instr) -> None:
    value = m.take()
    contents = m.put_off.lists.get(m.peek(i.arg))  # type: ignore[call-overload]  # finds Temps alone
    if contents is not None:
        m.kept.add(value)
        contents.append(value)
    else:
        m.stack.append(value)
        OPERATIONS[i.op](m, i)


def _list_extend(m: SeeingThrough, i: Instr) -> None:
    value = m.take()
    contents = m.put_off.lists.get(m.peek(i.arg))  # type: ignore[call-overload]  # finds Temps alone
    new = m.put_off.lists.get(value)  # type: ignore[call-overload]  # finds Temps alone
    m.takes_apart |= contents is not None and new is not None
    if isinstance(value, ast.Constant) and isinstance(value.value, tuple):
        new = [ast.Constant(item) for item in value.value]
    if contents is not None and new is not None:
        contents += new
    else:
        m.stack.append(value)
        _accumulate(m, i)


def _accumulate(m: SeeingThrough, i: Instr) -> None:
    """Add to a display, which has to be made for it: before what computes the item that is added."""
    depth = i.arg + 1 + (i.op == "MAP_ADD")
    container = m.peek(depth)
    before = len(m.statements)
    m.stack[-depth] = m.made(container)
    if len(m.statements) > before:
        m.put_before(before, m.stack[1 - depth :])
    OPERATIONS[i.op](m, i)


# As `OPERATIONS`, for machines that make displays as late as they can.
SEEING_THROUGH: dict[str, Callable[[Any, Instr], None]] = {
    **OPERATIONS,
    "BUILD_TUPLE": _tuple,
    "BUILD_LIST": _list,
    "BUILD_MAP": _map,
    "BUILD_CONST_KEY_MAP": _const_key_map,
    "BUILD_SLICE": _build_slice,
    "LOAD_CONST": _load_const,
    "POP_TOP": _pop_top,
    "BINARY_SUBSCR": _subscript,
    "BINARY_SLICE": _slice,
    "BINARY_OP": _binary_op,
    "STORE_SUBSCR": _store_subscr,
    "STORE_SLICE": _store_slice,
    "DELETE_SUBSCR": _delete_subscr,
    "LIST_APPEND": _list_append,
    "LIST_EXTEND": _list_extend,
    **dict.fromkeys(("SET_ADD", "MAP_ADD", "SET_UPDATE", "DICT_UPDATE", "DICT_MERGE"), _accumulate),
}
