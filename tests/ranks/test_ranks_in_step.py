"""compare and debug in jobs of several ranks: each makes the runs that the others wait for, whatever its values are."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
import torch.distributed as dist

from needs import needs
from toys import needs_compiler
from unjit.torch_private.probes.rank_probes import COUNT_OF_MESSAGES, WORLD

pytestmark = [
    pytest.mark.skipif(not dist.is_gloo_available(), reason="the ranks talk through gloo"),
    needs(WORLD, COUNT_OF_MESSAGES),
]
TORCHRUN = [sys.executable, "-m", "torch.distributed.run", "--nproc-per-node", "2"]
BEGIN = """
import datetime, os, torch, torch.distributed as dist
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
rank = dist.get_rank()

def say(*what):
    os.write(1, f"{rank}: {' '.join(map(str, what))}\\n".encode())  # at once: two ranks write into one pipe
"""
WRONG_ON_ONE = """
torch.manual_seed(rank)

def wrong(graph, inputs):
    return graph if rank else lambda *given: tuple(1.001 * value for value in graph(*given))

@torch.compile(backend=wrong)
def summed(x):
    y = x.sin().sum(0)
    dist.all_reduce(y)
    return y

@torch.compile(backend=wrong)
def alone(x):
    return x.cos().sum(0)

for number in range(3):
    say(number, summed(torch.randn(50, 64))[0].item(), alone(torch.randn(50, 64))[0].item())
"""
PARALLEL = """
import torch.distributed._functional_collectives as collectives
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module

class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.up, self.down = nn.Linear(8, 16), nn.Linear(16, 8)

    def forward(self, x):
        return self.down(torch.relu(self.up(x)))

class Split(Net):
    pass

def compiled(module):
    return torch.compile(module, backend="aot_eager")

@compiled
def doubled(x):
    return collectives.all_reduce(2 * x, "sum", dist.group.WORLD)

torch.manual_seed(0)
mesh = init_device_mesh("cpu", (2,))
split = compiled(parallelize_module(Split(), mesh, {"up": ColwiseParallel(), "down": RowwiseParallel()}))
copied = nn.parallel.DistributedDataParallel(compiled(Net()))
for net in (split, copied):
    for number in range(2):
        torch.manual_seed(number + (rank if net is copied else 0))
        loss = net(torch.randn(4, 8)).square().sum()
        loss.backward()
        say(type(net).__name__, loss.item(), sum(one.grad.sum().item() for one in net.parameters()))
say(type(doubled(torch.full((3,), 1.0 + rank))).__name__)
if rank == 0:
    say(compiled(torch.sin)(torch.ones(3)).sum().item())
"""
STEPPED_ON_ONE = """
import contextlib, unjit

@torch.compile
def step(x):
    y = x.sin().sum(0)
    dist.all_reduce(y)
    return y * 2

@torch.compile
def alone(x):
    return x.cos() * 2

torch.manual_seed(rank)
x = torch.randn(5, 4)
before = step(x)
alone(x)
with unjit.debug(step, stage="post_grad") if rank == 0 else contextlib.nullcontext():
    with unjit.debug(alone, stage="post_grad") if rank == 0 else contextlib.nullcontext():
        for number in range(2):
            say(torch.allclose(step(x), before), alone(x).sum().item())
"""
END = """
dist.destroy_process_group()
"""


def run(tmp_path, text, *command):
    program = tmp_path / "program.py"
    program.write_text(BEGIN + text + END)
    environment = {**os.environ, "OMP_NUM_THREADS": "1"}
    command = [*TORCHRUN, *command, str(program)]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=400, check=False)
    return done, sorted(re.findall(r"[01]: [^\n]*", done.stdout))


def answers(done):
    """What each rank was told."""
    parts = re.split(r"(?m)^unjit, rank ([01]): ", done.stderr)
    return dict(zip(parts[1::2], parts[2::2], strict=True))


def test_what_differs_on_one_rank_alone_leaves_the_others_in_step(tmp_path):
    plain = run(tmp_path, WRONG_ON_ONE)
    done, said = run(tmp_path, WRONG_ON_ONE, "-m", "unjit", "compare")
    assert len(said) == 6
    assert said == plain[1]
    told = answers(done)["0"]
    of_summed, of_alone = told.split("  alone (")[:2]
    assert re.search(r"summed \(program.py:\d+\), call 1: wrong \(the program's own\) differs", of_summed)
    assert "float64  unknown (not run: it talks to other ranks, which would all have to make the same run)" in of_summed
    assert "first graph that differs: graph 0" in of_summed
    assert "wrong (the program's own) differs" in of_alone
    assert "other ranks" not in of_alone


def test_models_in_parallel_agree_and_compute_the_same(tmp_path):
    plain = run(tmp_path, PARALLEL)
    backends = ["--backend", "eager", "--backend", "aot_eager"]
    done, said = run(tmp_path, PARALLEL, "-m", "unjit", "compare", "--json", str(tmp_path / "told.json"), *backends)
    assert {path.name for path in tmp_path.glob("*.json")} == {"told.json", "told.rank_1.json"}
    assert plain[0].returncode == done.returncode == 0
    assert said == plain[1]
    assert len(said) == 11
    for told in answers(done).values():
        assert "All that was compared agrees with eager." in told
        assert "could not be compared" not in told
        assert {"Split", "Net", "doubled"} <= set(re.findall(r"(?m)^  (\w+) \(", told))


@needs_compiler
def test_a_stage_is_stepped_on_one_rank_while_the_others_go_on(tmp_path):
    done, said = run(tmp_path, STEPPED_ON_ONE)
    assert done.returncode == 0
    assert [line.split()[1] for line in said] == ["True"] * 4
    told = done.stdout + done.stderr
    assert "step, older entry 0, inference: break " in told
    assert "kernels are not compared: it talks to other ranks, which would all have to run it as often" in told
    assert "alone, older entry 0, inference: 1 buffer of 1 kernel holds what the graph computes" in told
