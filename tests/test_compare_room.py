"""Memory that `unjit.compare` takes: what is not needed is not made, and what does not fit is refused."""

from __future__ import annotations

import pytest
import torch

import unjit
from unjit.comparison import room
from unjit.model import Unknown


def plus_one(x):
    return x[:3] + 1


def other_when_compiled(x):
    return x + 1 if torch.compiler.is_compiling() else x


def test_an_input_that_cannot_be_copied_is_refused_before_a_run():
    whole = torch.zeros(1).expand(4 * 10**12)  # one number in memory, and 15 TiB as a copy
    with pytest.raises(unjit.UnjitError, match=r"takes some 14901.2 GiB, and .* of memory are free"):
        unjit.compare(plus_one, whole)
    assert plus_one(whole).tolist() == [1, 1, 1]


def test_a_run_that_does_not_fit_is_refused(monkeypatch):
    module = torch.nn.Linear(1024, 1024)
    monkeypatch.setattr(room, "free_memory", lambda: 6 * 2**20)  # its weight takes four, its gradient twice four
    with pytest.raises(
        unjit.UnjitError, match="one more run on copies takes some 12 MiB, and 6 MiB of"
    ):
        unjit.compare(module, torch.ones(1, 1024))
    assert module.weight.grad is None


def test_without_memory_for_float64_the_dtype_alone_says_what_is_rounding(monkeypatch):
    monkeypatch.setattr(room, "free_memory", lambda: 5 * 2**20)
    found = unjit.compare(other_when_compiled, torch.ones(2**20))  # of four bytes each, and of eight in float64
    assert [trial.outcome for trial in found.data.trials] == ["differs"] * 3
    assert isinstance(found.data.reference, Unknown)
    assert "one more run on copies in float64 takes some 8 MiB" in found.data.reference.reason


def test_nothing_runs_in_float64_where_nothing_differs():
    found = unjit.compare(plus_one, torch.ones(4))
    assert found
    assert "not run" in str(found.data.reference)
    assert "float64" not in str(found)


def test_what_differs_is_held_against_float64():
    found = unjit.compare(other_when_compiled, torch.ones(4))
    assert found.data.reference == "2 values are known in float64"
    assert "against float64, eager is off by 0.0e+00 and this by 1.0e+00" in str(found)


def test_what_is_free_is_less_than_there_is():
    free = room.free_memory()
    assert free is None or 0 < free < 2**50
