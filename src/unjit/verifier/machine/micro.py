"""The elementary steps that instructions are made of, the same on every Python.

An instruction of CPython is one to eight of these. What differs between versions is only how instructions are
composed of them (see `operations`), never what they mean (see `machine`).
"""

from __future__ import annotations

import enum
from dataclasses import dataclass


class Act(enum.Enum):
    """What a step does. The first group is silent: nothing outside the frame can see it."""

    __hash__ = object.__hash__  # members are compared by identity; enum's own hash is slow before 3.12

    PUSH = enum.auto()  # the constant `value`
    PUSH_OWN = enum.auto()  # the constant that the instruction names
    PUSH_NULL = enum.auto()
    POP = enum.auto()
    COPY = enum.auto()  # the entry `count` from the top
    SWAP = enum.auto()  # the top with the entry `count` from the top
    SINK = enum.auto()  # the top to place `count` from the top
    LOAD = enum.auto()  # a local as it is, NULL included
    LOAD_BOUND = enum.auto()  # raises where the local is unbound
    REQUIRE_BOUND = enum.auto()  # raises where the local is unbound, pushes nothing
    STORE = enum.auto()
    NOT = enum.auto()  # of True or False
    IS = enum.auto()
    SPLIT_METHOD = enum.auto()  # a bound method to the two entries that a method call takes
    KEYWORDS = enum.auto()  # the instruction's constant has the names of the next call's keyword arguments
    JUMP = enum.auto()
    BRANCH = enum.auto()  # pops True or False, jumps if it is `sense`
    HANDLE = enum.auto()  # the exception on top becomes the one being handled; the former goes below it
    UNHANDLE = enum.auto()  # pops what is to be handled again
    RERAISE = enum.auto()
    RERAISE_CURRENT = enum.auto()  # bare `raise`

    # Displays: silent while nothing outside the frame has seen them, events from then on.
    LIST = enum.auto()
    TUPLE = enum.auto()
    SLICE = enum.auto()
    MAP = enum.auto()
    CONST_KEY_MAP = enum.auto()  # the keys are one constant on top
    GET_ITEM = enum.auto()
    SET_ITEM = enum.auto()
    DELETE_ITEM = enum.auto()
    LIST_APPEND = enum.auto()
    LIST_EXTEND = enum.auto()
    LIST_TO_TUPLE = enum.auto()
    MAP_ADD = enum.auto()
    MAP_UPDATE = enum.auto()
    MAP_MERGE = enum.auto()  # keyword arguments: none may come twice
    UNPACK = enum.auto()

    # Events: what another observer could see, in order.
    EVENT = enum.auto()
    CALL = enum.auto()
    TRUTH = enum.auto()  # bool() of the top; silent where it is known
    COMPARE = enum.auto()  # silent for plain constants
    SET_UPDATE = enum.auto()  # silent for an empty tuple
    CALL_SPREAD = enum.auto()  # the arguments in a tuple and perhaps a dict; `key` ends in where the callee lies
    NEXT = enum.auto()  # of an iterator: a value, or exhausted, which jumps
    SEND = enum.auto()  # into an awaited or delegated-to iterator: it yields, or returns, which jumps
    RETURN = enum.auto()
    RAISE = enum.auto()
    TAIL = enum.auto()  # from here on both programs are the same: the whole state counts, and the walk ends
    UNKNOWN = enum.auto()  # an instruction that the tables do not list


@dataclass(slots=True, eq=False)  # never changed; `frozen` would make each cost three times as much
class Micro:
    """One step, before it is bound to a code object.

    `key` says which event it is. It takes `pops` entries off the stack and also reads those at depths `reads`
    (counted below the popped ones, top is 1), and leaves one new value for each of `results`, which are facts about it.
    """

    act: Act
    key: tuple[object, ...] = ()
    pops: int = 0
    reads: tuple[int, ...] = ()
    results: tuple[int, ...] = ()
    raises: bool = False
    count: int = 0
    value: object = None
    sense: bool = True
    skip: int = 0  # for jumps within the instruction: how many steps ahead; 0: to the instruction's target
    handles: bool = False  # the event replaces the exception being handled by a part of it
