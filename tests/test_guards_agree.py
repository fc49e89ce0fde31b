"""The generated guard function and Dynamo's own guards give the same answers; see agreement.py."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import pytest
import torch
import torch._dynamo

from agreement import Score, compare, frames

SHARED = Path(__file__).resolve().parents[2] / "shared" / "models"
PROGRAMS = Path(__file__).resolve().parent / "programs"
QUICK = [  # together they have every kind of guard and of accessor that the awkward functions have
    "branch_on_data", "global_side_effects", "all_kinds_of_parameters", "dynamic_shapes_of_two_dimensions",
    "int_and_str_arguments_recompile", "match_statement", "module_hooks_of_all_kinds", "higher_order_operators",
    "dataclasses_and_namedtuples_changed", "generators_across_a_break", "object_attributes_changed",
]  # fmt: skip


SEEN_ONCE = {"global_side_effects", "all_kinds_of_parameters"}  # the calls change what their guards look at


def load(path):
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def awkward():
    found = dict(load(PROGRAMS / "more_awkward.py").CASES)
    if (SHARED / "awkward.py").exists():
        found.update(load(SHARED / "awkward.py").CASES)
    return found


def score_of(function, calls, *, gradients=True, **inputs):
    """Both sides compared on all entries that these calls make."""
    torch._dynamo.reset()
    score = Score()
    with frames() as noted:
        compiled = torch.compile(function, backend="eager")
        for arguments in calls:
            with torch.set_grad_enabled(gradients):
                try:
                    compiled(*arguments, **inputs)
                except RuntimeError:  # some of these programs raise; what was compiled before is there
                    break
    for manager, frame in noted:
        compare(manager, frame, score)
    return score


AWKWARD = awkward()


@pytest.mark.parametrize("name", [name for name in QUICK if name in AWKWARD])
def test_on_awkward_functions(name, record_property):
    score = score_of(*AWKWARD[name]())
    record_property("pairs", score.pairs)
    assert score.disagreements == []
    assert score.held > 0 or name in SEEN_ONCE
    assert (score.asked, score.unreadable) == (0, 0)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(AWKWARD))
def test_on_all_awkward_functions(name, record_property):
    score = score_of(*AWKWARD[name]())
    record_property("pairs", score.pairs)
    assert score.disagreements == []


@pytest.mark.slow
@pytest.mark.skipif(not (SHARED / "models.py").exists(), reason="needs ../shared/models")
def test_on_all_models(record_property):
    """`bench/agreement.py` prints how many pairs were tried, function by function and model by model."""
    models = load(SHARED / "models.py")
    total = Score()
    for name in models.MODELS:
        model, inputs = models.make(name)
        score = score_of(model, [()], gradients=False, **inputs)
        assert score.disagreements == [], name
        total.pairs += score.pairs
        total.held += score.held
        record_property(f"pairs of {name}", score.pairs)
    assert total.pairs > 60_000
    assert total.held > 1_500
