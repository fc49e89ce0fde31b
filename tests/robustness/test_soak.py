"""Many compiles leave nothing behind: bench/soak.py measures the memory of many more."""

from __future__ import annotations

import itertools
import sys

import pytest
import torch

import soaking
import unjit

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="counts what /proc shows")


@pytest.fixture(autouse=True)
def reset():
    torch._dynamo.reset()
    yield
    torch._dynamo.reset()


def test_captures_and_recorders_one_after_the_other_leave_nothing(tmp_path):
    numbers = itertools.count()
    seen = []
    before = soaking.held()["recorders"]
    for chosen in (soaking.functions(3) for _ in range(3)):
        with soaking.captured(tmp_path, numbers), soaking.recorded(), unjit.capture() as inner:
            soaking.compile_all(chosen, range(2, 4))
        assert len(inner.compiles) == 8
        del inner
        torch._dynamo.reset()
        seen.append(soaking.held())
    assert seen[1:] == seen[:1] * 2
    assert seen[0]["recorders"] == before


def test_eight_threads_compile_call_and_ask_at_once(tmp_path):
    with unjit.capture(tmp_path / "out") as session:
        soaking.threads(8, soaking.functions(3), range(2, 4))
    assert session.losses == ()
    assert {function.key for function in session.functions} >= {"soaked_0", "soaked_1", "soaked_2"}
