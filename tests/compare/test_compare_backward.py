"""`unjit.compare` of functions that go backward themselves, and of backward passes that raise."""

from __future__ import annotations

import pytest
import torch
import torch._dynamo

from unjit.api.compare import compare_on

pytestmark = pytest.mark.usefixtures("nothing_compiled")


class Negative(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x):
        return x * 2

    @staticmethod
    def backward(ctx, gradient):
        raise ValueError("no way back")


@torch._dynamo.disable
def not_captured(x):
    return Negative.apply(x)


def training_step(factor):
    """A step that gives its loss, from which nobody can go backward once more."""
    module = torch.nn.Linear(3, 2)
    optimizer = torch.optim.SGD(module.parameters(), lr=0.1)

    def step(x):
        optimizer.zero_grad()
        loss = module(x).sum() * (factor if torch.compiler.is_compiling() else 1)
        loss.backward()
        optimizer.step()
        return loss

    return step


def test_what_a_training_step_gives_and_changes_is_compared_though_it_went_backward():
    found = compare_on(["eager"], training_step(1), (torch.ones(4, 3),), {})
    assert found
    assert found.data.raised is None
    wrong = str(compare_on(["eager"], training_step(2), (torch.ones(4, 3),), {}))
    assert "    result: 1 of 1 values differ" in wrong
    assert "    gradient of module.weight: 6 of 6 values differ" in wrong


def test_where_the_backward_pass_raises_the_results_are_compared_all_the_same():
    def wrong(x):
        return not_captured(x), x * 2 if torch.compiler.is_compiling() else x

    found = compare_on(["eager"], wrong, (torch.ones(3, requires_grad=True),), {})
    assert found.data.raised == "ValueError: no way back (in the backward pass from its results)"
    assert "    result[1]: 3 of 3 values differ" in str(found)
    right = compare_on(["eager"], not_captured, (torch.ones(3, requires_grad=True),), {})
    assert str(right).endswith("All raise what eager raises.")
