"""`unjit.compare` of functions that take from what gives something else each time, and gives it once."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction

import numpy as np
import pytest
import torch

from unjit.api.compare import compare_on
from unjit.errors import UnjitError

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def test_random_numbers_of_the_programs_own_sources_are_drawn_again_in_each_run():
    of_torch, of_python = torch.Generator().manual_seed(3), random.Random(3)
    of_numpy, older = np.random.default_rng(3), np.random.RandomState(3)

    def draws(x):
        return x * torch.rand(3, generator=of_torch) + of_python.random() + float(of_numpy.random() + older.rand())

    first = draws(torch.ones(3))
    of_torch.manual_seed(3)
    of_python.seed(3)
    of_numpy.bit_generator.state = np.random.default_rng(3).bit_generator.state
    older.seed(3)
    assert compare_on(["eager"], draws, (torch.ones(3),), {})
    assert draws(torch.ones(3)).equal(first)


def test_an_iterator_gives_each_run_what_it_gives_the_program():
    given = {
        "a list": iter([1.0, 2.0]),
        "others": enumerate(zip(map(abs, iter([1.0, 2.0])), iter({3.0: 1, 4.0: 2}), strict=True)),
        "a count": itertools.count(5, 2),
    }

    def takes(x):
        number, (one, other) = next(given["others"])
        return x * next(given["a list"]) + number + one + other + next(given["a count"])

    assert compare_on(["eager"], takes, (torch.ones(3),), {})
    assert [takes(torch.ones(1)).item() for _ in range(2)] == [1 + 0 + 1 + 3 + 5, 2 + 1 + 2 + 4 + 7]


class Holds:
    def __init__(self):
        self.batches = iter(torch.utils.data.DataLoader([1.0, 2.0]))


in_a_class = Holds()
generated = (float(number) for number in range(3))
in_other_numbers = itertools.count(Fraction(1, 2))


@pytest.mark.parametrize(
    ("takes", "kind"),
    [
        (lambda x: x + next(in_a_class.batches), "SingleProcessDataLoaderIter"),
        (lambda x: x + next(generated), "a generator"),
        (lambda x: x + generated.send(None), "a generator"),
        (lambda x: x + float(next(in_other_numbers)), "a count"),
    ],
)
def test_a_call_that_takes_from_what_has_no_copy_is_refused_and_takes_nothing(takes, kind):
    with pytest.raises(UnjitError, match=kind):
        compare_on(["eager"], takes, (torch.ones(3),), {})


def test_what_was_refused_is_as_before():
    assert next(in_a_class.batches) == torch.tensor([1.0])
    assert next(generated) == 0.0
    assert next(in_other_numbers) == Fraction(1, 2)


def test_an_iterator_that_is_held_and_not_asked_refuses_nothing():
    class Keeps(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.later = (number for number in range(3))

        def forward(self, x):
            return x * 2

    module = Keeps()
    before = module.later
    assert compare_on(["eager"], module, (torch.ones(3),), {})
    assert module.later is before
    assert [*before] == [0, 1, 2]
