"""Counting the runs of cache entries through torch's one slot."""

from __future__ import annotations

import gc
import subprocess
import sys
import threading

import pytest
import torch
import torch._dynamo

import unjit
from needs import needs
from unjit.torch_private.calling.calls import before_runs, call_hook, nobody_is_told
from unjit.torch_private.probes import call_probes
from unjit.torch_private.probes.probe import Probe

eval_frame = torch._C._dynamo.eval_frame
pytestmark = [
    pytest.mark.usefixtures("nothing_compiled"),
    needs(call_probes.SET_CALL_HOOK),
]


def scale(x, k):
    return x * k


def test_each_entry_has_its_own_count():
    compiled = torch.compile(scale, backend="eager", dynamic=False)
    with unjit.count_calls():
        for _ in range(3):
            compiled(torch.ones(2), 2.0)
        compiled(torch.ones(3), 2.0)
    compiled(torch.ones(3), 2.0)
    assert {e.guards is not None and e.hits for e in unjit.explain(scale).entries} == {3, 1}
    assert eval_frame.get_bytecode_debugger_callback() is None


def test_what_was_not_counted_is_unknown_and_what_did_not_run_is_0():
    compiled = torch.compile(scale, backend="eager", dynamic=False)
    compiled(torch.ones(2), 2.0)
    with unjit.count_calls():
        assert [entry.hits for entry in unjit.explain(scale).entries] == [0]
    compiled(torch.ones(3), 2.0)
    late, idle = unjit.explain(scale).entries
    assert idle.hits == 0
    assert "were not counted" in str(late.hits)


def test_counters_nest_and_pass_calls_on_to_who_had_the_slot():
    compiled = torch.compile(scale, backend="eager")
    seen = []
    eval_frame.set_bytecode_debugger_callback(seen.append)
    try:
        with unjit.count_calls() as outer:
            compiled(torch.ones(2), 2.0)
            with unjit.count_calls() as inner:
                compiled(torch.ones(2), 2.0)
            compiled(torch.ones(2), 2.0)
        assert (outer.tally.total(), inner.tally.total(), len(seen)) == (3, 1, 3)
        assert eval_frame.get_bytecode_debugger_callback() == seen.append
    finally:
        eval_frame.set_bytecode_debugger_callback(None)


def test_who_takes_the_slot_over_keeps_it():
    compiled = torch.compile(scale, backend="eager")
    later = []
    try:
        with unjit.count_calls():
            eval_frame.set_bytecode_debugger_callback(later.append)
        compiled(torch.ones(2), 2.0)
        assert len(later) == 1
    finally:
        eval_frame.set_bytecode_debugger_callback(None)


def test_code_is_not_kept_alive():
    with unjit.count_calls() as counter:
        compiled = torch.compile(lambda x: x + 1, backend="eager")
        compiled(torch.ones(2))
        torch._dynamo.reset()
        del compiled
        gc.collect()
        assert [reference() for reference in counter.tally._alive.values()] == [None]


def test_a_torch_without_the_slot_is_refused(monkeypatch):
    get = Probe.get
    monkeypatch.setattr(Probe, "get", lambda self: self.missing() if "debugger_callback" in self.name else get(self))
    with pytest.raises(unjit.UnjitError, match="calls cannot be counted"), unjit.count_calls():
        pass


def test_counting_is_not_compiled_itself():
    """Dynamo watches new frames while it tells that an entry runs: it compiled what counts, and numbered on."""
    compiled = torch.compile(scale, backend="eager", dynamic=False)
    for _ in range(2):
        torch._dynamo.reset()
        torch._dynamo.utils.counters.clear()
        with unjit.count_calls():
            compiled(torch.ones(3), 2)
            compiled(torch.ones(3), 2)
            torch._dynamo.reset()
            compiled(torch.ones(3), 2)
            compiled(torch.ones(3), 2)
        assert torch._dynamo.utils.counters["frames"] == {"total": 2, "ok": 2}


def test_whoever_ends_first_the_slot_is_as_before():
    before = call_hook()
    told = []
    ends = [before_runs(told.append), before_runs(told.append)]
    with unjit.count_calls():
        ends.pop(0)()
    torch.compile(scale, backend="eager")(torch.ones(2), 2)
    assert len(told) == 1
    ends.pop()()
    assert call_hook() is before


RING = """
import threading, torch, unjit
compiled = torch.compile(lambda x: x + 1, backend="eager")
compiled(torch.ones(2))
first = unjit.count_calls()
first.__enter__()
unjit.enable_logs()
first.__exit__(None, None, None)
with unjit.count_calls() as second:
    compiled(torch.ones(2))
print(second)
"""


def test_two_that_took_the_slot_over_from_each_other_are_each_told_once():
    """They passed calls on to each other without end, and C++ ended the process."""
    done = subprocess.run([sys.executable, "-c", RING], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "<unjit.count_calls: 1 run of cache entries>\n"), done.stderr[-300:]


def test_code_that_nobody_is_told_of_is_told_of_in_other_threads():
    compiled = torch.compile(scale, backend="eager")
    told = []
    end = before_runs(told.append)
    compiled(torch.ones(2), 2)
    with nobody_is_told(told[0]):
        begun = before_runs(told.append)  # as by another thread meanwhile
        compiled(torch.ones(2), 2)
        assert len(told) == 1
        other = threading.Thread(target=compiled, args=(torch.ones(2), 2))
        other.start()
        other.join()
        assert len(told) == 3
    compiled(torch.ones(2), 2)
    assert len(told) == 5
    begun()
    end()
    assert call_hook() is None
