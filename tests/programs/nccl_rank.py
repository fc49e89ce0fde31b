"""A job of one rank on a GPU: `torchrun nccl_rank.py` trains data-parallel and reduces in a compiled function."""

import torch
import torch.distributed as dist
import torch.distributed._functional_collectives as functional
from torch.nn.parallel import DistributedDataParallel

dist.init_process_group("nccl")
torch.cuda.set_device(dist.get_rank())
torch.manual_seed(0)
model = DistributedDataParallel(torch.nn.Linear(8, 8).cuda())
compiled = torch.compile(model)
for step in range(2):
    loss = compiled(torch.full((2 + step, 8), 0.5, device="cuda")).square().mean()
    loss.backward()
    print(f"loss {loss.item():.4f} {sum(p.grad.abs().sum() for p in model.parameters()).item():.4f}")


@torch.compile
def reduced(x):
    return functional.all_reduce(x * 2, "sum", dist.group.WORLD) + 1


print("reduced", reduced(torch.ones(4, device="cuda")).sum().item())
dist.destroy_process_group()
