"""Copies of cache entries put into the cache of Dynamo, listed, explained and taken out again."""

from __future__ import annotations

import subprocess
import sys
import textwrap
import warnings

import pytest
import torch
import torch._dynamo

import unjit
from entries import ERRORS, X, Y, closure, compiled, value
from needs import needs
from unjit.errors import Gone, Unsupported
from unjit.torch_private.probes import cache_probes, call_probes, install_probes
from unjit.torch_private.probes.probe import Probe

pytestmark = [pytest.mark.usefixtures("nothing_compiled"), needs(cache_probes.PRECOMPILE_ENTRIES), ERRORS]
POSITIONS = ["first", pytest.param("cache", marks=needs(install_probes.SET_REGION))]


@pytest.mark.parametrize("position", POSITIONS)
def test_what_is_installed_is_listed_explained_and_removed(position):
    made, entry = compiled(closure(), (X,), dynamic=False)
    new = entry.copy(code=entry.code.source.replace("return _t", "return -_t"))
    with new.install(position) as handle:
        assert value(made(X)) == -6
        assert (unjit.installed(made), unjit.installed()) == ([handle], [handle])
        assert handle.is_installed
        (shown,) = [e for e in unjit.explain(made).entries if e.data.kind == "installed"]
        assert shown.data.code.verdict in ("equivalent", "identical")
        assert value(shown.run(X)) == -6
        assert "installed, compile unknown (it was installed, not compiled)" in str(unjit.explain(made))
        assert "entry number 1 (compile unknown: it was installed, not compiled; " in str(unjit.why(made, X))
    assert value(made(X)) == 6
    assert unjit.installed(made) == []
    assert (handle.reason, handle.is_installed) == ("it was removed", False)


def test_a_condition_that_was_added_is_shown_among_those_on_arguments():
    made, entry = compiled(closure(), (X,), dynamic=False)
    with entry.copy(guards="x.shape[0] == 7").install():
        (shown,) = [e for e in unjit.explain(made).entries if e.data.kind == "installed"]
        assert [g.topic for g in shown.guards if g.condition == "x.shape[0] == 7"] == ["arguments"]
        assert "shapes" not in [group.topic for group in shown.guards.groups()]


@needs(call_probes.SET_CALL_HOOK)
def test_call_counts_tell_which_entry_ran():
    made, entry = compiled(closure(), (X,), (Y,))
    with unjit.count_calls(), entry.copy(guards="x.shape[0] == 7", code=entry.code.recompile()).install():
        for x in (X, Y, X):
            made(x)
        hits = {e.data.kind: e.hits for e in unjit.explain(made).entries if e.hits}
    assert hits == {"installed": 1, "cache entry": 2}


def test_a_reset_that_is_refused_leaves_the_entry_installed():
    made, entry = compiled(closure(), (X,))
    done = []

    def resets(k):
        if not done:
            done.append(k)
            unjit.reset(function)
        return True

    function = made._torchdynamo_orig_callable
    with entry.copy(guards=resets).install() as handle:
        with pytest.warns(RuntimeWarning, match="a condition of an entry is being asked"):
            made(X)
        assert (handle.is_installed, handle.reason) == (True, None)


def test_what_torch_resets_says_so():
    _, entry = compiled(closure(), (X,))
    handle = entry.copy().install()
    torch._dynamo.reset()
    assert "torch._dynamo.reset()" in repr(handle)
    handle.remove()


def test_what_is_installed_after_a_reset_is_listed_though_dynamo_saw_nothing_since():
    made, entry = compiled(closure(), (X,))
    new = entry.copy()
    torch._dynamo.reset()
    with new.install() as handle:
        assert value(made(X)) == 6
        assert unjit.installed() == [handle]
    assert unjit.installed() == []


@pytest.mark.parametrize("position", POSITIONS)
def test_invalidate_takes_out_what_was_installed(position):
    made, entry = compiled(closure(), (X,))
    handle = entry.copy().install(position)
    ours = unjit.explain(made).entries[0]
    ours.invalidate()
    assert not handle.is_installed
    assert handle.reason == "it was invalidated by unjit"
    with pytest.raises(Gone):
        ours.check(X)
    assert [e.compile_id for e in unjit.explain(made).entries if e.data.invalid is None] == [entry.compile_id]


def test_invalidate_takes_out_one_entry_and_reset_all_of_a_function():
    def f(x, k):
        x = x + k
        torch._dynamo.graph_break()
        return x * 2

    other, _ = compiled(closure(), (X,))
    made, entry = compiled(f, (X, 1), (X, 2.5))
    kept = unjit.explain(made).entries[1]
    entry.invalidate()
    assert [e.data.invalid is None for e in unjit.explain(made).entries] == [True, False]
    assert kept.check(X, 1)
    with pytest.raises(Gone, match="invalidated or removed"):
        entry.invalidate()
    handle = kept.copy().install()
    unjit.reset(made)
    assert "unjit.reset" in str(handle.reason)
    assert unjit.explain(made).entries == []
    assert all(not function.entries for function in unjit.explain(made).functions)
    assert len(unjit.explain(other).entries) == 1
    assert value(made(X, 1)) == 4


def test_dispatch_runs_the_entry_that_the_rule_chooses():
    made, _ = compiled(closure(), (X,), (X, 2), dynamic=False)
    by_k = {2: 0, 1: 1}
    routed = unjit.dispatch(made, lambda x, k=1: by_k.get(k))
    assert [value(routed(X, k)) for k in (1, 2, 3)] == [6, 7, 8]
    assert value(unjit.dispatch(made, lambda x: routed.entries[0])(X)) in (6, 7)
    with pytest.raises(unjit.UnjitError, match="the chooser answered 9"):
        unjit.dispatch(made, lambda x: 9)(X)
    with pytest.raises(unjit.UnjitError, match="no cache entries yet"):
        unjit.dispatch(lambda x: x, lambda x: None)
    unjit.reset(made)
    with pytest.raises(Gone):
        routed(X)


def test_an_older_torch_is_refused_plainly(monkeypatch):
    _, entry = compiled(closure(), (X,))
    get = Probe.get
    monkeypatch.setattr(Probe, "get", lambda self: self.missing() if "precompile" in self.name else get(self))
    with pytest.raises(Unsupported, match=r"has no .*_load_precompile_entry: .* \(torch 2.9 and newer can\)"):
        entry.copy().install()
    with pytest.raises(unjit.UnjitError, match="position is 'first' or 'cache'"):
        entry.copy().install("last")


def test_a_copy_outlives_its_entry():
    made, entry = compiled(closure(), (X,))
    new = entry.copy()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        entry.invalidate()
    with new.install():
        assert unjit.installed(made)
        assert value(made(X)) == 6
        assert [e.data.invalid is None for e in unjit.explain(made).entries] == [True, False]


def test_a_copy_that_lives_to_the_end_of_the_process_says_nothing_there(tmp_path):
    program = """
        import torch, unjit
        def f(x):
            y = x + 1
            torch._dynamo.graph_break()
            return y
        compiled = torch.compile(f, backend="eager")
        compiled(torch.ones(3))
        copy = unjit.explain(compiled).entries[0].copy()
    """
    (tmp_path / "program.py").write_text(textwrap.dedent(program))
    done = subprocess.run([sys.executable, tmp_path / "program.py"], check=True, capture_output=True, text=True)
    assert [line for line in done.stderr.splitlines() if "triton not found" not in line] == []  # torch 2.15 says that
