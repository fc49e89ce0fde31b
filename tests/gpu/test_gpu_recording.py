"""On a GPU: a program's own CUDA graphs record what they would without unjit, and memory is given back."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
import torch
import torch._dynamo

import unjit
from judge import PROGRAMS
from on_gpu import DEVICE
from unjit.errors import NoRoom

pytestmark = [
    pytest.mark.skipif(DEVICE == "cuda" and not torch.cuda.is_available(), reason="there is no GPU"),
    pytest.mark.usefixtures("nothing_compiled"),
]
RECORDED = str(PROGRAMS / "gpu_recorded.py")


def waves(x):
    return (x.sin() * x.cos()).sum(-1)


def recorded(function, *arguments):
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        found = function(*arguments)
    return graph, found


def replayed(graph, found):
    graph.replay()
    torch.cuda.synchronize()
    return found


@pytest.fixture
def given():
    return torch.linspace(0, 1, 4096, device=DEVICE).reshape(64, 64)


def ran(*command):
    done = subprocess.run([sys.executable, *command], capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    return done


# ---------------------------------------------------------------- programs
def test_what_is_recorded_is_compared_where_it_is_warmed_up(tmp_path):
    file = tmp_path / "answer.json"
    compared = ran("-m", "unjit", "compare", "--calls", "9", "--json", str(file), RECORDED)
    assert compared.stdout == ran(RECORDED).stdout
    told = json.loads(file.read_text())
    assert {call["function"] for call in told["calls"]} == {"waves", "Sequential"}
    assert [call for call in told["calls"] if "unknown" in call["answer"]] == []
    assert told["uncompared"] >= 2, "what was recorded"


def test_a_program_that_records_graphs_runs_in_a_capture(tmp_path):
    assert ran("-m", "unjit", "run", "--out", str(tmp_path / "out"), RECORDED).stdout == ran(RECORDED).stdout
    assert unjit.load(tmp_path / "out").losses == ()


@pytest.mark.parametrize("stage", ["as_run", "post_grad", "captured"])
def test_a_program_that_records_graphs_runs_in_stages(stage, tmp_path):
    block = (
        "import runpy, sys, unjit\n"
        "with unjit.debug(stage=sys.argv[3], directory=sys.argv[2], quiet=True):\n"
        "    runpy.run_path(sys.argv[1], run_name='__main__')\n"
    )
    assert ran("-c", block, RECORDED, str(tmp_path / "out"), stage).stdout == ran(RECORDED).stdout


# ---------------------------------------------------------------- in a recording
def test_a_comparison_within_a_recording_is_refused_and_the_recording_goes_on(given):
    expected = waves(given)
    compiled = torch.compile(waves)
    compiled(given)
    raised = []

    def compared(x):
        with pytest.raises(unjit.UnjitError, match="a CUDA graph is being recorded") as caught:
            unjit.compare(compiled, x)
        raised.append(caught.value)
        return compiled(x)

    assert torch.allclose(replayed(*recorded(compared, given)), expected, atol=1e-4)
    assert len(raised) == 1


@pytest.mark.parametrize("stage", ["forward", "captured"])
def test_a_stage_leaves_what_is_recorded_to_the_kernels(stage, given, tmp_path):
    expected = waves(given)
    compiled = torch.compile(waves)
    compiled(given)
    with unjit.debug(waves, stage=stage, directory=tmp_path, quiet=True) as session:
        graph, found = recorded(compiled, given)
        torch.cuda.synchronize()
    assert torch.allclose(replayed(graph, found), expected, atol=1e-4)
    assert len(session.problems) == 1
    assert "runs as it is: a CUDA graph is being recorded" in session.problems[0]


# ---------------------------------------------------------------- memory
def test_memory_that_a_comparison_took_is_given_back(given):
    large = given.repeat(512, 64).requires_grad_()  # 512 MiB
    torch.cuda.empty_cache()
    allocated, kept = torch.cuda.memory_allocated(), torch.cuda.memory_reserved()
    assert unjit.compare(waves, large)
    assert torch.cuda.memory_allocated() <= allocated + 2**24
    assert torch.cuda.memory_reserved() <= kept + 2**26


def test_what_does_not_fit_beside_the_program_is_not_compared():
    free, _ = torch.cuda.mem_get_info()
    large = torch.ones(free // 4 * 6 // 10, device=DEVICE)  # float32: six tenths of what is free
    compiled = torch.compile(lambda x: x.sum())
    try:
        with pytest.raises(NoRoom, match="out of memory"):
            unjit.compare(compiled, large)
        assert compiled(large).item() > 0
    finally:
        del large
        torch.cuda.empty_cache()


def test_a_backend_that_finds_no_memory_is_not_said_to_differ(given):
    def hungry(graph, _inputs):
        def run(*inputs):
            torch.empty(2**50, dtype=torch.uint8, device=DEVICE)
            return graph(*inputs)

        return run

    found = unjit.compare(torch.compile(waves, backend=hungry), given)
    assert found.data.trials[-1].outcome == "unknown"
    assert "CUDA out of memory" in found.data.trials[-1].error
    assert found.data.first is None
