"""A job of several ranks: `torchrun … ranks.py WHAT`, where WHAT says how rank 1 goes its own way."""

import datetime
import os
import signal
import sys

import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.tensor.parallel import ColwiseParallel, RowwiseParallel, parallelize_module
from torch.nn.parallel import DistributedDataParallel

what = sys.argv[1]
torch.set_num_threads(1)
dist.init_process_group("gloo", timeout=datetime.timedelta(seconds=60))
rank, world = dist.get_rank(), dist.get_world_size()
backend = "eager"


class Block(nn.Module):
    def __init__(self):
        super().__init__()
        self.a = nn.Linear(8, 16)
        self.b = nn.Linear(16, 8)

    def forward(self, x):
        return self.b(torch.relu(self.a(x)))


def train(model, own=0):
    compiled = torch.compile(model, backend=backend)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    for step in range(2):
        torch.manual_seed(step * 100 + own)
        loss = compiled(torch.randn(4 + step, 8)).square().mean()
        loss.backward()
        grads = sum(float(p.grad.to_local().sum() if hasattr(p.grad, "to_local") else p.grad.sum()) for p in model.parameters())
        optimizer.step()
        optimizer.zero_grad()
        print(f"{type(model).__name__} rank {rank} step {step}: {loss.item()!r} {grads!r}\n", end="", flush=True)


def all_kinds():
    global backend
    torch.manual_seed(0)
    train(DistributedDataParallel(Block()), own=rank)
    torch.manual_seed(0)
    sharded = Block()
    fully_shard(sharded)
    train(sharded, own=rank)
    backend = "aot_eager"
    torch.manual_seed(0)
    mesh = init_device_mesh("cpu", (world,), mesh_dim_names=("tp",))
    train(parallelize_module(Block(), mesh, {"a": ColwiseParallel(), "b": RowwiseParallel()}))


hasty = dist.new_group(timeout=datetime.timedelta(seconds=4))  # what waits in vain in it fails soon


@torch.compile(backend="aot_eager")
def mean(x):
    total = x.sum(0)
    dist.all_reduce(total, group=hasty)
    return total / world


@torch.compile(backend="aot_eager")
def gather(x):
    parts = [torch.empty_like(x) for _ in range(world)]
    dist.all_gather(parts, x, group=hasty)
    return torch.stack(parts).sum()


@torch.compile(backend="eager")
def scaled(x, by):
    x = x * by
    if rank == 1:
        torch._dynamo.graph_break()
    return x + 1


@torch.compile(backend="eager")
def widened(x):
    return x + 1


@torch.compile(backend="eager")
def alike(x):
    dist.all_reduce(x)
    return x + 1


def own_ways():
    alike(torch.ones(2))
    x = torch.ones(3, 4)
    scaled(x, 2)
    for size in (3, 3, 5, 6) if rank == 0 else (3, 5, 6, 6):  # the recompile comes a step later on rank 0
        widened(torch.ones(size))
        alike(torch.ones(2))
    dist.barrier()
    first, second = (mean, gather) if rank == 0 else (gather, mean)
    try:
        first(x)
        second(x)
    except RuntimeError as error:
        print(f"rank {rank}: {type(error).__name__}", flush=True)


def killed():
    alike(torch.ones(2))
    scaled(torch.ones(3, 4), 2)
    dist.barrier()
    if rank == 1:
        os.kill(os.getpid(), signal.SIGKILL)
    widened(torch.ones(2))
    alike(torch.ones(2))


{"all_kinds": all_kinds, "own_ways": own_ways, "killed": killed}[what]()
dist.destroy_process_group()
