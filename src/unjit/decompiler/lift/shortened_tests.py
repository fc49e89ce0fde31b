"""Tests whose handler Python 3.14 forgot, protected as what stands around them.

*What the compiler did*: it shortened the jump of the first test in `(a or b) or c`, which leads to that of both, and so
past it; the new jump, with the test in front of it, is in no protected range. An exception in the test of `a` passes
by the handler. *The shape*: a value that is copied and tested, between instructions that one handler protects. *What
we produce*: the test under that handler, and a note of its branch: it is outside again if the words are the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import CodeType

from unjit.bytecode import Instr, Places, decode, may_be_protected, places_in
from unjit.bytecode import versions as v

_FORGETS_HANDLERS = v.PY314 and not v.PY315


_TEST = range(-2, 2)  # from the jump: COPY, TO_BOOL, the jump, and what counts how often it was not taken


def shortened_jumps(code: CodeType) -> frozenset[int]:
    """The offsets of the jumps of such tests."""
    if not _FORGETS_HANDLERS or not may_be_protected(code):
        return frozenset()
    instrs = decode(code)
    return frozenset(instrs[jump].offset for jump, _ in _found(instrs, places_in(code)))


def with_tests_protected(instrs: tuple[Instr, ...], places: Places) -> tuple[Instr, ...]:
    """The same instructions, these tests under the handlers that they lost."""
    if not _FORGETS_HANDLERS:
        return instrs
    under = {jump + k: before.handler for jump, before in _found(instrs, places) for k in _TEST}
    return (
        tuple([instr.under(under[k]) if k in under else instr for k, instr in enumerate(instrs)]) if under else instrs
    )


def _found(instrs: Sequence[Instr], places: Places) -> Iterator[tuple[int, Instr]]:
    """By the index of its jump, each test that lost its handler, with the instruction in front of it, which did not."""
    for k in places.get("TO_BOOL", ()):
        if k < 2 or k + 3 >= len(instrs) or instrs[k - 1].op != "COPY" or instrs[k + 1].target is None:
            continue
        before, behind = instrs[k - 2], instrs[k + 3]
        if before.handler == behind.handler != instrs[k].handler == instrs[k + 1].handler:
            yield k + 1, before
