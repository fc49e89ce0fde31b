"""A branch on data, static then dynamic shapes, backward. Arguments: the backend."""
import sys

import torch


def toy(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


compiled = torch.compile(toy, backend=sys.argv[1])
for size, sign in ((4, 1), (4, -1), (6, -1), (9, 1)):
    a = torch.ones(size, requires_grad=True)
    compiled(a, sign * torch.ones(size)).sum().backward()
    print(a.grad.tolist())
