"""What the tables are written in: a recipe makes the steps of one instruction."""

from __future__ import annotations

from collections.abc import Callable

from unjit.bytecode import Instr
from unjit.bytecode import versions as v
from unjit.verifier.machine.micro import Act, Micro
from unjit.verifier.machine.values import BOOL

Recipe = Callable[[Instr], tuple[Micro, ...]]
Table = dict[str, Recipe]

POP = Micro(Act.POP, pops=1)
NULL = Micro(Act.PUSH_NULL)
TRUTH = Micro(Act.TRUTH, ("truth",), pops=1, results=(BOOL,), raises=True)
NOT = Micro(Act.NOT)
LOAD = Micro(Act.LOAD)
STORE = Micro(Act.STORE)
PUSH_OWN = Micro(Act.PUSH_OWN)
RERAISE = Micro(Act.RERAISE)


class Fixed:
    """The same steps for every instruction."""

    def __init__(self, steps: tuple[Micro, ...]) -> None:
        self.steps = steps

    def __call__(self, _: Instr) -> tuple[Micro, ...]:
        return self.steps


def fixed(*steps: Micro) -> Recipe:
    return Fixed(steps)


def push(value: object) -> Micro:
    return Micro(Act.PUSH, value=value)


def copy(depth: int) -> Micro:
    return Micro(Act.COPY, count=depth)


def swap(depth: int) -> Micro:
    return Micro(Act.SWAP, count=depth)


def sink(depth: int) -> Micro:
    return Micro(Act.SINK, count=depth)


def jump(skip: int = 0) -> Micro:
    return Micro(Act.JUMP, skip=skip)


def branch(sense: bool, skip: int = 0) -> Micro:
    return Micro(Act.BRANCH, sense=sense, skip=skip)


def event(
    *key: object,
    pops: int = 0,
    pushes: int = 0,
    reads: tuple[int, ...] = (),
    results: tuple[int, ...] = (),
    raises: bool = True,
    handles: bool = False,
) -> Micro:
    return Micro(Act.EVENT, key, pops, reads, results or (0,) * pushes, raises, handles=handles)


def plain(name: str, pops: int, pushes: int, raises: bool = True) -> Recipe:
    """One event whose argument, if it has one, means the same on both sides."""
    return lambda i: (event(name, i.arg, pops=pops, pushes=pushes, raises=raises),)


def named(name: str, pops: int, pushes: int, raises: bool = True) -> Recipe:
    """One event about a name."""
    return lambda i: (event(name, i.value, pops=pops, pushes=pushes, raises=raises),)


def counted(name: str, raises: bool = True) -> Recipe:
    """One event that takes as many entries as its argument says."""
    return lambda i: (event(name, pops=i.arg, pushes=1, raises=raises),)


def into(name: str, pops: int) -> Recipe:
    """One event that adds the popped entries to the container at the depth in the argument."""
    return lambda i: (event(name, pops=pops, reads=(i.arg,)),)


def local(act: Act) -> Recipe:
    """One step about the local that the instruction names."""
    return fixed(Micro(act))


def of_cell(name: str, pops: int, pushes: int, raises: bool = True) -> Recipe:
    """One event on the cell that the argument names; the cell comes last."""
    return lambda i: (LOAD, event(name, i.value, pops=pops + 1, pushes=pushes, raises=raises))


def on_display(act: Act, name: str, pops: int, pushes: int = 0, raises: bool = True) -> Micro:
    return Micro(act, (name,), pops, (), (0,) * pushes, raises)


def display(act: Act, name: str, more: int = 0, raises: bool = False) -> Recipe:
    """A display of as many items as the argument says, and `more` entries."""
    return lambda i: (on_display(act, name, i.arg + more, 1, raises),)


LONGEST_MAP = 15  # pairs; longer dict displays are filled one by one


def map_display(i: Instr) -> tuple[Micro, ...]:
    """A dict of as many pairs as the argument says; a long one as those are that the compiler makes of a display."""
    pairs = i.arg
    if pairs <= LONGEST_MAP:
        return (on_display(Act.MAP, "map", 2 * pairs, 1, raises=True),)
    steps = [on_display(Act.MAP, "map", 0, 1, raises=True)]
    for left in range(pairs, 0, -1):
        steps += [copy(2 * left + 1), copy(2 * left + 1), Micro(Act.MAP_ADD, ("map_add",), 2, (1,), raises=True)]
    return (*steps, sink(2 * pairs + 1), *[POP] * (2 * pairs))


def set_display(i: Instr) -> tuple[Micro, ...]:
    """A set of as many items as the argument says, added one by one where a display may have to be written so.

    `{*(), 0, 1, 2}` keeps constants apart of which the compiler would make one.
    """
    items = i.arg
    if items < v.FEWEST_FOLDED:
        return (event("set", pops=items, pushes=1),)
    steps = [event("set", pushes=1)]
    for left in range(items, 0, -1):
        steps += [copy(left + 1), event("set_add", pops=1, reads=(1,))]
    return (*steps, sink(items + 1), *[POP] * items)


def into_display(act: Act, name: str, pops: int, raises: bool = True, also: int | None = None) -> Recipe:
    """Add the popped entries to the display at the depth in the argument; `also` is read so much below it."""
    return lambda i: (Micro(act, (name,), pops, (i.arg,) if also is None else (i.arg, i.arg + also), raises=raises),)


def call_spread(callee: int, entries: int) -> Recipe:
    """`callee` is the place of what is called among the entries that the call takes; the dict comes on top."""
    return lambda i: (
        Micro(Act.CALL_SPREAD, ("call_ex", callee), entries + (i.arg & 1), (), (0,), True, count=i.arg & 1),
    )


def jump_if(sense: bool) -> Recipe:
    return fixed(TRUTH, branch(sense))


def jump_if_none(sense: bool) -> Recipe:
    return fixed(push(None), Micro(Act.IS), branch(sense))


def jump_or_pop(sense: bool) -> Recipe:
    return fixed(copy(1), TRUTH, branch(sense), POP)


def inverted(i: Instr, step: Micro) -> tuple[Micro, ...]:
    """What the step gives, or the opposite where the argument is 1; with any other one the answer is always True."""
    if i.arg > 1:
        return (Micro(Act.UNKNOWN, ("unknown", i.op)),)
    return (step, NOT) if i.arg else (step,)


GET_ITEM = on_display(Act.GET_ITEM, "getitem", 2, 1)
SET_ITEM = on_display(Act.SET_ITEM, "setitem", 3)
LIST_TO_TUPLE = on_display(Act.LIST_TO_TUPLE, "list_to_tuple", 1, 1, raises=False)
STOPPED = event("is_stop_async_iteration", pops=1, results=(BOOL,), raises=False)
