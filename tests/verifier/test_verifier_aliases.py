"""What the verifier makes of variables that share lists, tuples and dicts; `bench/aliases.py` goes on for longer."""

from __future__ import annotations

import warnings

import pytest

from generated_aliases import Made, differ, pairs_of
from unjit.verifier import Verdict, compare

SEEDS = range(120)


@pytest.fixture(scope="module")
def pairs() -> list[tuple[Made, Made]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return [pair for seed in SEEDS for pair in pairs_of(seed)]


def test_what_is_accepted_shows_the_same(pairs: list[tuple[Made, Made]]) -> None:
    accepted = [pair for pair in pairs if compare(pair[0].code, pair[1].code).verdict is not Verdict.DIFFERENT]
    assert len(accepted) > 50
    for one, other in accepted:
        assert not differ(one, other), f"{one.text}\n--\n{other.text}"


def test_the_judge_tells_most_changes(pairs: list[tuple[Made, Made]]) -> None:
    assert sum(differ(one, other) for one, other in pairs) > len(pairs) // 3
