"""Columns that no compiler noted: what is said of them may read otherwise, and is proved as it was."""

from __future__ import annotations

import random
from types import CodeType

import pytest

from catalogue_states import FILES, codes_of, runs_here
from unjit.bytecode import versions as v
from unjit.decompiler import Verdict, decompile

NO_PLACE, LONG_PLACE = 0xF8, 0xF0  # of one code unit
LAST_COLUMN = 40


def with_columns_of_chance(code: CodeType, chance: random.Random) -> CodeType:
    """The same lines, and on them words of up to seven letters, anywhere, also where nothing had a column."""
    table, before = bytearray(), code.co_firstlineno
    for line, *_ in code.co_positions():
        if line is None:
            table.append(NO_PLACE)
            continue
        column = chance.randrange(1, LAST_COLUMN)
        step = line - before
        table += bytes((LONG_PLACE, *varint(-2 * step + 1 if step < 0 else 2 * step), 0, column))
        table += bytes(varint(column + chance.randrange(3, 8)))
        before = line
    return code.replace(co_linetable=bytes(table))


def varint(value: int) -> list[int]:
    """Six bits a byte, the lowest first, as the table of places has them."""
    found = []
    while value > 0x3F:
        found.append(value & 0x3F | 0x40)
        value >>= 6
    return [*found, value]


@pytest.mark.skipif(not v.PY311, reason="no columns")
@pytest.mark.parametrize("seed", range(3))
def test_columns_of_chance_cost_no_proof(seed):
    chance, tried = random.Random(seed), 0
    for file in filter(runs_here, FILES):
        for name, code in codes_of(file).items():
            made = with_columns_of_chance(code, chance)
            assert [place[0] for place in made.co_positions()] == [place[0] for place in code.co_positions()]
            if decompile(made).verdict is Verdict.OPAQUE:
                assert decompile(code).verdict is Verdict.OPAQUE, name
            tried += 1
    assert tried > 1000


def test_a_continue_on_the_line_of_its_test_makes_no_else_of_what_is_after_the_loop():
    module = compile("def f(a):\n    for x in a:\n        if x: continue\n        a(x)\n    return a\n", "<f>", "exec")
    assert "else" not in decompile(module).source
