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
from unjit.model import Unknown
from unjit.torch_private.compiled_graphs.operations import name_of_result
from unjit.torch_private.guard_trees.guard_costs import guards_on, source_of
from unjit.torch_private.probes import install_probes, probes
from unjit.torch_private.probes.probe import Probe, torch_version
from unjit.torch_private.probes.probes import PROBES

READING = [probe for probe in PROBES if probe not in vars(install_probes).values()]  # the others change Dynamo's cache
IMPORTANT = {"CacheEntry.code", "torch._C._dynamo.eval_frame._debug_get_cache_entry_list"}


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


@pytest.mark.skipif(
    not torch.__version__.startswith("2.13"), reason="the table is checked on the torch that CI runs on"
)
@pytest.mark.parametrize("probe", [p for p in PROBES if not p.is_attribute], ids=by_name)
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
    get, of = Probe.get, Probe.of
    monkeypatch.setattr(Probe, "get", lambda self: self.missing() if self.name == probe.name else get(self))
    monkeypatch.setattr(Probe, "of", lambda self, owner: self.missing() if self.name == probe.name else of(self, owner))
    call = Probe.call_on
    same = {probe.name}
    monkeypatch.setattr(Probe, "call_on", lambda self, *on: self.missing() if self.name in same else call(self, *on))
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
    listed = (Path(__file__).parents[1] / "docs" / "private-names.md").read_text()
    rows = [f"| `{probe.name}` | {probe.purpose} | {probe.loss} |" for probe in PROBES]
    assert [row for row in rows if row not in listed] == []


def test_a_count_that_cannot_be_had_is_not_zero(monkeypatch):
    monkeypatch.setattr(Probe, "call_on", lambda self, *_on: self.missing())
    assert guards_on([object()]) == probes.NODE_LEAVES.missing()
    assert source_of(object()) == probes.NODE_SOURCE.missing()


def test_an_operation_without_a_schema_says_what_is_missing():
    assert name_of_result(torch.ops.aten.max.dim, 1) == "indices"
    assert "no OpOverload._schema" in str(name_of_result(object(), 0))
    assert "IndexError" in str(name_of_result(torch.ops.aten.add.Tensor, 5))
