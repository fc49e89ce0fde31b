"""The question from the forum, end to end: an entry copied, changed, run by hand, put into Dynamo's cache."""

from __future__ import annotations

import subprocess
import sys
import warnings
from pathlib import Path

import pytest
import torch
import torch._dynamo

import unjit
from needs import lacking, needs
from unjit import rewrite
from unjit.torch_private.probes import cache_probes, install_probes

ROOT = Path(__file__).resolve().parents[2]
eval_frame = torch._C._dynamo.eval_frame
pytestmark = needs(cache_probes.PRECOMPILE_ENTRIES)
POSITIONS = ["first", "cache"] if not lacking(install_probes.SET_REGION) else ["first"]


def valid_entries(compiled):
    return [(e.data.kind, e.compile_id) for e in unjit.explain(compiled).entries if e.data.invalid is None]


@pytest.mark.parametrize("backend", ["eager", "aot_eager", "inductor"])
def test_the_forum_s_case(backend):
    """A closure with a graph break, dynamic shapes and a backward; the first part and its resume function rewritten."""
    torch._dynamo.reset()
    scale = torch.tensor(5.0, requires_grad=True)

    def f(x, k=1):
        y = x * scale * k
        if y.sum() < 0:
            return y - 100
        return y + 10

    compiled = torch.compile(f, backend=backend, dynamic=True)
    small, large = torch.ones(3), torch.ones(7)
    for x in (small, -small):
        compiled(x)
    entry = unjit.explain(compiled).entries[0]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        new = entry.copy(guards=[rewrite.drop("k"), "x.shape[0] >= 5"])
    new = new.edit(new.code.source.replace("graph_out_0[1]", "graph_out_0[1] * 2"))
    assert [entry.check(small), entry.check(large, k=1.5), new.check(small), new.check(large, k=1.5)] == [
        True, False, False, True,
    ]  # fmt: skip
    assert (entry.run(small)[0].item(), new.run(small)[0].item()) == (15, 20)
    resume = next(e for e in entry.resume_functions if e.entries and e.entries[0].data.graphs).entries[0]
    for position in POSITIONS:
        before = valid_entries(compiled)
        with unjit.count_calls(), new.install(position):
            out = compiled(large)
            (gradient,) = torch.autograd.grad(out.sum(), scale)
            assert (out[0].item(), gradient.item()) == (20, 14)
            assert compiled(small)[0].item() == 15
            runs = [(e.data.kind, e.hits) for e in unjit.explain(compiled).entries if e.hits]
            assert sorted(runs) == [("cache entry", 1), ("installed", 1)]
        assert compiled(large)[0].item() == 15
        assert valid_entries(compiled) == before
    changed = resume.copy().with_graph_output(0, "_ + 1")
    with changed.install():
        assert [compiled(x)[0].item() for x in (small, -small)] in ([16, -105], [15, -104])
    assert [compiled(x)[0].item() for x in (small, -small)] == [15, -105]


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)

    def forward(self, x, **options):
        x = torch.relu(self.inner(x))
        torch._dynamo.graph_break()
        return x * options.get("scale", 1)


@pytest.mark.parametrize("position", POSITIONS)
def test_a_module_with_a_break_and_every_part_of_it(position):
    torch._dynamo.reset()
    net = Net()
    compiled = torch.compile(net, backend="aot_eager")
    x = torch.randn(2, 4)
    wanted = compiled(x, scale=3)
    explained = unjit.explain(compiled)
    handles = [entry.copy().install(position) for function in explained.functions for entry in function.entries]
    assert len(handles) >= 2
    with unjit.count_calls() as counted:
        assert torch.equal(compiled(x, scale=3), wanted)
    assert counted.tally.total() == len(handles)
    assert {e.data.kind for f in unjit.explain(compiled).functions for e in f.entries if e.hits} == {"installed"}
    for handle in handles:
        handle.remove()
    assert unjit.installed(compiled) == []


def test_the_example_runs():
    done = subprocess.run(
        [sys.executable, str(ROOT / "examples" / "rewrite_entry.py")],
        capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    said = [line.split()[-1] for line in done.stdout.splitlines() if line.startswith("compiled, ")]
    assert said == ["100.0", "1.0", "1.0", "9.0"]
    assert [line for line in done.stderr.splitlines() if "triton not found" not in line] == []  # torch 2.15 says that
