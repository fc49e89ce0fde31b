"""Functions of the catalogue entered at any instruction: what is proved does the same, whatever it looks like."""

from __future__ import annotations

import dis
import re
from collections import Counter
from itertools import pairwise
from random import Random

import pytest

from behaviour import assert_same
from catalogue_states import FILES, codes_of, runs_here
from codes import function_code
from rerooted import rerooted
from unjit.bytecode import versions as v
from unjit.decompiler import Verdict, decompile

SAMPLED = 400
# What may be opaque, with the share of the sample that it may take: lowered when something is mended, raised only
# where new functions in the catalogue make another sample.
KNOWN = {
    "has no statement of its own": 0.03,
    "no with statement fits": 0.01,
    "is not stored where its operand was": 0.02,  # it is 0.006 of 1600; this is of 400 drawn from all
    "restores something else than what was saved": 0.15,  # entered inside the clean-up after a handler; 3.13 has most
    "an exception that is not the one handled": 0.08,
    "finds different values below it": 0.03,  # entered inside `with` inside a loop, which enters another
    "is used where no syntax stands for it": 0.02,  # entered inside a pattern
}
if v.PY312:
    KNOWN |= {
        "other": 0.02,
    }
if v.PY314:  # a context manager takes several instructions to enter, each of which is entered here
    KNOWN |= {
        "with unlike stacks": 0.05,
        "enters a context whose exit is not at hand": 0.04,
        "both special": 0.02,
    }
# Entered after a method that was looked up: a NULL stands for its `self`. The last, since others are told so as well.
KNOWN["the original would call"] = 0.02
RARE = 0.01


@pytest.mark.skipif(not v.PY311, reason="blocks would not be set up when a function is entered inside them")
def test_functions_entered_anywhere_behave_alike():
    entries = [entry for file in FILES if runs_here(file) for entry in entries_of(file)]
    opaque: Counter[str] = Counter()
    for place, code in Random(0).sample(entries, SAMPLED):
        answer = decompile(code)
        if answer.verdict is Verdict.OPAQUE:
            opaque[next((known for known in KNOWN if known in answer.reason), "other")] += 1
            continue
        assert_same(code, answer.recompile(), range(2), failures=slice(0, 12, 3), place=place)
    for reason, count in opaque.items():
        assert count / SAMPLED <= KNOWN.get(reason, RARE), f"{count} of {SAMPLED}: {reason}"


def entries_of(file):
    for name, code in codes_of(file).items():
        if not re.match(r"imports|dict_of_constants", name):  # modules that are not there; an open sample of its own
            yield from ((f"{name} at {offset}", made) for offset, made in rerooted(code))


@pytest.mark.skipif(not v.PY311, reason="as above")
def test_an_import_entered_after_what_it_imports_says_so():
    def imports():
        from os import path

        return path

    answers = [decompile(code) for _, code in rerooted(imports.__code__)]
    reasons = {answer.reason for answer in answers if answer.verdict is Verdict.OPAQUE}
    assert "what is imported from os is known only when it runs" in reasons
    assert not any("fault in the decompiler" in reason for reason in reasons)


@pytest.mark.skipif(not v.PY311, reason="blocks would not be set up when a function is entered inside them")
def test_loops_that_stand_in_one_another_by_layout_alone():
    """Entered where the inner loop is left, the outer one begins in the midst of it: each once is left."""
    code = next(codes_of(file)["while_break_in_the_inner_of_two"] for file in FILES if file.stem == "loops_leaving")
    verdicts = Counter(decompile(entered).verdict for _, entered in rerooted(code))
    most = 0.6 if v.PY315 else 0.33  # on 3.15 an outer loop's place in its iterator has no place in source
    assert verdicts[Verdict.OPAQUE] < verdicts.total() * most


CONTINUED = """
def f(tokens, tok, n):
    for tok, n in tokens:
        if tok.a:
            foo()
        elif n.b:
            foo(n)
            if tok[0] == n[0] == 1 and tok[1] == '*' and n[1] == '(':
                n.x = False
            continue
        bar()
"""


@pytest.mark.skipif(not v.PY311, reason="as above")
def test_a_loop_with_several_ways_in_and_a_continue_is_done_one_block_a_turn():
    """What shares a `continue` among the ways to it asks for loops, and those turns need none."""
    answers = [decompile(code) for _, code in rerooted(function_code(CONTINUED))]
    assert answers
    assert not {answer.reason for answer in answers if answer.verdict is Verdict.OPAQUE}


def compared(a, b, c, g, h):
    while g(a):
        h(b, b < a < c)
    return lambda: a


def either(a, c, g, h):
    while g(a):
        y = (c and a) or g(c)
        h(y)


def both(a, c, g, h):
    while g(a):
        y = (c or a) and g(c)
        h(y)


def several(a, b, c, g, h):
    while g(a):
        y = (((a and b) or c) and g(c)) or b
        h(y)


@pytest.mark.skipif(not v.PY311, reason="no function is entered with values on its stack")
@pytest.mark.parametrize("function", [compared, either, both, several])
def test_a_loop_entered_in_the_midst_of_an_expression(function):
    """As Dynamo's resume functions are, where a graph broke in a part of it: each part is tested once all the same."""
    code = function.__code__
    copied = {after.offset for before, after in pairwise(dis.get_instructions(code)) if before.opname == "COPY"}
    for offset, entered in rerooted(code):
        if offset not in copied:  # where the same value would come in twice, as two
            answer = decompile(entered)
            assert answer.verdict is not Verdict.OPAQUE, f"at {offset}: {answer.reason}"
