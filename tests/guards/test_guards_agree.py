"""The generated guard function and Dynamo's own guards give the same answers; see agreement.py."""

from __future__ import annotations

import pytest

from agreement import Score, score_of
from corpus import AWKWARD, NO_SHARED, models
from needs import needs_dict_sizes

QUICK = [  # together they have every kind of guard and of accessor that the awkward functions have
    "branch_on_data", "global_side_effects", "all_kinds_of_parameters", "dynamic_shapes_of_two_dimensions",
    "int_and_str_arguments_recompile", "match_statement", "module_hooks_of_all_kinds", "higher_order_operators",
    "dataclasses_and_namedtuples_changed", "generators_across_a_break", "object_attributes_changed",
]  # fmt: skip


SEEN_ONCE = {"global_side_effects", "all_kinds_of_parameters"}  # the calls change what their guards look at


def marked(name):
    return pytest.param(name, marks=needs_dict_sizes) if name == "module_hooks_of_all_kinds" else name


@pytest.mark.parametrize("name", [marked(name) for name in QUICK if name in AWKWARD])
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
@pytest.mark.skipif(models is None, reason=NO_SHARED)
def test_on_all_models(record_property):
    """`bench/agreement.py` prints how many pairs were tried, function by function and model by model."""
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
