"""A program that would notice if what it compiles ran more often than it is called."""

import collections
import random

import torch
from torch import nn

torch.manual_seed(0)
random.seed(0)
seen, totals, calls = [], collections.OrderedDict(), 0
weight = torch.ones(3, requires_grad=True)


class Net(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(3, 3)
        self.norm = nn.BatchNorm1d(3)
        self.runs = 0
        self.last = None

    def forward(self, x):
        self.runs += 1
        self.last = x.detach().sum()
        return torch.nn.functional.dropout(self.norm(self.linear(x)))


def helper(x):
    return net(x) * weight


def step(x):
    global calls
    calls += 1
    loss = helper(x).square().mean()
    seen.append(x.shape[0])
    totals[calls] = x.shape
    return loss


@torch.compile(backend="eager", fullgraph=True, dynamic=True)
def shrink(w):
    w.mul_(0.5)
    return w + torch.rand(3)


@torch.compile(backend="eager")
def learn():
    print("learns")
    optimizer.step()


net = Net()
optimizer = torch.optim.SGD([*net.parameters(), weight], lr=0.1, momentum=0.9)
compiled = torch.compile(step, backend="eager")
for size in (4, 5):
    loss = compiled(torch.randn(size, 3)) + compiled(torch.randn(size, 3))  # the first graph outlives the second call
    loss.backward()
    learn()
    optimizer.zero_grad()
    print(loss.item(), weight.tolist(), net.runs, net.last.item(), random.random())
held = torch.ones(3)
print(shrink(held).tolist(), held.tolist())
net.compile(backend="eager")
net.eval()
print(net(torch.ones(2, 3)).tolist(), net.norm.running_mean.tolist(), net.norm.num_batches_tracked.item())
print(seen, totals, calls, net.runs, torch.rand(1).item())
