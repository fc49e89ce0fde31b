"""Each small statement in each compound one, and a sample of those in two of them: all of it natural source."""

from __future__ import annotations

from random import Random

import pytest

from fuzzing import code_in
from nested_statements import functions, modules, on_header_lines
from unjit.bytecode import versions as v
from unjit.decompiler import Synthetic, Verdict, decompile

SAMPLED = 4000  # of 179,080
NATURAL = Synthetic(0, 0, 0)
OPEN_IN_MODULES = set()
if v.PYTHON == (3, 10) or v.PY314:  # 3.10 sees none in a match statement; 3.14 counts one in a finally suite twice
    OPEN_IN_MODULES.add("x: int = a")
if v.PY314:  # at the end of a `while True` that is the end of a module
    OPEN_IN_MODULES |= {"assert a, b", "assert a < b < c, (a or b)"}
NO_SOURCE = "finally within for else" if v.PY315 else None  # ten of them (open.md)
# What may have a variable that nobody wrote, as a share of the sample: lowered when something is mended.
UNNATURAL, UNNATURAL_ON_ONE_LINE = 0.002, 0.006
REWORDED = 0.035  # likewise, of those in one statement what compiles to other code
NO_SOURCE_AS_MODULE = 0.006  # likewise, what has none


def unnatural_of(cases):
    """What is not natural; raises where something has no source."""
    found = []
    for what, text in cases:
        code = code_in(text)
        if code is not None:
            answer = decompile(code)
            place = what.partition(" within ")[2]
            assert answer.verdict is not Verdict.OPAQUE or place == NO_SOURCE, f"{what}: {answer.reason}\n{text}"
            if answer.synthetic != NATURAL and place != NO_SOURCE:
                found.append(what)
    return found


def test_a_statement_in_another():
    assert unnatural_of(functions(1)) == []


def test_a_statement_in_another_compiles_to_the_same_code():
    codes = [(what, code_in(text)) for what, text in functions(1)]
    there = [(what, code) for what, code in codes if code is not None]
    reworded = [what for what, code in there if decompile(code).verdict is not Verdict.IDENTICAL]
    assert len(reworded) <= len(there) * REWORDED, reworded


def test_a_statement_on_the_line_of_another():
    assert unnatural_of((what, on_header_lines(text)) for what, text in functions(1)) == []


def test_a_statement_in_another_in_a_module_and_in_a_class():
    """Where nothing has a variable that nobody wrote: it would be seen."""
    for what, text in modules(1):
        body = "\n".join(f"    {line}" for line in text.split("\n"))
        for whole in (text, f"class C:\n{body}\n"):
            code = module_of(whole)
            if code is None or what.partition(" within ")[0] in OPEN_IN_MODULES:
                continue
            answer = decompile(code)
            assert answer.verdict is not Verdict.OPAQUE, f"{what}: {answer.reason}\n{whole}"


def module_of(text):
    try:
        return compile(text, "nested", "exec", dont_inherit=True)
    except SyntaxError:
        return None


def test_a_statement_in_two_others():
    unnatural = unnatural_of(Random(0).sample([*functions(2)], SAMPLED))
    assert len(unnatural) <= SAMPLED * UNNATURAL, unnatural


def test_a_statement_in_two_others_on_the_line_of_the_inner_one():
    sample = Random(1).sample([*functions(2)], SAMPLED // 4)
    unnatural = unnatural_of((what, on_header_lines(text)) for what, text in sample)
    assert len(unnatural) <= SAMPLED // 4 * UNNATURAL_ON_ONE_LINE, unnatural


def test_a_statement_in_two_others_in_a_module():
    sample = Random(2).sample([*modules(2)], SAMPLED // 4)
    codes = [(what, module_of(text)) for what, text in sample if what.partition(" within ")[0] not in OPEN_IN_MODULES]
    opaque = [what for what, code in codes if code is not None and decompile(code).verdict is Verdict.OPAQUE]
    assert len(opaque) <= SAMPLED // 4 * NO_SOURCE_AS_MODULE, opaque


@pytest.mark.slow
def test_a_statement_in_two_others_whole():
    cases = [*functions(2)]
    unnatural = unnatural_of(cases)
    assert len(unnatural) <= len(cases) * UNNATURAL, unnatural
