"""What many ranks cost: `unjit merge` of 64, and a rank's note of each run of compiled code.

Real captures of a few ranks of a job, under the process group of torch's that pretends to have others, are copied to 64
folders and made to differ as ranks do: uneven sizes on some, another order of collectives on one, one that was killed.
"""

from __future__ import annotations

import argparse
import json
import shutil
import tempfile
import time
from pathlib import Path

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.testing._internal.distributed.fake_pg import FakeStore

import unjit
from unjit.capturing.job.runs import RunLog

WIDTH = 64


class Block(nn.Module):
    """Attention and a feed-forward part, as a transformer has them."""

    def __init__(self) -> None:
        super().__init__()
        self.attention = nn.MultiheadAttention(WIDTH, 4, batch_first=True)
        self.up = nn.Linear(WIDTH, 4 * WIDTH)
        self.down = nn.Linear(4 * WIDTH, WIDTH)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        x = x + self.attention(x, x, x, need_weights=False)[0]
        return x + self.down(torch.relu(self.up(x)))


def train(layers: int, size: int, length: int) -> None:
    """A few steps of a model in tensor-parallel parts: most of its layers in one graph, the last ones one by one."""
    torch.manual_seed(0)
    mesh = init_device_mesh("cpu", (size,), mesh_dim_names=("tp",))
    plan = {"up": ColwiseParallel(), "down": RowwiseParallel()}
    blocks = [parallelize_module(Block(), mesh, plan) for _ in range(layers)]
    parts = [nn.Sequential(*blocks[:-2]), *blocks[-2:]]
    compiled = [torch.compile(part, backend="aot_eager", dynamic=False) for part in parts]
    for step in range(4):
        x = torch.randn(2, length + step, WIDTH)
        for part in compiled:
            x = part(x)
        x.square().mean().backward()


def real_ranks(top: Path, layers: int, size: int) -> None:
    """Captures of four ranks: one of them has longer inputs, one has a layer less."""
    for rank in range(4):
        dist.init_process_group("fake", rank=rank, world_size=size, store=FakeStore())
        torch._dynamo.reset()
        with unjit.capture(top):
            train(layers - (rank == 3), size, 9 if rank == 2 else 8)
        dist.destroy_process_group()
    torch._dynamo.reset()


def copies(top: Path, size: int) -> None:
    """The other ranks: most as rank 0 and 1, every eighth as the one with longer inputs, the last killed."""
    processes = top / "processes"
    for rank in range(4, size):
        source = processes / f"rank_{2 if rank % 8 == 0 else rank % 2}"
        target = processes / f"rank_{rank}"
        shutil.copytree(source, target)
        told = json.loads((target / "distributed.json").read_text())
        (target / "distributed.json").write_text(json.dumps({**told, "rank": rank}))
        for number, file in enumerate(sorted(target.rglob("guards.txt"))):  # as if no two were quite the same
            file.write_text(f"{file.read_text()}| +- EQUALS_MATCH: L['rank'] == {rank + number}\n")
    last = processes / f"rank_{size - 1}"
    (last / "order.txt").write_text(
        "\n".join(one["path"] for one in json.loads((last / "run.json").read_text())["compiles"])
    )
    for name in ("index.json", "run.json"):
        (last / name).unlink()


def cost_of_a_run() -> float:
    """Seconds of a note, the best of several rounds."""
    with tempfile.TemporaryDirectory() as folder:
        log, code = RunLog(Path(folder) / "runs.txt"), compile("x", "<made>", "eval")
        log.watch(code, 0)
        rounds = []
        for _ in range(10):
            began = time.process_time()
            for _ in range(20_000):
                log.note(code)
            rounds.append((time.process_time() - began) / 20_000)
        log.finish()
        return min(rounds)


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--ranks", type=int, default=64)
    parser.add_argument("--layers", type=int, default=8)
    arguments = parser.parse_args()
    print(f"a note of a run: {cost_of_a_run() * 1e6:.1f} µs of CPU time")
    with tempfile.TemporaryDirectory() as folder:
        top = Path(folder) / "out"
        real_ranks(top, arguments.layers, arguments.ranks)
        copies(top, arguments.ranks)
        files = [file for file in top.rglob("*") if file.is_file()]
        size = sum(file.stat().st_size for file in files) / 1e6
        print(f"{arguments.ranks} ranks, {len(files):,} files, {size:.0f} MB")
        began, cpu = time.perf_counter(), time.process_time()
        merged = unjit.merge(top)
        print(f"merge: {time.perf_counter() - began:.1f} s, {time.process_time() - cpu:.1f} s of CPU time")
        print(f"{merged!r}, {merged.data.ranks[0].compiles} compiles on rank 0")


if __name__ == "__main__":
    main()
