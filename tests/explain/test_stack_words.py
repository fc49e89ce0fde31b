"""What recompiles of resume functions are told of: values on the stack, in the program's words."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
import torch._dynamo

import unjit
from unjit.model import Expression
from unjit.observe.functions.stack_words import in_words_of_the_program
from unjit.observe.recorded.report import read_run


def scaled(x, numbers):
    return x * (numbers.pop() + torch.ones(()).item().real)


@pytest.fixture(scope="module")
def resumed():
    """A resume function of which a recompile is told by torch's name for a value on the stack."""
    torch._dynamo.reset()
    with unjit.capture() as session:
        torch.compile(scaled, backend="eager")(torch.ones(2), [1.5])
    (found,) = (one for one in session.data.report.functions if one.resume is not None and one.resume.stack)
    guard = unjit.model.FailedGuard("1/0", "___stack0 == 1.5", unjit.model.Unknown("made up"))
    return replace(found, compiles=(replace(found.compiles[0], failed_guards=(guard,)),))


@pytest.mark.parametrize(
    ("text", "told"),
    [("numbers.pop()", "numbers.pop() == 1.5"), ("a or b", "(a or b) == 1.5"), ("<value>", "___stack0 == 1.5")],
)
def test_only_what_is_an_expression_takes_the_place_of_torchs_name(resumed, text, told):
    value = replace(resumed.resume.stack[0], argument="___stack0", expression=Expression(text))
    point = replace(resumed.resume, stack=(value,))
    (made,) = in_words_of_the_program(replace(resumed, resume=point)).compiles
    assert [guard.condition for guard in made.failed_guards] == [told]


def test_the_value_of_a_choice_is_told_by_the_variable_that_it_goes_into(recorder):
    @torch.compile(backend="eager")
    def chosen(x, least):
        found = (x > least).nonzero()
        count = 0 if found.shape[0] == 0 else found[0].item()
        return x[0] * 2 if count == 1 else x * count

    for least in (0, 1, 2):
        chosen(torch.arange(4), least)
    told = [
        guard.condition
        for function in read_run(recorder).functions
        for one in function.compiles
        for guard in one.failed_guards
    ]
    assert not any("___stack" in condition for condition in told), told
    assert any(condition.startswith("count == ") for condition in told), told
