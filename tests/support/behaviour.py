"""What a code object does when it runs, as data: every event it causes, in order, and how it ends.

All values are `Thing`s of one `World`, which logs whatever is done to them, answers by a seeded script, and can raise
at any one event. Two code objects that do the same have equal behaviours for every seed and every place of failure.
"""

from __future__ import annotations

import builtins
import contextlib
import functools
import gc
import inspect
import signal
from collections.abc import Callable, Iterator
from random import Random
from types import CellType, CodeType, FunctionType
from typing import Any

from unjit import helpers

ERRORS = (KeyError, ValueError, OSError)
MOST_EVENTS = 60
LONGEST = 0.1  # CPU seconds of one run: loops that cause no event are ended too
PATIENCE = 3.0  # CPU seconds of a run that the clock may have ended by chance
GLOBALS = ("g", "h", "k", "m", "z", "C", "G", "X")


class TooLong(BaseException):
    """The run did not end by itself."""


@contextlib.contextmanager
def limited(world: World, seconds: float) -> Iterator[None]:
    """Raise TooLong in a run that goes on, again and again where it is swallowed. In the main thread only.

    It strikes anywhere, so that nothing that the run does from then on counts. Garbage is collected outside: in a
    process with torch in it that takes longer than most runs do.
    """

    def end(*_: object) -> None:
        world.over = True
        raise TooLong

    before, collects = signal.signal(signal.SIGVTALRM, end), gc.isenabled()
    gc.disable()
    signal.setitimer(signal.ITIMER_VIRTUAL, seconds, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_VIRTUAL, 0)
        signal.signal(signal.SIGVTALRM, before)
        if collects:
            gc.enable()


class World:
    def __init__(self, seed: int, fail_at: int = 0, *, counts_truths: bool = True) -> None:
        self.script = Random(seed)
        self.fail_at = fail_at
        self.counts_truths = counts_truths  # whether one truth that is asked twice in a row is two events
        self.log: list[tuple[Any, ...]] = []
        self.over = False  # whether the run took too long
        self.asked: tuple[Thing, int, bool] | None = None  # whose truth, as which event, and what it was

    def event(self, *what: Any) -> None:
        if self.over or len(self.log) > MOST_EVENTS:
            raise TooLong
        self.log.append(tuple(described(part) for part in what))
        if len(self.log) == self.fail_at:
            raise ERRORS[self.fail_at % len(ERRORS)](f"event {self.fail_at}")

    def thing(self) -> Thing:
        return Thing(self, f"#{len(self.log)}")


class Thing:
    __slots__ = ("name", "world")

    def __init__(self, world: World, name: str) -> None:
        object.__setattr__(self, "world", world)
        object.__setattr__(self, "name", name)

    def __call__(self, *args: Any, **kwargs: Any) -> Thing:
        self.world.event("call", self, args, kwargs)
        return self.world.thing()

    def __getattr__(self, name: str) -> Thing:
        if name.startswith("__"):
            raise AttributeError(name)
        self.world.event("get", self, name)
        return self.world.thing()

    def __setattr__(self, name: str, value: Any) -> None:
        self.world.event("set", self, name, value)

    def __delattr__(self, name: str) -> None:
        self.world.event("delete", self, name)

    def __getitem__(self, key: Any) -> Thing:
        self.world.event("item", self, key)
        return self.world.thing()

    def __setitem__(self, key: Any, value: Any) -> None:
        self.world.event("set item", self, key, value)

    def __delitem__(self, key: Any) -> None:
        self.world.event("delete item", self, key)

    def __bool__(self) -> bool:
        world = self.world
        if not world.counts_truths and world.asked is not None and world.asked[:2] == (self, len(world.log)):
            return world.asked[2]
        world.event("bool", self)
        truth = world.script.random() < 0.5
        world.asked = (self, len(world.log), truth)
        return truth

    def __contains__(self, item: Any) -> bool:
        self.world.event("in", self, item)
        return self.world.script.random() < 0.5

    def __iter__(self) -> Thing:
        self.world.event("iter", self)
        return self

    def __next__(self) -> Thing:
        self.world.event("next", self)
        if self.world.script.random() < 0.4:
            raise StopIteration
        return self.world.thing()

    def __enter__(self) -> Thing:  # noqa: PYI034  # what is entered is something else
        self.world.event("enter", self)
        return self.world.thing()

    def __exit__(self, kind: object, error: object, traceback: object) -> bool:
        self.world.event("exit", self, kind)
        return self.world.script.random() < 0.5

    def __await__(self) -> Iterator[Any]:
        self.world.event("await", self)
        yield self.world.thing()
        return self.world.thing()

    def __repr__(self) -> str:
        self.world.event("repr", self)
        return self.name

    def __hash__(self) -> int:
        return hash(self.name)


def _binary(name: str) -> Callable[[Thing, Any], Thing]:
    def operate(self: Thing, other: Any) -> Thing:
        self.world.event(name, self, other)
        return self.world.thing()

    return operate


for _name in (
    *("lt", "le", "eq", "ne", "gt", "ge", "add", "sub", "mul", "truediv", "floordiv", "mod", "pow", "matmul"),
    *("lshift", "rshift", "and", "or", "xor", "iadd", "isub", "imul", "radd", "rsub"),
):
    setattr(Thing, f"__{_name}__", _binary(_name))


def described(value: Any, depth: int = 3) -> Any:
    """A value by what it is, so that two runs can be compared: never by its address."""
    if isinstance(value, Thing):
        return value.name
    if isinstance(value, tuple | list) and depth:
        return (type(value).__name__, *(described(item, depth - 1) for item in value))
    if isinstance(value, dict) and depth:
        return ("dict", *((described(k), described(v, depth - 1)) for k, v in value.items()))
    if isinstance(value, int | float | str | bytes | type(None) | type):
        return repr(value)
    return ended(value) if isinstance(value, BaseException) and depth else type(value).__name__


def ended(error: BaseException, depth: int = 4) -> Any:
    """An exception with what it was raised from, and while handling what."""
    if not depth:
        return "…"
    around = [before and ended(before, depth - 1) for before in (error.__cause__, error.__context__)]
    return (type(error).__name__, described(error.args), *around)


def behaviour(
    code: CodeType, seed: int, fail_at: int = 0, *, counts_truths: bool = True, seconds: float = LONGEST
) -> Any:
    """The events that a call of the code causes, what it gives, and what it leaves in its cells."""
    world = World(seed, fail_at, counts_truths=counts_truths)
    names: dict[str, Any] = {"__builtins__": builtins, "__name__": "world"}
    names |= {name: Thing(world, name) for name in GLOBALS}
    names |= {name: getattr(helpers, name) for name in helpers.__all__ if name in code.co_names}
    cells = tuple(CellType(Thing(world, name)) for name in code.co_freevars)
    function = FunctionType(code, names, code.co_name, None, cells)
    try:
        with limited(world, seconds):
            end: Any = ("returned", _result(function, code, world))
    except TooLong:
        end = "went on"
    except Exception as error:
        end = ("raised", ended(error))
    if world.over:
        return world.log, "went on", []
    return world.log, end, [_content(cell) for cell in cells]


def _result(function: FunctionType, code: CodeType, world: World) -> Any:
    positional = code.co_varnames[: code.co_argcount]
    named = code.co_varnames[code.co_argcount : code.co_argcount + code.co_kwonlyargcount]
    made = function(*(Thing(world, n) for n in positional), **{n: Thing(world, n) for n in named})
    if inspect.isgenerator(made) or inspect.iscoroutine(made):
        return driven(made, world)
    if inspect.isasyncgen(made):
        return driven(_collected(made), world)  # by hand: asyncio tells the numbers of its tasks
    return described(made)


async def _collected(made: Any) -> Any:
    return [described(item) async for item in made]


def driven(made: Any, world: World) -> Any:
    """A generator or coroutine, sent to, thrown at and closed as the script says."""
    script, got = Random(world.fail_at), []
    try:
        got.append(described(made.send(None)))
        for step in range(6):
            action = script.choice(("send", "send", "throw", "close"))
            if action == "close":
                made.close()
                return [*got, "closed"]
            sent = ERRORS[step % 3](step) if action == "throw" else Thing(world, f"sent {step}")
            got.append(described(getattr(made, action)(sent)))
    except StopIteration as stop:
        got.append(("ended with", described(stop.value)))
    else:
        made.close()
    return got


def _content(cell: CellType) -> Any:
    try:
        return described(cell.cell_contents)
    except ValueError:
        return "empty"


def same(one: CodeType, other: CodeType, seed: int, fail_at: int = 0, *, counts_truths: bool = True) -> bool:
    """Whether both behave alike. Where one of two that differ was ended by the clock, both are given more time."""
    both: list[Any] = []
    for seconds in (LONGEST, PATIENCE):
        run = functools.partial(behaviour, seed=seed, fail_at=fail_at, counts_truths=counts_truths, seconds=seconds)
        both = [run(one), run(other)]
        if both[0] == both[1] or all(end != "went on" for _, end, _ in both):
            break
    return both[0] == both[1]


def assert_same(
    one: CodeType,
    other: CodeType,
    seeds: range = range(3),
    *,
    counts_truths: bool = True,
    failures: slice = slice(25),
    place: str = "",
) -> None:
    """Both behave alike for every seed, and with an exception at each event of the seed's run, or some of them."""
    for seed in seeds:
        assert same(one, other, seed, counts_truths=counts_truths), f"{place} seed {seed}"
        events, _, _ = behaviour(one, seed, counts_truths=counts_truths)
        for fail_at in range(1, len(events) + 1)[failures]:
            assert same(one, other, seed, fail_at, counts_truths=counts_truths), f"{place} seed {seed}, event {fail_at}"
