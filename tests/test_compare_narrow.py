"""`unjit.compare` where a program computes in types that are less exact than those of its results."""

from __future__ import annotations

import pytest
import torch
import torch._dynamo
from torch._dynamo.backends.registry import _COMPILER_FNS, register_backend

from unjit.api.compare import compare_on

pytestmark = pytest.mark.usefixtures("nothing_compiled")


class Twice(torch.nn.Module):
    """Eager casts the weight once for both uses, and so adds up its gradient in bfloat16; graphs cast it anew each."""

    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(16, 16)

    def forward(self, x):
        with torch.autocast("cpu", dtype=torch.bfloat16):
            return self.noisy(self.again(self.again(x))).float()

    def noisy(self, x):
        """In float64 other numbers would be drawn."""
        return x + 0.1 * torch.rand_like(x)

    def again(self, x):
        x = self.linear(x)
        torch._dynamo.graph_break()
        return torch.nn.functional.gelu(x)


def wrong(graph, _inputs):
    def run(*inputs):
        return tuple(value * 1.2 for value in graph(*inputs))

    return run


class Dropped(Twice):
    def noisy(self, x):
        return torch.nn.functional.dropout(x, 0.1)


def compared(*backends, of=Twice):
    torch.manual_seed(0)
    return compare_on(backends, of(), (torch.randn(8, 16),), {})


def test_what_bfloat16_rounds_away_is_no_difference_where_no_float64_can_tell():
    found = compared("eager", "aot_eager")
    assert "no run in float64" in str(found)
    assert found, str(found)


def test_dropout_draws_the_same_in_float64_where_the_run_begins_as_eager_did():
    found = compared("eager", "aot_eager", of=Dropped)
    assert "known in float64" in str(found.data.reference)
    assert found, str(found)


def test_what_it_does_not_round_away_is_one():
    register_backend(wrong, name="a_fifth_too_much")
    try:
        found = compared("a_fifth_too_much")
    finally:
        _COMPILER_FNS.pop("a_fifth_too_much")
    assert not found
    (place,) = found.data.first.first_graph.lines
    assert place.code == "x = self.linear(x)"
