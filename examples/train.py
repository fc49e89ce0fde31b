"""A small training loop with the usual troubles: a print, a branch on data, inputs of several sizes.

    python examples/train.py [eager | aot_eager | inductor]
"""
import sys

import torch
from torch import nn


class Block(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.norm = nn.LayerNorm(width)
        self.up = nn.Linear(width, 2 * width)
        self.down = nn.Linear(2 * width, width)

    def forward(self, x):
        return x + self.down(torch.relu(self.up(self.norm(x))))


class Net(nn.Module):
    def __init__(self, width=8):
        super().__init__()
        self.blocks = nn.ModuleList(Block(width) for _ in range(2))
        self.head = nn.Linear(width, 1)

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        if x.abs().max() > 100:      # depends on data: Dynamo has to leave the graph here
            x = x / 10
        return self.head(x).squeeze(-1)


def loss_of(model, x, y):
    error = model(x) - y
    return (error**2).mean()


def main(backend="inductor"):
    torch.manual_seed(0)
    model = Net()
    step = torch.compile(loss_of, backend=backend)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.02)
    for number, batch in enumerate((16, 16, 16, 24, 7)):       # the last batches have other sizes
        x = torch.randn(batch, 8)
        loss = step(model, x, x.sum(-1))
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        print(f"step {number}: batch of {batch}, loss {loss.item():.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
