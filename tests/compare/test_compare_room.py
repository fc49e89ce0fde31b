"""Memory that `unjit.compare` takes: what is not needed is not made, and what does not fit is refused."""

from __future__ import annotations

import pytest
import torch

import unjit
from unjit.api.compare import compare_on
from unjit.comparison.runs import room
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
    with pytest.raises(unjit.UnjitError, match=r"^one more run on copies takes some 12 MiB, and 6 MiB of"):
        unjit.compare(module, torch.ones(1, 1024))
    assert module.weight.grad is None


def test_without_memory_for_float64_the_dtype_alone_says_what_is_rounding(monkeypatch):
    monkeypatch.setattr(room, "free_memory", lambda: 5 * 2**20)
    found = unjit.compare(other_when_compiled, torch.ones(2**20))  # of four bytes each, and of eight in float64
    assert [trial.outcome for trial in found.data.trials] == ["differs"] * 3
    assert isinstance(found.data.reference, Unknown)
    assert "one more run on copies in float64 takes some 8 MiB" in found.data.reference.reason


def test_a_graph_without_memory_for_float64_is_compared_all_the_same(monkeypatch):
    def wrong(graph, inputs):
        return lambda *given: tuple(value + 1 for value in graph(*given))

    monkeypatch.setattr(room, "free_memory", lambda: 5 * 2**20)
    found = compare_on([wrong], lambda x: x.sin(), (torch.zeros(2**20),), {})
    graph = found.data.first.first_graph
    assert "values differ" in graph.differences[0].says
    assert "one more run on copies in float64 takes some 8 MiB" in graph.no_reference


def test_nothing_runs_in_float64_where_nothing_differs():
    found = unjit.compare(plus_one, torch.ones(4))
    assert found
    assert "not run" in str(found.data.reference)
    assert "float64" not in str(found)


def test_what_differs_is_held_against_float64():
    found = unjit.compare(other_when_compiled, torch.ones(4))
    assert found.data.reference == "2 values are known in float64"
    assert "against float64, eager is off by 0.0e+00 and this by 1.0e+00" in str(found)


def test_a_program_that_finds_no_memory_is_not_compared():
    def filled(x):
        return torch.ones(2**50) + x

    words = r"^one more run on copies found no memory: \[enforce fail .*can't allocate memory"
    with pytest.raises(unjit.errors.NoRoom, match=words):
        unjit.compare(filled, torch.ones(1))


def test_of_a_backend_that_finds_no_memory_nothing_is_known():
    def out_of_memory(_graph, _inputs):
        def run(*_inputs):
            raise torch.OutOfMemoryError("CUDA out of memory. Tried to allocate 2.00 MiB.")

        return run

    found = unjit.compare(torch.compile(plus_one, backend=out_of_memory), torch.ones(8))
    *others, trial = found.data.trials
    assert {other.outcome for other in others} == {"same"}
    assert (trial.outcome, trial.error) == (
        "unknown",
        "one more run on copies found no memory: CUDA out of memory. Tried to allocate 2.00 MiB.",
    )
    assert not found
    assert str(found).endswith("All that could be compared agrees with eager.")


def test_memory_that_runs_out_in_a_backward_pass_is_no_difference():
    class Exhausted(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            raise MemoryError("nothing is left")

    with pytest.raises(unjit.errors.NoRoom, match="nothing is left"):
        unjit.compare(Exhausted.apply, torch.ones(2, requires_grad=True))


def test_errors_that_lead_back_to_each_other_and_say_nothing_are_compared():
    class Mute(Exception):
        def __str__(self):
            raise RuntimeError("nobody reads this")

    def raises(x):
        first, second = Mute(), Mute()
        first.__cause__, second.__cause__ = second, first
        raise first

    found = unjit.compare(raises, torch.ones(1))
    assert "Mute" in found.data.raised
    assert {trial.outcome for trial in found.data.trials} == {"same"}


def test_what_is_free_is_less_than_there_is():
    free = room.free_memory()
    assert free is None or 0 < free < 2**50
