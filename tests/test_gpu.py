"""On a GPU: what Triton makes is captured, stepped through, compared and told as what C++ makes is."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys

import pytest
import torch
import torch._dynamo
from torch._inductor import config, lowering

import unjit
from agreement import Score, compare, frames
from captured_runs import contents
from captured_runs import run as run_captured
from corpus import NO_SHARED, models
from judge import PROGRAMS
from stepped_pages import STEP_ME, step_through
from unjit.api.compare import compare_on
from unjit.model import Unknown
from wrong_compiler import exchanged

triton = pytest.importorskip("triton")
tl = pytest.importorskip("triton.language")
DEVICE = "cuda"
pytestmark = [
    pytest.mark.skipif(DEVICE == "cuda" and not torch.cuda.is_available(), reason="there is no GPU"),
    pytest.mark.usefixtures("nothing_compiled"),
]
NO_BACKWARD = {"reformer"}  # not when it is evaluated
sin, cos = torch.ops.aten.sin.default, torch.ops.aten.cos.default
BACKENDS = ["eager", "aot_eager", "inductor"]


@triton.jit
def scale(source, target, count, factor: tl.constexpr, BLOCK: tl.constexpr):  # noqa: N803
    at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(target + at, tl.load(source + at, mask=at < count) * factor, mask=at < count)


def layers(x, w):
    scaled = torch.relu(x) * 2
    return (scaled @ w).sin().sum(0), scaled.exp()


def inputs():
    torch.manual_seed(0)
    return torch.randn(64, 64, device=DEVICE, requires_grad=True), torch.randn(64, 64, device=DEVICE)


def train(function):
    x, w = inputs()
    a, b = function(x, w)
    (a.sum() + b.sum()).backward()
    return a.detach(), b.detach(), x.grad


def same(one, other):
    return all(torch.allclose(a, b, rtol=1e-3, atol=1e-3) for a, b in zip(one, other, strict=True))


def line(number):
    return layers.__code__.co_firstlineno + number


@pytest.fixture(scope="module")
def trained(tmp_path_factory):
    torch._dynamo.reset()
    expected = train(layers)
    with unjit.capture(tmp_path_factory.mktemp("trained"), fresh=True) as session:
        got = train(torch.compile(layers))
    assert same(got, expected)
    return session


# ---------------------------------------------------------------- captures
def test_a_capture_has_triton_s_kernels_with_their_nodes_and_lines(trained):
    (compile_,) = trained.data.compiles
    kernels = [kernel for kernel in compile_.kernels if kernel.language == "Triton"]
    assert {kernel.half for kernel in kernels} == {"forward", "backward"}
    for kernel in kernels:
        ast.parse(kernel.source)
        assert not isinstance(kernel.operations, Unknown), kernel
        assert kernel.half == "backward" or not isinstance(kernel.captured, Unknown), kernel
        assert {place.line for place in kernel.places} <= {line(1), line(2)}, kernel
    assert trained.losses == ()
    assert [kernel.name for kernel in compile_.kernels if kernel.language == "library"]


def test_triton_s_schedules_and_configurations_are_kept(trained):
    names = {str(text.name): text.text for text in trained.data.compiles[0].artifacts}
    for half in ("forward", "backward"):
        assert "SchedulerNode(name='op0')" in names[f"{half}_schedule"]
    kernels = {}
    for name in filter(lambda name: name.startswith("triton_kernels"), names):
        kernels |= json.loads(names[name])
    assert set(kernels) == {str(one.name) for one in trained.data.compiles[0].kernels if one.language == "Triton"}
    assert not any("compile_time_us" in told for told in kernels.values())


def test_every_file_compiles_and_the_directory_reads_back(trained):
    for file in trained.directory.rglob("*.py"):
        compile(file.read_text(), str(file), "exec")
    assert unjit.load(trained.directory).data.compiles == trained.data.compiles


def test_without_a_private_cache_kernels_lead_to_nodes_and_lines(tmp_path):
    with config.patch(fx_graph_cache=False), unjit.capture(tmp_path) as session:
        train(torch.compile(layers))
    kernels = [kernel for kernel in session.data.compiles[0].kernels if kernel.language == "Triton"]
    assert kernels
    assert [kernel.name for kernel in kernels if isinstance(kernel.operations, Unknown)] == []
    assert [kernel.name for kernel in kernels if isinstance(kernel.places, Unknown)] == []


def test_a_program_does_what_it_does_alone_and_two_runs_give_the_same_tree(tmp_path):
    def caches(name):
        return {"TORCHINDUCTOR_CACHE_DIR": str(tmp_path / name)}

    program = [sys.executable, str(PROGRAMS / "gpu_train.py"), DEVICE]
    environment = {**os.environ, **caches("a")}
    alone = subprocess.run(program, env=environment, capture_output=True, text=True, check=True, timeout=300)
    one = run_captured(tmp_path / "one", "gpu_train.py", DEVICE, **caches("b"))
    two = run_captured(tmp_path / "two", "gpu_train.py", DEVICE, **caches("c"))
    assert one.stdout == alone.stdout
    assert two.stdout == alone.stdout
    for out in ("one", "two"):
        assert unjit.load(tmp_path / out).losses == ()
    for file in (tmp_path / "one").rglob("*.py"):
        compile(file.read_text(), str(file), "exec")
    first, second = contents(tmp_path / "one"), contents(tmp_path / "two")
    assert list(first) == list(second)
    for name in first:
        assert first[name] == second[name], name


def test_the_variable_records_the_program_and_not_the_processes_that_compile_its_kernels(tmp_path):
    code = f"import unjit, runpy, sys; sys.argv = ['gpu_train.py', {DEVICE!r}]; runpy.run_path(sys.argv[0])"
    environment = {**os.environ, "UNJIT_OUT": str(tmp_path / "out"), "TORCHINDUCTOR_CACHE_DIR": str(tmp_path / "c")}
    subprocess.run([sys.executable, "-c", code], cwd=PROGRAMS, env=environment, check=True, timeout=300)
    assert not list((tmp_path / "out").glob("process*")), sorted((tmp_path / "out").iterdir())
    assert unjit.load(tmp_path / "out").losses == ()


def test_kernels_that_inductor_s_record_leaves_out_lead_to_the_nodes_in_their_comments(tmp_path):
    from torch.nn.attention.flex_attention import flex_attention

    q = torch.randn(1, 2, 128, 64, device=DEVICE, requires_grad=True)
    with unjit.capture(tmp_path, fresh=True) as session:
        torch.compile(flex_attention)(q, q, q).sum().backward()
    kernels = [kernel for kernel in session.data.compiles[0].kernels if kernel.half == "backward"]
    assert len(kernels) >= 2
    assert [kernel.name for kernel in kernels if "flex_attention_backward" not in kernel.operations] == []
    assert [kernel.name for kernel in kernels if isinstance(kernel.places, Unknown)] == []


def test_a_redacted_capture_has_no_source(trained, tmp_path):
    command = [sys.executable, "-m", "unjit", "redact", str(trained.directory), "--out", str(tmp_path / "redacted")]
    subprocess.run(command, check=True)
    before, after = (
        "".join(file.read_text() for file in folder.rglob("*") if file.is_file())
        for folder in (trained.directory, tmp_path / "redacted")
    )
    for secret in ("torch.relu(x) * 2", "/torchinductor_", "'tt.divisibility'"):
        assert secret in before, secret
        assert secret not in after, secret
    assert "triton_" in after


def test_the_page_names_triton_s_kernels(trained):
    page = (trained.directory / "report.html").read_text()
    names = [kernel.name for kernel in trained.data.compiles[0].kernels]
    assert [name for name in names if name not in page] == []


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


# ---------------------------------------------------------------- models
@pytest.mark.slow
@pytest.mark.skipif(models is None, reason=NO_SHARED)
@pytest.mark.parametrize("how", ["plain", "breaks"])
@pytest.mark.parametrize("name", sorted(models.MODELS) if models else [])
def test_models_under_a_capture(name, how, tmp_path):
    def results():
        torch._dynamo.reset()
        model, arguments = models.make(name)
        model.to(DEVICE)
        arguments = {key: value.to(DEVICE) for key, value in arguments.items()}
        compiled = torch.compile(models.with_breaks(model) if how == "breaks" else model)
        for _ in range(2):
            torch.manual_seed(0)
            with torch.set_grad_enabled(name not in NO_BACKWARD):
                outputs = models.flatten(compiled(**arguments))
        if name not in NO_BACKWARD:
            sum(output.float().mean() for output in outputs if output.requires_grad).backward()
        gradients = [parameter.grad for parameter in model.parameters() if parameter.grad is not None]
        return [*outputs, *gradients], len(unjit.explain(compiled).entries)

    alone, entries = results()
    with unjit.capture(tmp_path) as session:
        watched, found = results()
    assert found == entries
    assert same(watched, alone)
    assert session.losses == ()
    for file in tmp_path.rglob("*.py"):
        compile(file.read_text(), str(file), "exec")
