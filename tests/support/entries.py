"""Compiled functions with their cache entries, for tests that copy these and put them in again."""

from __future__ import annotations

import pytest
import torch
import torch._dynamo

import unjit

ERRORS = pytest.mark.filterwarnings(
    "error",
    "ignore:Guards may run slower:RuntimeWarning",  # torch on 3.13.0
    # torch on 3.15 lets a reference fall due that it has forgotten
    "ignore:Exception ignored while calling weakref callback <function Tracker:pytest.PytestUnraisableExceptionWarning",
)
X, Y = torch.ones(3), torch.ones(7)


def closure():
    c = torch.tensor(5.0)

    def f(x, k=1):
        return x * c + k

    return f


def compiled(function, *calls, **options):
    made = torch.compile(function, backend="eager", **options)
    for arguments in calls:
        made(*arguments)
    return made, unjit.explain(made).entries[0]


def value(result):
    return result.flatten()[0].item()
