"""What a step of a machine answers, and what a machine can be about to do besides the events of its program."""

from __future__ import annotations

from typing import Final

# What a step answers instead of the next step's index.
STOP: Final = -1  # at an event, or at the end
SPLIT: Final = -2  # what happens next depends on the unknown value `pending`
PAUSED: Final = -3  # at a step where paths meet

Key = tuple[object, ...]
# What was learned since the last event: outcomes of tests for identity and of lengths by their number, and of truth
# tests, as ("truth", value), of values that were kept on the stack: CPython's compiler threads the jump to a second
# test of such a value past it where both are on one line, so that there being one or two is not for the program to
# rely on.
Facts = dict[object, int]
LEFT_BY_EXCEPTION: Final[Key] = ("leave by exception",)
FOREVER: Final[Key] = ("run forever",)
ENDLESS: Final[Key] = ("unknown", "so long a silent loop")
MOST_ROUNDS: Final = 100  # through as many steps as the program has, before giving up
MOST_DISPLAYS: Final = 300  # made in such a loop
MANY_DISPLAYS: Final = 16  # most of them dead: from here on it pays to look which are
UNBOUND: Final = "unbound"
