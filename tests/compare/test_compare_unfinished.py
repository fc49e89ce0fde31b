"""A coroutine or a generator has computed nothing when a call gives it: to compare two of them compares nothing."""

from __future__ import annotations

import warnings

import pytest
import torch

import unjit


async def awaited(x):
    return x * 3


def asked(x):
    yield x * 3


async def asked_and_awaited(x):
    yield x * 3


@pytest.mark.parametrize(
    ("function", "what"),
    [
        (awaited, "is a coroutine, which computes nothing before it is awaited"),
        (asked, "is a generator, which computes nothing before it is asked for items"),
        (asked_and_awaited, "is a generator"),
        (lambda x: (x * i for i in range(2)), "is a generator"),
    ],
)
def test_two_of_them_are_not_said_to_agree(function, what):
    with warnings.catch_warnings():
        warnings.simplefilter("error")  # that nobody awaited it
        with pytest.raises(unjit.UnjitError, match=what):
            unjit.compare(torch.compile(function, backend="eager"), torch.ones(2))


def test_what_asks_for_all_items_is_compared():
    found = unjit.compare(torch.compile(lambda x: list(asked(x)), backend="eager"), torch.ones(2))
    assert {trial.outcome for trial in found.data.trials} == {"same"}
    assert all(trial.graphs == 1 for trial in found.data.trials)
