"""On a GPU: what Triton makes is stepped through and compared as what C++ makes is, and guards hold there."""

from __future__ import annotations

import subprocess
import sys

import pytest
import torch
import torch._dynamo
from torch._inductor import lowering

import unjit
from agreement import Score, compare, frames
from judge import PROGRAMS
from on_gpu import DEVICE, inputs, layers, same, train
from stepped_pages import STEP_ME, step_through
from unjit.api.compare import compare_on
from wrong_compiler import exchanged

triton = pytest.importorskip("triton")
tl = pytest.importorskip("triton.language")
pytestmark = [
    pytest.mark.skipif(DEVICE == "cuda" and not torch.cuda.is_available(), reason="there is no GPU"),
    pytest.mark.usefixtures("nothing_compiled"),
]
sin, cos = torch.ops.aten.sin.default, torch.ops.aten.cos.default
BACKENDS = ["eager", "aot_eager", "inductor"]


@triton.jit
def scale(source, target, count, factor: tl.constexpr, BLOCK: tl.constexpr):  # noqa: N803
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at, mask=at < count) * factor, mask=at < count)


# ---------------------------------------------------------------- stages
@pytest.mark.parametrize("stage", ["post_grad", "forward", "captured"])
def test_a_stage_runs_in_place_of_kernels_and_agrees_with_them(stage, tmp_path):
    compiled = torch.compile(layers)
    train(compiled)
    with unjit.debug(layers, stage=stage, directory=tmp_path, quiet=True) as session:
        assert same(train(compiled), train(layers))
    assert session.problems == []
    if stage != "captured":
        assert {one.graph.rpartition(", ")[2] for one in session.comparisons} == {"forward", "backward"}
    for comparison in session.comparisons:
        assert comparison.first is None, comparison
        assert comparison.compared >= 2, comparison
        assert not [kernel for kernel in comparison.unseen if kernel.startswith("triton_")], comparison


def test_the_wrapper_can_be_stepped_through(tmp_path):
    from traced import traced_by

    compiled = torch.compile(layers)
    train(compiled)
    seen = set()

    def tracer(frame, _event, _argument):
        if frame.f_code.co_filename.startswith(str(tmp_path)):
            seen.add(frame.f_code.co_name)

    with unjit.debug(layers, directory=tmp_path, quiet=True) as session, traced_by(tracer):
        assert same(train(compiled), train(layers))
    assert session.problems == []
    assert {"layers", "call"} <= seen


def test_pdb_stops_in_wrappers_and_in_the_graphs_that_run_in_place_of_kernels(tmp_path):
    from terminal import Pdb

    def files(stage, name, text, variable, shown):
        ways = ("forward", "backward")
        return {tmp_path / stage / STEP_ME / name.format(way): (text, variable, shown) for way in ways}

    program = str(PROGRAMS / "step_me.py")
    wrappers = files("as_run", "{}_output_code.py", "buf0 = empty_strided_cuda(", "buf0.device", "type='cuda'")
    step_through(Pdb(program, "inductor", str(tmp_path / "as_run"), "inside", "as_run", DEVICE), wrappers)
    graphs = files("post_grad", "post_grad/{}.py", " = torch.ops.", "primals_1.device", "type='cuda'")
    step_through(Pdb(program, "inductor", str(tmp_path / "post_grad"), "inside", "post_grad", DEVICE), graphs)


def test_a_graph_that_is_replayed_can_be_debugged(tmp_path):
    @torch.compile(mode="reduce-overhead")
    def waves(x):
        return (x.sin() * x.cos()).sum(-1)

    x = torch.ones(32, 32, device=DEVICE)
    for _ in range(3):
        expected = waves(x).clone()
    with unjit.debug(waves, stage="post_grad", directory=tmp_path, quiet=True) as session:
        got = waves(x).clone()
    assert same([got], [expected])
    assert [one for one in session.comparisons if one.first is not None] == []
    assert session.comparisons, session.problems


def attention(q):
    return torch.nn.functional.scaled_dot_product_attention(q, q, q, is_causal=True).sum(0)


def not_aligned(x):
    x.mul_(2)
    return (x.sin() + 1).sum(0)


def filled_by_an_own_kernel(x):
    out = torch.empty_like(x)
    scale[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), 3, BLOCK=128)
    return (out + 1).sin()


@pytest.mark.parametrize(
    ("function", "x"),
    [
        (attention, lambda: torch.randn(1, 2, 128, 32, device=DEVICE, dtype=torch.bfloat16, requires_grad=True)),
        (not_aligned, lambda: torch.randn(4097, device=DEVICE)[1:]),
        (filled_by_an_own_kernel, lambda: torch.randn(1000, device=DEVICE)),
    ],
    ids=["attention", "not_aligned", "own"],
)
def test_no_kernel_is_blamed_for_what_nobody_specified(function, x, tmp_path):
    compiled, given = torch.compile(function), x()
    compiled(given)
    with unjit.debug(function, stage="forward", directory=tmp_path, quiet=True) as session:
        for _ in range(2):
            compiled(given)
    assert session.problems == []
    assert session.comparisons
    assert [str(one) for one in session.comparisons if one.first or one.returned] == []


# ---------------------------------------------------------------- compare
def test_the_first_triton_kernel_that_differs_is_named():
    def waves(a):
        b = torch.relu(a) + 1
        return b * b.sin().sum(0)

    a = torch.linspace(-1, 1, 4096, device=DEVICE).reshape(64, 64).requires_grad_()
    with exchanged(lowering.lowerings, cos, lowering.lowerings[sin]):
        found = compare_on(["aot_eager", "inductor"], waves, (a,), {})
    assert [trial.outcome for trial in found.data.trials] == ["same", "differs"]
    told = found.data.first.first_graph.inside
    assert (told.step, told.half) == ("kernel", "backward")
    assert told.kernel.startswith("triton_")
    assert "cos" in told.nodes


def test_where_nothing_is_wrong_all_backends_agree():
    assert {trial.outcome for trial in compare_on(BACKENDS, layers, inputs(), {}).data.trials} == {"same"}


def test_random_numbers_of_a_gpu_are_drawn_alike():
    def dropped(x):
        return torch.nn.functional.dropout(x, 0.5).sum(0)

    found = compare_on(["eager", "aot_eager"], dropped, (torch.ones(64, 64, device=DEVICE),), {})
    assert {trial.outcome for trial in found.data.trials} == {"same"}


# ---------------------------------------------------------------- guards and rewriting
def autocasting(x):
    with torch.autocast(DEVICE, dtype=torch.bfloat16):
        y = x @ x
    return y.float() + (1 if torch.is_autocast_enabled(DEVICE) else 0)


def test_guards_run_as_python_answer_as_torch_s_own():
    score = Score()
    with frames() as noted:
        for function, arguments in ((layers, inputs()), (autocasting, inputs()[:1])):
            torch.compile(function, backend="eager")(*arguments)
    for manager, frame in noted:
        compare(manager, frame, score)
    assert score.disagreements == []
    assert score.asked == 0
    assert score.pairs > 20


def test_guards_on_the_stream_that_is_worked_on_run_as_python():
    def beside(x):
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            y = x.sin() * 2
        torch.cuda.current_stream().wait_stream(stream)
        return y + x

    x = inputs()[0].detach()
    torch.compile(beside, backend="eager")(x)
    (entry,) = unjit.explain(beside).entries
    assert "current_stream(" in entry.guards.source
    assert entry.guards.predicate(entry.guards.frame(x))


def test_an_entry_for_one_device_is_not_taken_on_another():
    compiled = torch.compile(layers, backend="eager")
    x, w = inputs()
    compiled(x, w)
    entry = unjit.explain(layers).entries[0]
    assert entry.guards.check(x=x, w=w)
    assert not entry.guards.check(x=x.cpu() if DEVICE == "cuda" else x.to("meta"), w=w)


def test_why_a_call_would_compile_again_names_the_device():
    compiled = torch.compile(layers, backend="eager")
    x, w = inputs()
    compiled(x, w)
    told = str(unjit.why(compiled, x.detach().cpu().requires_grad_(), w.cpu()))
    assert "device" in told, told
    assert "cuda" in told, told


# ---------------------------------------------------------------- ranks
def test_a_rank_with_nccl_does_what_it_does_alone_and_tells_its_collectives(tmp_path):
    command = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "1"]

    def ran(*arguments):
        whole = [*command, *map(str, arguments), str(PROGRAMS / "nccl_rank.py")]
        return subprocess.run(whole, capture_output=True, text=True, check=True, timeout=300)

    alone, captured = ran(), ran("-m", "unjit", "run", "--out", tmp_path / "out")
    assert captured.stdout == alone.stdout
    session = unjit.load(tmp_path / "out")
    assert session.losses == ()
    assert "all_reduce" in "".join(file.read_text() for file in (tmp_path / "out").rglob("captured.py"))


# ---------------------------------------------------------------- explain
def test_what_is_explained():
    compiled = torch.compile(layers)
    train(compiled)
    told = str(unjit.explain(compiled))
    assert "x: float32 on cuda:0, shape (64, 64)" in told, told

