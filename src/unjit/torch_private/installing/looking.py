"""Whether another thread may be looking through Dynamo's entries, and changing them only if none is.

Dynamo looks for entries only within a call through its own wrapper, which has a frame on the thread's stack. It lets
other threads run before each entry that it asks, so a thread that begins to look after the question and before the
change would go on in freed memory: both are one step of the interpreter here, made of functions that are written in C,
between which no other thread can run.
"""

from __future__ import annotations

import atexit
import functools
import itertools
import operator
import sys
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from types import FrameType
from typing import Any

from unjit.torch_private.cache.reading import no_collection

# torch's debugger callback runs between the choice of an entry and its run, with no reference to the code that was
# chosen, and other threads before the guards of an entry are asked: what is taken out then must outlive the call.
_taken_out: deque[object] = deque(maxlen=256)


def keep_alive(taken_out: Iterable[object]) -> None:
    """Keep what Dynamo may have chosen, or be asking, until as much as that again was taken out after it."""
    _let_go_at_the_exit()
    _taken_out.extend(taken_out)


@functools.cache
def _let_go_at_the_exit() -> None:
    atexit.register(_let_go)


def _let_go() -> None:
    """Free it before Python takes its modules apart: torch 2.15 then prints that it cannot clean up after a code."""
    if not others_may_be_looking():  # who begins to look from here on finds none of it
        _taken_out.clear()


def others_may_be_looking() -> bool:
    """Whether another thread may be in the middle of a call of compiled code."""
    return any(_are_dynamos(sys._getframe()))


def unless_others_look(steps: Sequence[functools.partial[Any]]) -> bool:
    """Take all steps before any other thread runs; False, with none taken, if another may be looking.

    What a step frees must be kept alive beyond it by the caller: a finalizer in Python lets other threads run.
    """
    assert steps
    if others_may_be_looking():  # makes the objects for frames that are there, so that the step has few left to make
        return False
    nobody_looks = map(operator.not_, map(any, (_are_dynamos(sys._getframe()),)))
    all_or_none = itertools.chain.from_iterable(itertools.compress((steps,), nobody_looks))
    taken: list[object] = []
    with no_collection():
        taken.extend(map(functools.partial.__call__, all_or_none))
    return bool(taken)


def _are_dynamos(own: FrameType) -> Iterator[bool]:
    """Of each frame of all threads but the one that is at `own`, whether it is Dynamo's: read when it is asked for."""
    folder = str(Path(str(sys.modules["torch"].__file__)).with_name("_dynamo"))
    innermost = itertools.chain.from_iterable(map(dict.values, itertools.starmap(sys._current_frames, ((),))))
    others = itertools.filterfalse(functools.partial(operator.is_, own), innermost)
    steps = map(itertools.chain, zip(others), itertools.repeat(itertools.repeat("f_back")))
    stacks = map(functools.partial(itertools.accumulate, func=getattr), steps)
    frames = itertools.chain.from_iterable(map(functools.partial(itertools.takewhile, operator.truth), stacks))
    return map(operator.methodcaller("startswith", folder), map(operator.attrgetter("f_code.co_filename"), frames))
