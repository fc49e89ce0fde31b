"""Relocated code: the same instructions, and each on the line that was asked for."""

from __future__ import annotations

import dis
import random
import textwrap
import types

import pytest

from unjit.bytecode.changed.relocate import relocated

CODE = textwrap.TextWrapper._wrap_chunks.__code__
UNCHANGED = ["co_code", "co_consts", "co_names", "co_varnames", "co_freevars", "co_cellvars", "co_flags", "co_name"]


def lines_of(code):
    """The line of each code unit, as the interpreter reads its table."""
    held = {}
    for start, end, line in code.co_lines():
        held.update(dict.fromkeys(range(start, end, 2), line))
    return [held[offset] for offset in range(0, len(code.co_code), 2)]


@pytest.mark.parametrize("seed", range(60))
def test_each_instruction_lies_where_it_was_put(seed):
    dice = random.Random(seed)
    offsets = [0, *(i.offset for i in dis.get_instructions(CODE) if dice.random() < 0.5)]
    lines = {offset: dice.choice([None, 1, 2, 3, 200, 5000, 100_000]) for offset in offsets}
    first = dice.choice([1, 7, 4000])
    made = relocated(CODE, "elsewhere.py", lines, first)
    assert (made.co_filename, made.co_firstlineno) == ("elsewhere.py", first)
    wanted, line = [], first
    for offset in range(0, len(CODE.co_code), 2):
        line = lines.get(offset, line)
        wanted.append(line)
    assert lines_of(made) == wanted
    assert all(getattr(made, name) == getattr(CODE, name) for name in UNCHANGED)


def test_what_comes_before_the_first_offset_lies_on_the_first_line():
    assert lines_of(relocated(CODE, "a.py", {10: 9}, 4))[:6] == [4] * 5 + [9]


def test_it_runs_as_before():
    made = types.FunctionType(relocated(textwrap.indent.__code__, "a.py", {0: 1}, 1), vars(textwrap), "indent", (None,))
    assert made("a\nb", "> ") == "> a\n> b"


def test_a_traceback_names_the_new_place():
    def fails(x):
        return x / 0

    place = next(i.offset for i in dis.get_instructions(fails) if i.opname.startswith("BINARY"))
    fails.__code__ = relocated(fails.__code__, "elsewhere.py", {place: 77}, 70)
    with pytest.raises(ZeroDivisionError) as caught:
        fails(1)
    last = caught.value.__traceback__.tb_next
    assert (last.tb_frame.f_code.co_filename, last.tb_lineno) == ("elsewhere.py", 77)
