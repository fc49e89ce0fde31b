"""Free variables that the bytecode names and the source would not."""

from __future__ import annotations

import dis

import pytest

from behaviour import assert_same
from foreign import assembled, prefixed
from unjit.bytecode import versions as v
from unjit.decompiler import Verdict, decompile

INNER = "def f(a):\n    def inner(b):\n        g(b)\n        return a\n    return inner"


@pytest.mark.skipif(not v.PY311, reason="these instructions came with 3.11")
def test_a_cell_in_a_tuple_that_is_only_moved_about():
    """As Dynamo moves the cells of a frame that it inlined: the tuple is never made, and with it the cell not named."""
    outer = compile(INNER, "<sample>", "exec", dont_inherit=True).co_consts[0]
    code = next(const for const in outer.co_consts if hasattr(const, "co_code"))
    load = next(i for i in dis.get_instructions(code) if i.opname == "LOAD_DEREF")
    argument = assembled(("LOAD_FAST", 0))
    code = code.replace(co_code=code.co_code[: load.offset] + argument + code.co_code[load.offset + len(argument) :])
    cell = ("LOAD_FAST" if v.PY313 else "LOAD_CLOSURE", code.co_nlocals)
    moves = (("BUILD_TUPLE", 1), ("COPY", 1), ("BUILD_LIST", 0), ("SWAP", 2), ("LIST_EXTEND", 1))
    code = prefixed(code, cell, *moves, ("POP_TOP", 0), ("POP_TOP", 0))
    answer = decompile(code)
    assert answer.verdict is Verdict.EQUIVALENT, answer.reason
    assert answer.synthetic.total == 0, answer.source
    assert_same(code, answer.recompile())
