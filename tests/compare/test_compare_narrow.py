"""`unjit.compare` where a program computes in types that are less exact than those of its results."""

from __future__ import annotations

import pytest
import torch
import torch._dynamo
from torch._dynamo.backends.registry import _COMPILER_FNS, register_backend

from unjit.api.compare import compare_on
from unjit.comparison.values.differences import difference

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


def test_where_float64_tells_no_less_than_a_rounding_of_what_was_computed_in_is_a_difference():
    """That eager came three times as near is chance: a bias under autocast was off by a quarter of a rounding."""
    exact = torch.full((4,), 0.5982, dtype=torch.float64)
    eager = exact.float() + 2.6e-4
    for off, says in ((8.7e-4, None), (8e-3, "against float64, eager is off by 2.6e-04 and this by 8.0e-03")):
        told = difference(eager, exact.float() + off, exact, "torch.bfloat16")
        assert told is says if says is None else says in told
    assert "against float64" in difference(eager, exact.float() + 8.7e-4, exact)  # of what was computed in float32
