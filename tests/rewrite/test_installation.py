"""Entries of ours in Dynamo's cache, at the level of torch's private parts: put in, found, taken, taken out."""

from __future__ import annotations

import gc
import sys
import threading

import pytest
import torch
import torch._dynamo
from torch._dynamo.guards import GuardManagerWrapper

from needs import lacking, needs, since
from traced import traced_by
from unjit.model import Unknown
from unjit.torch_private.cache.entries import entries_of
from unjit.torch_private.guard_trees.answers import verbose_answer
from unjit.torch_private.guard_trees.guard_copies import copy_guards, new_guards
from unjit.torch_private.installing.asking import supposing_conditions_hold
from unjit.torch_private.installing.installation import Installed, install_first, installed_first
from unjit.torch_private.installing.looking import others_may_be_looking
from unjit.torch_private.installing.registration import install_in_cache, like_entry_of
from unjit.torch_private.installing.removal import invalidate, remove, reset
from unjit.torch_private.probes import cache_probes, install_probes
from unjit.torch_private.probes.probe import Probe

eval_frame = torch._C._dynamo.eval_frame
pytestmark = needs(cache_probes.PRECOMPILE_ENTRIES)
needs_region = needs(install_probes.SET_REGION)
POSITIONS = ["first", pytest.param("cache", marks=needs_region)]
X = torch.ones(3)


def function():
    """A new function for each test, with one entry, its code, and the guards of the entry."""
    torch._dynamo.reset()

    def f(x, k=1):
        return x * k

    compiled = torch.compile(f, backend="eager", dynamic=False)
    compiled(X)
    (entry,) = entries_of(f.__code__)
    return compiled, f.__code__, entry.guard_manager


def times(factor):
    """Other code of the same frame."""
    names = {}
    exec(f"def f(x, k=1):\n    return x * {factor}", names)
    return names["f"].__code__


def first(owner, code, guards):
    return install_first(Installed(owner, code, guards))


def in_cache(owner, code, guards, like):
    return install_in_cache(Installed(owner, code, guards, "cache"), like)


def install(owner, code, guards, position, like):
    if position == "first":
        return first(owner, code, guards)
    return in_cache(owner, code, guards, like_entry_of(like))


@pytest.mark.parametrize("position", POSITIONS)
def test_is_taken_where_its_guards_hold_and_gone_when_removed(position):
    compiled, owner, guards = function()
    made = install(owner, times(100), copy_guards(guards), position, guards)
    assert compiled(X)[0] == 100
    assert compiled(torch.ones(4))[0] == 1
    assert compiled(X)[0] == 100, "a recompile does not take it out"
    assert remove(made, "enough") is None
    assert (compiled(X)[0], installed_first(owner), str(made.switch.reason)) == (1, [], "enough")
    assert [e.invalid for e in entries_of(owner) if e.invalid] == (["enough"] if position == "cache" else [])


@pytest.mark.parametrize("position", POSITIONS)
def test_conditions_are_asked_with_the_arguments_after_all_guards(position):
    compiled, owner, guards = function()
    asked = []
    copy = copy_guards(guards, conditions=[(lambda frame: asked.append(dict(frame)) or frame["k"] == 1, "k == 1")])
    install(owner, times(100), copy, position, guards)
    assert compiled(X)[0] == 100
    assert compiled(X, k=2)[0] == 2
    assert [sorted(frame) for frame in asked] == [["k", "x"]], "k == 2 fails a guard: the condition is not asked"


def test_a_condition_is_supposed_to_hold_for_locals_of_no_frame_and_asked_of_all_others():
    compiled, owner, guards = function()
    asked = []
    copy = copy_guards(guards, conditions=[(lambda frame: asked.append(dict(frame)), "no")])
    install(owner, times(100), copy, "first", guards)
    stand_in = {"x": X, "k": 1}
    with supposing_conditions_hold(stand_in):
        assert (verbose_answer(copy.manager, stand_in).holds, asked) == (True, [])
        assert compiled(X)[0] == 1, "what runs meanwhile in this thread, as a finalizer may"
    assert len(asked) == 1
    assert verbose_answer(copy.manager, stand_in).holds is False


@pytest.mark.parametrize("position", POSITIONS)
def test_a_source_can_be_dropped(position):
    compiled, owner, guards = function()
    install(owner, times(100), copy_guards(guards, lambda source: source != "L['k']"), position, guards)
    assert compiled(X, k=2)[0] == 100
    assert compiled(torch.ones(4), k=2)[0] == 2


def test_dropping_everything_leaves_a_root_that_the_conditions_decide():
    compiled, owner, guards = function()
    copy = copy_guards(guards, lambda _source: False, [(lambda frame: frame["k"] == 7, "k == 7")])
    first(owner, times(100), copy)
    assert [compiled(X, k)[0] for k in (1, 7)] == [1, 100]


def test_a_whole_new_set():
    compiled, owner, guards = function()
    first(owner, times(100), new_guards(guards, [(lambda frame: frame["x"].dim() == 2, "x.dim() == 2")]))
    assert [compiled(x).flatten()[0] for x in (X, torch.ones(2, 2))] == [1, 100]


def test_the_newest_is_tried_first_and_others_stay_when_one_goes():
    compiled, owner, guards = function()
    handles = [first(owner, times(factor), copy_guards(guards)) for factor in (10, 20, 30)]
    assert (compiled(X)[0], len(installed_first(owner))) == (30, 3)
    remove(handles[1], "done")
    assert (compiled(X)[0], installed_first(owner)) == (30, [handles[2], handles[0]])
    remove(handles[2], "done")
    assert compiled(X)[0] == 10


def test_a_thread_that_calls_no_compiled_code_is_in_nobodys_way():
    compiled, owner, guards = function()
    wait = threading.Event()
    thread = threading.Thread(target=wait.wait)
    thread.start()
    try:
        remove(first(owner, times(100), copy_guards(guards)), "done")
        assert eval_frame._debug_get_precompile_entries(owner) == []
    finally:
        wait.set()
        thread.join()
    assert compiled(X)[0] == 1


def test_while_a_thread_calls_compiled_code_an_entry_is_switched_off_and_leaves_later():
    compiled, owner, guards = function()
    asked, go_on = threading.Event(), threading.Event()

    def decide(_frame):
        asked.set()
        return go_on.wait(10)

    waiting = first(owner, times(100), copy_guards(guards, None, [(decide, "wait")]))
    made = first(owner, times(10), copy_guards(guards, lambda _source: True, [(lambda _frame: False, "never")]))
    thread = threading.Thread(target=compiled, args=(X,))
    thread.start()
    try:
        assert asked.wait(10)
        assert others_may_be_looking()
        remove(made, "done")
        assert made not in installed_first(owner)
        assert len(eval_frame._debug_get_precompile_entries(owner)) == 2
    finally:
        go_on.set()
        thread.join()
    remove(waiting, "done")
    assert eval_frame._debug_get_precompile_entries(owner) == []


def test_a_stranger_s_entry_stays_and_ours_is_only_switched_off():
    compiled, owner, guards = function()
    stranger = GuardManagerWrapper(guards.root.clone_manager(lambda _node: True))
    made = first(owner, times(100), copy_guards(guards))
    eval_frame._load_precompile_entry(owner, stranger, times(5))
    remove(made, "done")
    assert compiled(X)[0] == 5
    assert [e.guard_manager for e in eval_frame._debug_get_precompile_entries(owner)][-1] is stranger


def test_a_copy_of_a_copy_has_a_switch_of_its_own():
    compiled, owner, guards = function()
    older = first(owner, times(10), copy_guards(guards))
    newer = first(owner, times(20), copy_guards(older.guards.manager))
    remove(older, "done")
    assert compiled(X)[0] == 20
    assert newer.switch.is_on


@pytest.mark.skipif(not since("2.13"), reason="guards there compare the two objects and keep no address")
@pytest.mark.skipif(sys.version_info[:2] == (3, 12), reason="on Python 3.12 torch keeps a class alive that it guarded")
@pytest.mark.parametrize("position", POSITIONS)
def test_an_object_that_dies_takes_the_entry_with_it(position):
    """A guard on identity keeps the address alone, and another object may come to lie there."""
    torch._dynamo.reset()

    class Config:
        pass

    def f(x, config):
        return x + 1 if config is chosen else x  # noqa: F821  (it is deleted below)

    chosen = Config()
    compiled = torch.compile(f, backend="eager", dynamic=False)
    compiled(X, chosen)
    manager = entries_of(f.__code__)[0].guard_manager
    copy = copy_guards(manager)
    assert copy.switch.watched
    names = {}
    exec(
        "def o():\n    chosen = 1\n    def f(x, config):\n        return x * 100 if chosen else 0\n    return f", names
    )
    made = install(f.__code__, names["o"]().__code__, copy, position, manager)
    assert compiled(X, chosen)[0] == 100
    del chosen, Config
    gc.collect()
    assert not made.switch.is_on
    assert "type whose identity" in str(made.switch.reason)


def test_an_entry_can_be_invalidated_and_a_function_reset():
    _, owner, guards = function()
    assert invalidate(guards, "by hand") is None
    assert [entry.invalid for entry in entries_of(owner)] == ["by hand"]
    assert isinstance(invalidate(guards, "again"), Unknown)
    assert reset(owner) is None
    assert entries_of(owner) == []


def test_torch_s_reset_takes_ours_out_too():
    _, owner, guards = function()
    first(owner, times(100), copy_guards(guards))
    torch._dynamo.reset()
    assert installed_first(owner) == []
    assert entries_of(owner) == []


@needs_region
def test_registering_runs_nothing_and_restores_the_tracing_function():
    ran = []
    torch._dynamo.reset()

    def f(x, *rest, k, **others):
        ran.append(1)
        return x + k

    compiled = torch.compile(f, backend="eager", dynamic=False)
    compiled(X, k=1)
    ran.clear()
    manager = entries_of(f.__code__)[0].guard_manager

    def traced(_frame, _event, _arg):
        return None

    import sys

    with traced_by(traced):
        entry = entries_of(f.__code__)[0]
        made = in_cache(f.__code__, entry.code, copy_guards(manager), like_entry_of(manager))
        after = sys.gettrace()
    assert (ran, after) == ([], traced)
    assert made.switch.is_on
    assert len(entries_of(f.__code__)) == 2
    assert compiled(X, k=1)[0] == 2


@needs_region
def test_a_function_that_dynamo_gave_up_on_is_refused():
    compiled, owner, guards = function()
    with torch._dynamo.config.patch(cache_size_limit=2):
        for size in (4, 5, 6, 7):
            compiled(torch.ones(size))
    answer = in_cache(owner, times(100), copy_guards(guards), like_entry_of(guards))
    assert "recompile limit" in str(answer)
    assert compiled(X)[0] == 1


def test_the_next_recompile_says_why_ours_did_not_fit():
    compiled, owner, guards = function()
    copy = copy_guards(guards, conditions=[(lambda frame: frame["k"] == 5, "k == 5")])
    if isinstance(install(owner, times(100), copy, "cache", guards), Unknown):
        pytest.skip("torch 2.13 and newer can do it")
    compiled(torch.ones(5))
    assert compiled(torch.ones(6))[0] == 1


WITHOUT_REGIONS = lacking(install_probes.SET_REGION)
PROBES = (cache_probes.PRECOMPILE_ENTRIES, *vars(install_probes).values())
NEEDED = [probe for probe in PROBES if isinstance(probe, Probe)]


@pytest.mark.parametrize("probe", NEEDED, ids=lambda probe: probe.name)
def test_a_torch_without_one_of_the_names_is_told_and_changes_nothing(probe, monkeypatch):
    if WITHOUT_REGIONS and probe.loss == install_probes.SET_REGION.loss:
        pytest.skip("another of these names is not there in any case")
    compiled, owner, guards = function()
    get, of = Probe.get, Probe.of
    monkeypatch.setattr(Probe, "get", lambda self: self.missing() if self is probe else get(self))
    monkeypatch.setattr(Probe, "of", lambda self, owner: self.missing() if self is probe else of(self, owner))
    call = Probe.call_on
    monkeypatch.setattr(Probe, "call_on", lambda self, *on: self.missing() if self is probe else call(self, *on))
    copy = copy_guards(guards, conditions=[(lambda _frame: True, "yes")])
    like = like_entry_of(guards)
    made = [copy, like, new_guards(guards, [])]
    if not isinstance(copy, Unknown):
        made.append(first(owner, times(100), copy))
    if not isinstance(copy, Unknown) and not isinstance(like, Unknown):
        made.append(in_cache(owner, times(100), copy_guards(guards), like))
    made += [remove(one, "done") for one in made if isinstance(one, Installed)]
    made += [invalidate(guards, "done"), reset(owner)]
    assert any(probe.name in str(answer) for answer in made if isinstance(answer, Unknown))
    assert compiled(X)[0] == 1
