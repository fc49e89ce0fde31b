"""Tests whose handler Python 3.14 forgot, protected as what stands around them.

*What the compiler did*: it shortened the jump of the first test in `(a or b) or c`, which leads to that of both, and so
past it; the new jump, with the test before it, is in no protected range. An exception in the test of `a` passes
by the handler. *The shape*: a value that is copied and tested, between instructions that one handler protects. *What
we produce*: the test under that handler, and a note of its branch: it is outside again if the words are the same.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence
from types import CodeType

from unjit.bytecode import Instr, decode, may_be_protected, places_in
from unjit.bytecode import versions as v

_FORGETS_HANDLERS = v.PY314 and not v.PY315
_TEST = range(-2, 2)  # from the jump: COPY, TO_BOOL, the jump, and what counts how often it was not taken


def shortened_jumps(code: CodeType, within: Sequence[Instr] = ()) -> frozenset[int]:
    """The offsets of the jumps of such tests, if need be of those alone that stand within a part of the code."""
    if not _FORGETS_HANDLERS or not may_be_protected(code):
        return frozenset()
    instrs, tests = decode(code), places_in(code).get("TO_BOOL", [])
    if within:
        first = bisect_left(tests, within[0].offset, key=lambda k: instrs[k].offset)
        tests = tests[first : bisect_left(tests, within[-1].offset, key=lambda k: instrs[k].offset)]
    return frozenset(instrs[k + 1].offset for k in tests if _lost_handler(instrs, k))


def with_tests_protected(instrs: tuple[Instr, ...], shortened: frozenset[int]) -> tuple[Instr, ...]:
    """The same instructions, the tests of these jumps under the handler of what stands before them."""
    jumps = [k for k, instr in enumerate(instrs) if instr.offset in shortened] if shortened else []
    if not jumps:
        return instrs
    under = {jump + k: instrs[jump - 3].handler for jump in jumps for k in _TEST}
    return tuple([instr.under(under[k]) if k in under else instr for k, instr in enumerate(instrs)])


def _lost_handler(instrs: Sequence[Instr], asked: int) -> bool:
    """Whether the value that is asked for its truth there was copied, and one handler protects what is around."""
    if asked < 2 or asked + 3 >= len(instrs) or instrs[asked - 1].op != "COPY" or instrs[asked + 1].target is None:
        return False
    before, after = instrs[asked - 2], instrs[asked + 3]
    return before.handler == after.handler != instrs[asked].handler == instrs[asked + 1].handler
