"""`unjit.compare` of functions that take from what gives something else each time, and gives it once."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from unjit.api.compare import compare_on

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
