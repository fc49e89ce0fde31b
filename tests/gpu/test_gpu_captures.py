"""On a GPU: what Triton makes is captured and told as what C++ makes is."""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys

import pytest
import torch
import torch._dynamo
from torch._inductor import config

import unjit
from captured_runs import contents
from captured_runs import run as run_captured
from corpus import NO_SHARED, models
from judge import PROGRAMS
from on_gpu import DEVICE, layers, same, train
from unjit.model import Unknown

pytest.importorskip("triton")
pytestmark = [
    pytest.mark.skipif(DEVICE == "cuda" and not torch.cuda.is_available(), reason="there is no GPU"),
    pytest.mark.usefixtures("nothing_compiled"),
]
NO_BACKWARD = {"reformer"}  # not when it is evaluated


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
    assert [kernel.name for kernel in kernels if isinstance(kernel.operations, Unknown)] == []
    assert [kernel.name for kernel in kernels if "flex_attention_backward" in kernel.operations]
    assert [kernel.name for kernel in kernels if isinstance(kernel.places, Unknown)] == []


def test_a_redacted_capture_has_no_source(trained, tmp_path):
    command = [sys.executable, "-m", "unjit", "redact", str(trained.directory), "--out", str(tmp_path / "redacted")]
    subprocess.run(command, check=True)
    before, after = (
        "".join(file.read_text() for file in folder.rglob("*") if file.is_file())
        for folder in (trained.directory, tmp_path / "redacted")
    )
    for secret in ("torch.relu(x) * 2", "'tt.divisibility'"):
        assert secret in before, secret
        assert secret not in after, secret
    assert "triton_" in after


def test_the_page_names_triton_s_kernels(trained):
    page = (trained.directory / "report.html").read_text()
    names = [kernel.name for kernel in trained.data.compiles[0].kernels]
    assert [name for name in names if name not in page] == []


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

