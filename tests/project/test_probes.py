"""Private names: all there on the torch that we test with, and a plain answer where one is not."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import torch
import torch._dynamo
import torch._inductor.compile_fx

import unjit
from unjit.errors import Unsupported
from unjit.model import Unknown
from unjit.torch_private.calling.begun_frames import leave_alone
from unjit.torch_private.calling.debuggers import leave_debuggers_alone
from unjit.torch_private.compiled_graphs.operations import name_of_result
from unjit.torch_private.guard_trees.guard_costs import guards_on, source_of
from unjit.torch_private.guard_trees.state import global_state, keys_named
from unjit.torch_private.probes import cache_probes, guard_probes, install_probes, state_probes
from unjit.torch_private.probes.probe import Probe, torch_version
from unjit.torch_private.probes.table import PROBES

READING = [probe for probe in PROBES if probe not in vars(install_probes).values()]  # the others change Dynamo's cache
IMPORTANT = {"CacheEntry.code", "torch._C._dynamo.eval_frame._debug_get_cache_entry_list"}


LATER = {"torch._dynamo.output_graph.noop_graph_call"}  # came with torch 2.15


def by_name(probe):
    return probe.name


def program():
    torch._dynamo.reset()

    def f(x, k):
        x = x + k
        torch._dynamo.graph_break()
        return x * 2

    compiled = torch.compile(f, backend="eager")
    compiled(torch.ones(3), 1)
    compiled(torch.ones(4), 2)
    return compiled


def take_away(monkeypatch, probe):
    """As in a torch that does not have the name."""
    for asked in ("get", "of", "call_on"):
        own = getattr(Probe, asked)
        monkeypatch.setattr(
            Probe,
            asked,
            lambda self, *on, own=own: self.missing() if self.name == probe.name else own(self, *on),
        )


@pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the table is checked on the torch that CI runs on"
)
@pytest.mark.parametrize("probe", [p for p in PROBES if not p.is_attribute and p.name not in LATER], ids=by_name)
def test_the_name_exists(probe):
    program()
    assert not isinstance(probe.get(), Unknown)


@pytest.mark.parametrize("probe", PROBES, ids=by_name)
def test_says_what_for_and_what_is_lost(probe):
    assert probe.purpose
    assert probe.loss
    assert torch.__version__ in str(probe.missing())


def test_names_are_unique():
    assert len({probe.name for probe in PROBES}) == len(PROBES)


@pytest.mark.parametrize("probe", READING, ids=by_name)
def test_without_one_name_the_rest_is_still_told(probe, monkeypatch):
    compiled = program()
    whole = unjit.explain(compiled)
    take_away(monkeypatch, probe)
    if probe.name == "compiled._torchdynamo_orig_callable":
        compiled = unjit.explain  # the original is out of reach: any function must do
    partial = unjit.explain(compiled)
    assert str(partial)
    assert type(partial.report).from_dict(partial.to_dict()) == partial.report
    if probe.name not in IMPORTANT and compiled is not unjit.explain:
        assert len(partial.entries) == len(whole.entries)


def test_a_call_that_raises_gives_a_reason():
    probe = Probe("torch.tensor", "test", "nothing")
    assert "torch.tensor raised" in str(probe.call(object()))


def test_a_version_that_raises_is_told_and_not_raised(monkeypatch):
    class Raising:
        def __getattr__(self, name):
            raise RuntimeError("ours")

    monkeypatch.setitem(sys.modules, "torch", Raising())
    assert torch_version() == "of unknown version (RuntimeError: ours)"
    assert isinstance(Probe("torch.gone.part", "purpose", "loss").get(), Unknown)


def test_explain_without_torch_says_so():
    code = "import unjit, sys\ndef f(): return 1\nprint(unjit.explain(f)); sys.exit('torch' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert "torch is not imported" in done.stdout


def test_each_private_name_stands_in_the_list_for_torchs_authors():
    listed = (Path(__file__).parents[2] / "docs" / "private-names.md").read_text()
    rows = [f"| `{probe.name}` | {probe.purpose} | {probe.loss} |" for probe in PROBES]
    assert [row for row in rows if row not in listed] == []


def test_a_count_that_cannot_be_had_is_not_zero(monkeypatch):
    monkeypatch.setattr(Probe, "call_on", lambda self, *_on: self.missing())
    assert guards_on([object()]) == guard_probes.NODE_LEAVES.missing()
    assert source_of(object()) == guard_probes.NODE_SOURCE.missing()


def test_an_operation_without_a_schema_says_what_is_missing():
    assert name_of_result(torch.ops.aten.max.dim, 1) == "indices"
    assert "no OpOverload._schema" in str(name_of_result(object(), 0))
    assert "IndexError" in str(name_of_result(torch.ops.aten.add.Tensor, 5))


ASKING = (guard_probes.CHECK_VERBOSE, guard_probes.ANSWER_HOLDS, guard_probes.ANSWER_PARTS)


@pytest.mark.parametrize("probe", ASKING, ids=by_name)
def test_guards_whose_answer_torch_does_not_tell_raise_what_is_missing(probe, monkeypatch):
    compiled = program()
    entry = unjit.explain(compiled).entries[0]
    take_away(monkeypatch, probe)
    with pytest.raises(Unsupported, match=probe.name):
        entry.check(torch.ones(3), 1)


@pytest.mark.parametrize("probe", [state_probes.KEY_BITS, state_probes.KEYS_OF_BITS], ids=by_name)
def test_a_condition_that_cannot_be_asked_is_no_answer(probe, monkeypatch):
    """An exception in a condition counts as a no, which would be wrong: the guards do hold."""
    compiled = program()
    guards = unjit.explain(compiled).entries[0].guards
    assert guards.predicate(guards.frame(torch.ones(3), 1))
    keys_named.cache_clear()
    take_away(monkeypatch, probe)
    with pytest.raises(Unsupported, match=probe.name):
        guards.predicate(guards.frame(torch.ones(3), 1))


@pytest.mark.parametrize("probe", [state_probes.GLOBAL_SETTINGS], ids=by_name)
def test_settings_that_torch_does_not_tell_are_missing(probe, monkeypatch):
    assert "grad_mode" in global_state()
    take_away(monkeypatch, probe)
    with pytest.raises(Unsupported, match=probe.name):
        global_state()


@pytest.mark.parametrize("probe", [install_probes.ACTION_DEFAULT, install_probes.ACTION_SKIP], ids=by_name)
def test_a_debugger_goes_on_where_dynamo_cannot_be_told_to_leave_it_alone(probe, monkeypatch):
    take_away(monkeypatch, probe)
    leave_debuggers_alone()()
    assert isinstance(leave_alone(), Unknown) is (probe is install_probes.ACTION_DEFAULT)


@pytest.mark.parametrize("probe", [install_probes.NODE_KIND, install_probes.ACTION_SKIP], ids=by_name)
def test_an_entry_that_cannot_be_put_into_the_cache_says_why(probe, monkeypatch):
    compiled = program()
    entry = unjit.explain(compiled).entries[0]
    take_away(monkeypatch, probe)
    with pytest.raises(Unsupported, match=probe.name):
        entry.copy().install("cache")


class Wordless(Exception):
    def __str__(self):
        raise RuntimeError("it has no words")


class Raising:
    @property
    def guard_manager(self):
        raise Wordless


def test_what_raises_an_error_without_words_is_an_unknown_all_the_same():
    found = cache_probes.ENTRY_GUARDS.of(Raising())
    assert found == Unknown("CacheEntry.guard_manager raised Wordless")
