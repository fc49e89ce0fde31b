"""Runs a function in a world that notes all that can be seen of it: the judge of what the verifier accepts.

At each call, truth test, subscript and iteration of what is not the function's own: the operands, the function's locals
and every list and dict seen before, with their contents and with which of them are the same object.
"""

from __future__ import annotations

import random
import sys
from types import CodeType, FunctionType

Seen = tuple[list[object], object]


class Boom(Exception):
    """What fails, fails with this."""


class World:
    """What the function's globals and arguments belong to; equal seeds make equal worlds."""

    def __init__(self, seed: int, names: frozenset[str]) -> None:
        self.random = random.Random(seed)
        self.names = names  # of the locals that can be seen
        self.log: list[object] = []
        self.numbers: dict[int, int] = {}
        self.kept: list[object] = []  # so that no address is used twice
        self.changeable: list[list | dict] = []

    def number(self, value: object) -> int:
        if id(value) not in self.numbers:
            self.numbers[id(value)] = len(self.numbers)
            self.kept.append(value)
            if type(value) in (list, dict):
                self.changeable.append(value)
        return self.numbers[id(value)]

    def picture(self, value: object, within: tuple[object, ...] = ()) -> object:
        if is_constant(value):
            return repr(value)
        number = self.number(value)
        if any(value is outer for outer in within):
            return number
        inner = [self.picture(part, (*within, value)) for part in parts_of(value)]
        keys = list(value) if type(value) is dict else ()
        return type(value).__name__, number, *keys, *inner

    def everything(self) -> list[object]:
        return [self.picture(value) for value in list(self.changeable)]

    def note(self, what: str, operands: tuple, keywords: dict | None = None) -> None:
        frame = sys._getframe(2).f_locals
        shown = {name: frame[name] for name in sorted(self.names) if name in frame}
        pictures = [[self.picture(value) for value in group] for group in (operands, (keywords or {}).values())]
        self.log.append((what, pictures, [*(keywords or {})], [(n, self.picture(v)) for n, v in shown.items()]))
        self.log.append(self.everything())

    def answer(self, operands: tuple) -> object:
        """An exception, an operand, a new list or a new thing; perhaps after a change of what was seen."""
        chance = self.random.random()
        if chance < 0.06:
            raise Boom
        if self.changeable and self.random.random() < 0.3:
            self.change(self.random.choice(self.changeable))
        if chance < 0.3 and operands:
            return self.random.choice(operands)
        return [Thing(self), Thing(self)] if chance < 0.4 else Thing(self)

    def change(self, one: list | dict) -> None:
        if isinstance(one, dict):
            one["k"] = Thing(self)
        elif one and self.random.random() < 0.5:
            one.pop()
        else:
            one.append(Thing(self))


class Thing:
    """A value that says what is done to it."""

    def __init__(self, world: World) -> None:
        self.world = world

    def __bool__(self) -> bool:
        self.world.note("bool", (self,))
        return self.world.random.random() < 0.5

    def __getitem__(self, key: object) -> object:
        self.world.note("getitem", (self, key))
        return self.world.answer((self, key))

    def __setitem__(self, key: object, value: object) -> None:
        self.world.note("setitem", (self, key, value))

    def __delitem__(self, key: object) -> None:
        self.world.note("delitem", (self, key))

    def __iter__(self) -> Items:
        self.world.note("iter", (self,))
        return Items(self)


class Items:
    def __init__(self, thing: Thing) -> None:
        self.thing = thing
        self.left = thing.world.random.choice((0, 1, 2, 3))

    def __iter__(self) -> Items:
        return self

    def __next__(self) -> object:
        world = self.thing.world
        world.note("next", (self.thing,))
        if not self.left:
            raise StopIteration
        self.left -= 1
        shared = world.changeable and world.random.random() < 0.3
        return world.random.choice(world.changeable) if shared else Thing(world)


def is_constant(value: object) -> bool:
    return type(value) in (int, str, type(None), bool) or (type(value) is tuple and all(map(is_constant, value)))


def parts_of(value: object) -> list[object]:
    if type(value) in (list, tuple):
        return list(value)
    if type(value) is dict:
        return list(value.values())
    if type(value) is slice:
        return [value.start, value.stop, value.step]
    if isinstance(value, FunctionType):
        return [cell_contents(cell) for cell in value.__closure__ or ()]
    return []


def cell_contents(cell: object) -> object:
    try:
        return cell.cell_contents
    except ValueError:
        return "empty"


def observe(code: CodeType, seed: int, names: frozenset[str]) -> Seen:
    """All that can be seen of a call of a function with this code and two arguments, and how it ends."""
    world = World(seed, names)

    def caller(name: str):
        def call(*operands, **keywords):
            world.note(name, operands, keywords)
            return world.answer(operands)

        return call

    function = FunctionType(code, {"Boom": Boom, **{name: caller(name) for name in "ghk"}})
    arguments = [Thing(world), Thing(world)]
    try:
        end: object = "return", world.picture(function(*map(noted(world), arguments)))
    except (Boom, LookupError, ValueError, TypeError, NameError, AttributeError) as error:
        end = type(error).__name__, str(error)
    return world.log, (end, world.everything())


def noted(world: World):
    def note(thing: Thing) -> Thing:
        world.number(thing)
        return thing

    return note


def seen_names(code: CodeType) -> frozenset[str]:
    return frozenset(name for name in code.co_varnames + code.co_cellvars if not name.startswith("_"))


def differ(one: CodeType, other: CodeType, worlds: int) -> bool:
    """Whether any of so many worlds sees a difference."""
    names = seen_names(one)
    return any(observe(one, seed, names) != observe(other, seed, names) for seed in range(worlds))
