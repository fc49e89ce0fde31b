"""What a forward graph keeps for its backward, held against what autograd has in fact."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import torch

import unjit
from needs import since
from unjit.artifacts.kept import kept
from unjit.model import Unknown
from unjit.render.captures.kept import kept_bytes, size_in_words

FILE = Path(__file__).name


class Attention(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.qkv, self.out = torch.nn.Linear(8, 24), torch.nn.Linear(8, 8)
        self.norm = torch.nn.LayerNorm(8)

    def forward(self, x):
        q, k, v = self.qkv(self.norm(x)).view(*x.shape[:2], 3, 2, 4).permute(2, 0, 3, 1, 4)
        weights = (q @ k.transpose(-1, -2)).softmax(-1)
        mixed = (weights @ v).transpose(1, 2).reshape(x.shape)
        return torch.nn.functional.dropout(self.out(mixed).sigmoid(), 0.5).sum()


def _compute(model, x, backend: str, **options) -> torch.Tensor:
    return torch.compile(model, backend=backend, **options)(x)


def _in_fact(result: torch.Tensor, inputs) -> dict[int, int]:
    """The bytes of each piece of memory that autograd keeps for a backward, but for that of inputs."""
    of_inputs = {one.untyped_storage().data_ptr() for one in inputs}
    storages = [one.untyped_storage() for one in result.grad_fn.saved_tensors]
    return {one.data_ptr(): one.nbytes() for one in storages if one.data_ptr() not in of_inputs}


@pytest.mark.parametrize("backend", ["aot_eager", "inductor"])
def test_it_is_what_autograd_keeps(backend, tmp_path, nothing_compiled):
    model, x = Attention(), torch.randn(2, 5, 8)
    with unjit.capture(tmp_path / "out"):
        result = _compute(model, x, backend)
    found = [one for one in unjit.load(tmp_path / "out").data.compiles if one.kept]
    ((whole,),) = (one.kept for one in found)
    assert kept_bytes(whole) == sum(_in_fact(result, [x, *model.parameters()]).values())
    assert sum(one.size for one in whole.memory) == kept_bytes(whole), "views of one memory count once"
    assert whole.inputs


def test_lines_and_kinds_are_told_the_largest_first(nothing_compiled):
    model, x = Attention(), torch.randn(2, 5, 8)
    with unjit.capture() as session:
        _compute(model, x, "aot_eager")
    ((whole,),) = (one.kept for one in session.data.compiles if one.kept)
    softmax = next(one for one in whole.memory if one.node.startswith("_softmax"))
    assert softmax.kind == "f32[2, 2, 5, 5]"
    assert softmax.place.code == "weights = (q @ k.transpose(-1, -2)).softmax(-1)"
    sizes = [one.size for one in whole.memory]
    assert sizes == sorted(sizes, reverse=True)
    text = str(session.summary(max_tokens=5000))
    lines = re.findall(r"^Kept for the backward:\n- (?:Attention_)?forward, compile 0: (.*)$", text, re.MULTILINE)
    assert lines, text
    assert re.match(rf"\d+ tensors, \d\.\d kB, and \d of its inputs: .* from \S*{FILE}:\d+ in forward;", lines[0])


def test_open_sizes_count_as_in_the_call_that_was_compiled(nothing_compiled):
    model, x = Attention(), torch.randn(2, 5, 8)
    with unjit.capture() as session:
        result = _compute(model, x, "aot_eager", dynamic=True)
    ((whole,),) = (one.kept for one in session.data.compiles if one.kept)
    assert any("s" in one.kind.partition("[")[2] for one in whole.memory)
    assert kept_bytes(whole) == sum(_in_fact(result, [x, *model.parameters()]).values())


def test_what_has_no_backward_keeps_nothing(nothing_compiled):
    with unjit.capture() as session, torch.no_grad():
        _compute(Attention(), torch.randn(2, 5, 8), "aot_eager")
    assert [one.kept for one in session.data.compiles] == [()]
    assert "Kept for the backward" not in str(session.summary(max_tokens=5000))


FORWARD = """
    def forward(self, primals_1: "f32[4]", primals_2: "Sym(s1)"):
        mul: "f32[u0, 3]" = torch.ops.aten.mul.Tensor(primals_1, 2)
        view: "f32[3*u0]" = torch.ops.aten.view.default(mul, [-1])
        return (view, primals_1)
"""


def test_a_size_that_nobody_knows_is_unknown():
    takes = 'self, primals_2: "Sym(s1)", primals_1: "f32[4]", view: "f32[3*u0]", tangents_1: "f32[4]"'
    backward = f"    def forward({takes}):\n        return (None, None)\n"
    found = kept("backward", FORWARD, backward, {})
    (only,) = found.memory
    assert (only.node, only.kind, found.inputs) == ("mul", "f32[u0, 3]", 1)
    assert isinstance(only.size, Unknown)
    assert kept("backward", FORWARD, "no graph", {}) is None


@pytest.mark.parametrize(
    ("size", "words"), [(0, "0 bytes"), (999, "999 bytes"), (1000, "1.0 kB"), (36_864, "36.9 kB"), (2.5e12, "2.5 TB")]
)
def test_sizes_in_words(size, words):
    assert size_in_words(size) == words


def test_two_captures_differ_in_what_is_kept(nothing_compiled):
    def activated(x):
        return (x.sigmoid() * 2).sum()

    def with_another(x):
        return (x.sigmoid() * x.cos()).sum()

    sessions = []
    for function in (activated, with_another):
        torch._dynamo.reset()
        with unjit.capture() as session:
            torch.compile(Wrapped(function), backend="aot_eager")(torch.ones(4, requires_grad=True))
        sessions.append(session)
    difference = unjit.diff(*sessions)
    ((first, second),) = ((one.first, one.second) for one in difference.data.of_topic("memory"))
    assert first.startswith("f32[4], 16 bytes, made at ")
    assert "return (x.sigmoid() * 2).sum()" in first
    assert "return (x.sigmoid() * x.cos()).sum()" in second
    assert unjit.diff(sessions[0], sessions[0]).data.of_topic("memory") == ()


class Wrapped(torch.nn.Module):
    def __init__(self, function):
        super().__init__()
        self.function = function

    def forward(self, x):
        return self.function(x)


def test_what_came_out_of_torchs_cache_is_said_to_be_unknown(tmp_path):
    program = tmp_path / "cached.py"
    program.write_text(
        "import torch\nnet = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.Sigmoid())\n"
        "for batch in 4, 6:\n    torch.compile(net)(torch.ones(batch, 8)).sum().backward()\n"
    )
    environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "cache")}
    for out in ("first", "second"):
        command = [sys.executable, "-m", "unjit", "run", "--out", str(tmp_path / out), str(program)]
        subprocess.run(command, env=environment, check=True, capture_output=True)
    first, second = (unjit.load(tmp_path / out) for out in ("first", "second"))
    compiled, other = (one for one in second.data.compiles if one.artifact("backward"))
    if compiled.kept and not since("2.8"):
        pytest.skip("refused: this torch makes the graph once more")
    assert compiled.kept == other.kept == ()
    assert "not known: " in str(second.summary(max_tokens=5000))
    assert "not known: " not in str(first.summary(max_tokens=5000))
    both = f"{compiled.function}/{compiled.number}, {other.function}/{other.number}"
    assert f"Not known of {both}: torch took it from its cache" in (tmp_path / "second" / "report.html").read_text()
