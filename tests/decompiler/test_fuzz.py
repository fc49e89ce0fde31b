"""A little of bench/fuzz.py with fixed seeds: what is proved does the same, and nothing raises."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest

from behaviour import assert_same, behaviour, same
from fuzzing import WAYS, codes_of, difference, smallest, verdict_on

sys.path.append(str(Path(__file__).resolve().parents[2] / "bench"))
from watched import Worker

# How many seeds, and what share of their code may be opaque. Only ever lowered.
SEEDS = {"programs": (10, 0.3), "syntax": (30, 0.3), "rerooted": (15, 0.5), "graphs": (50, 0.0)}


@pytest.mark.parametrize("way", WAYS)
def test_generated_code_is_never_wrong(way):
    seeds, most_opaque = SEEDS[way]
    verdicts: Counter[str] = Counter()
    for seed in range(9000, 9000 + seeds):
        for number, code in enumerate(codes_of(way, seed)):
            verdict, reason = verdict_on(code)
            assert verdict in ("identical", "equivalent", "opaque"), f"{way} {seed} {number}: {verdict}: {reason}"
            verdicts[verdict] += 1
    assert verdicts["opaque"] <= most_opaque * verdicts.total()


def test_how_often_a_truth_is_asked_in_a_row_does_not_count():
    once, twice, later = (
        compile(f"def f(a, b):\n    if a:\n        {then}", "<f>", "exec").co_consts[0]
        for then in ("g(b)", "if a: g(b)", "g(b)\n        if a: pass")
    )
    with pytest.raises(AssertionError):
        assert_same(once, twice)
    assert difference(once, twice) is None
    assert difference(once, later) is not None


def test_what_a_run_does_once_it_took_too_long_does_not_count():
    text = "def f(a, b):\n    try:\n        while True:\n            pass\n    finally:\n        return g(a)\n"
    code = next(c for c in compile(text, "<f>", "exec").co_consts if hasattr(c, "co_code"))
    assert behaviour(code, 0) == ([], "went on", [])


def test_a_run_that_the_clock_ended_by_chance_is_given_more_time():
    """A slow machine, or one in the midst of other work, may need long for a run that causes few events."""
    text = "def f(a, b):\n    for i in range(20_000_000):\n        pass\n    return g(a)\n"
    slow = next(c for c in compile(text, "<f>", "exec").co_consts if hasattr(c, "co_code"))
    text = "def f(a, b):\n    for i in range(2):\n        pass\n    return g(a)\n"
    quick = next(c for c in compile(text, "<f>", "exec").co_consts if hasattr(c, "co_code"))
    assert behaviour(slow, 0)[1] == "went on"
    assert same(slow, quick, 0)


def test_a_failing_text_is_made_small():
    text = "def f(a, b):\n    if a:\n        g(b)\n        return a + b\n    return b\n"
    small = smallest(text, lambda code: "g" in code.co_names)
    assert len(small) < len("def f(a, b):\n    if a:\n        g(b)")
    assert "g" in small


WORKER = """
import functools, os, sys, time
sys.path.insert(0, {bench!r})
from watched import Answer, serve

def found(place, act):
    act()
    return Answer("toy", place, "identical")

ACTS = {{"fine": int, "dies": lambda: os._exit(3), "hangs": lambda: time.sleep(600), "last": int}}
def tasks_of(request):
    return [("toy", f"{{request}} {{name}}", functools.partial(found, name, act)) for name, act in ACTS.items()]

serve(tasks_of)
"""


def test_a_worker_that_dies_or_hangs_costs_one_answer(tmp_path):
    script = tmp_path / "worker.py"
    script.write_text(WORKER.format(bench=str(Path(__file__).resolve().parents[2] / "bench")))
    worker = Worker(str(script), limit=1)
    answers = [(answer.place, answer.verdict) for answer in worker.answers("all")]
    worker.end()
    assert answers == [("fine", "identical"), ("all dies", "crashed"), ("all hangs", "slow"), ("last", "identical")]
