"""What a GPU user runs: a block trained with autocast, a graph break, Triton of the program's own, a graph replayed.

Prints what was computed. `cpu` as first argument runs what can run there.
"""
import sys

import torch

DEVICE = sys.argv[1] if len(sys.argv) > 1 else "cuda"


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.norm = torch.nn.LayerNorm(64)
        self.up = torch.nn.Linear(64, 256)
        self.down = torch.nn.Linear(256, 64)

    def forward(self, x):
        hidden = torch.nn.functional.gelu(self.up(self.norm(x)))
        if hidden.sum() < -1e9:
            hidden = -hidden
        return (x + self.down(hidden)).softmax(-1)


def train(steps):
    block = Block().to(DEVICE)
    optimizer = torch.optim.SGD(block.parameters(), lr=0.1)
    compiled = torch.compile(block)
    for _ in range(steps):
        x = torch.randn(8, 16, 64, device=DEVICE)
        with torch.autocast(DEVICE, dtype=torch.bfloat16):
            loss = compiled(x).float().var()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    print(f"loss {loss.item():.4f}")


@torch.compile(mode="reduce-overhead")
def replayed(x):
    return (x.sin() * x.cos()).sum(-1)


@torch.compile(dynamic=True)
def varying(x):
    return torch.nn.functional.relu(x) * x.shape[0]


def own_kernel():
    import triton
    import triton.language as tl

    @triton.jit
    def scale(source, target, count, factor: tl.constexpr, BLOCK: tl.constexpr):
        at = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
        tl.store(target + at, tl.load(source + at, mask=at < count) * factor, mask=at < count)

    @torch.compile
    def scaled(x):
        out = torch.empty_like(x)
        scale[(triton.cdiv(x.numel(), 128),)](x, out, x.numel(), 3, BLOCK=128)
        return out + 1

    print("own", scaled(torch.ones(1000, device=DEVICE)).sum().item())


torch.manual_seed(0)
train(3)
for _ in range(4):
    print("replayed", f"{replayed(torch.ones(32, 32, device=DEVICE)).sum().item():.3f}")
for rows in (3, 5, 7):
    print("varying", varying(torch.ones(rows, 8, device=DEVICE)).sum().item())
if DEVICE != "cpu":
    own_kernel()
