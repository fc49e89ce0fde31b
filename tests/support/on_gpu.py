"""What tests on a GPU compile there, and how results are compared."""

from __future__ import annotations

import torch
import torch._dynamo

DEVICE = "cuda"


def layers(x, w):
    scaled = torch.relu(x) * 2
    return (scaled @ w).sin().sum(0), scaled.exp()


def inputs():
    torch.manual_seed(0)
    return torch.randn(64, 64, device=DEVICE, requires_grad=True), torch.randn(64, 64, device=DEVICE)


def train(function):
    x, w = inputs()
    a, b = function(x, w)
    (a.sum() + b.sum()).backward()
    return a.detach(), b.detach(), x.grad


def same(one, other):
    return all(torch.allclose(a, b, rtol=1e-3, atol=1e-3) for a, b in zip(one, other, strict=True))

