"""A program with which Dynamo has about every kind of trouble, on small tensors."""

import torch


def loops(x):
    for _ in range(3):
        x = x + 1
        print("in a loop")
    return x


def constants(x, k):
    return x.sin() * k


def branches(a):
    a = a + 1
    if a.sum() < 0:
        a = -a
    return a * 2


def fails(x):
    torch._dynamo.graph_break()
    return x


def small(x):
    return x * x.sum().item()


def run(backend="eager"):
    torch.compile(loops, backend=backend)(torch.ones(3))
    with torch._dynamo.config.patch(cache_size_limit=2, automatic_dynamic_shapes=False):
        compiled = torch.compile(constants, backend=backend, dynamic=False)
        for k in (2, 3, 4):
            compiled(torch.ones(3), k)
    compiled = torch.compile(branches, backend=backend)
    for size in (3, 4):
        compiled(torch.ones(size))
        compiled(-2 * torch.ones(size))
    try:
        torch.compile(fails, backend=backend, fullgraph=True)(torch.ones(2))
    except Exception as error:
        print(type(error).__name__)
    torch.compile(small, backend=backend)(torch.ones(2))


if __name__ == "__main__":
    run()
