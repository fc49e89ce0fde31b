"""The programs of `bench/gpu.py`: each gives a function for a device, its arguments, and what torch.compile is told."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
import torch._dynamo
from torch import nn

PROGRAMS: dict[str, Callable[[str], Any]] = {}
GPU_ALONE = {"streams", "scaled_training", "autotuned_kernel", "kernel_of_its_own", "replayed", "replayed_training"}


def program(make: Callable[[str], Any]) -> Callable[[str], Any]:
    """Gives, for a device: the function, one that makes its arguments, and what torch.compile is told."""
    PROGRAMS[make.__name__] = make
    return make


@program
def flex_attention_causal(device: str) -> Any:
    from torch.nn.attention.flex_attention import create_block_mask, flex_attention

    mask = create_block_mask(lambda _b, _h, q, k: q >= k, None, None, 256, 256, device=device)

    def attend(q: Any, k: Any, v: Any) -> Any:
        return flex_attention(q, k, v, score_mod=lambda s, _b, _h, i, j: s + (j - i) * 0.01, block_mask=mask)

    grad = device == "cuda"
    return attend, lambda: [torch.randn(1, 2, 256, 64, device=device, requires_grad=grad) for _ in range(3)], {}


@program
def autotuned_product(device: str) -> Any:
    def product(a: Any, b: Any) -> Any:
        return torch.relu(a @ b + 1)

    options = {"mode": "max-autotune-no-cudagraphs"}
    return product, lambda: [torch.randn(256, 256, device=device) for _ in range(2)], options


@program
def replayed(device: str) -> Any:
    model = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.LayerNorm(64)).to(device).requires_grad_(False)
    return model, lambda: [torch.randn(8, 64, device=device)], {"mode": "reduce-overhead"}


@program
def replayed_training(device: str) -> Any:
    model = nn.Sequential(nn.Linear(64, 64), nn.GELU(), nn.Linear(64, 1)).to(device)

    def loss(x: Any) -> Any:
        return model(x).pow(2).mean()

    def arguments() -> list[Any]:
        model.zero_grad()
        return [torch.randn(8, 64, device=device, requires_grad=True)]

    return loss, arguments, {"mode": "reduce-overhead"}


@program
def generation(device: str) -> Any:
    """A decoder that fills a cache of fixed length, token by token."""
    width, length = 32, 16
    table, out = nn.Embedding(50, width).to(device), nn.Linear(width, 50).to(device)
    cache = torch.zeros(1, length, width, device=device)

    @torch.no_grad()
    def step(token: Any, at: Any) -> Any:
        hidden = table(token)
        cache.index_copy_(1, at, hidden)
        seen = torch.arange(length, device=token.device) <= at
        weights = (hidden @ cache.transpose(1, 2)).masked_fill(~seen, float("-inf")).softmax(-1)
        return out(weights @ cache).argmax(-1)

    def arguments() -> list[Any]:
        cache.zero_()
        return [torch.tensor([[7]], device=device), torch.tensor([3], device=device)]

    return step, arguments, {}


@program
def quantised_weights(device: str) -> Any:
    weights = torch.randint(-127, 127, (64, 64), dtype=torch.int8, device=device)
    scales = torch.rand(64, device=device)

    def product(x: Any) -> Any:
        return torch.nn.functional.linear(x, weights.to(x.dtype) * scales.unsqueeze(1)).clamp(-5, 5).round()

    return product, lambda: [torch.randn(4, 64, device=device)], {}


@program
def gathered_experts(device: str) -> Any:
    experts = nn.Parameter(torch.randn(4, 16, 16, device=device) / 4)

    def route(x: Any) -> Any:
        weights, chosen = x[:, :4].softmax(-1).topk(2)
        mixed = torch.einsum("td,tkde->tke", x, experts[chosen])
        return (mixed * weights.unsqueeze(-1)).sum(1)

    return route, lambda: [torch.randn(12, 16, device=device, requires_grad=True)], {}


@program
def convolutions_in_channels_last(device: str) -> Any:
    convolutions = nn.Conv2d(3, 8, 3), nn.Conv2d(8, 8, 3, groups=2)
    model = nn.Sequential(convolutions[0], nn.BatchNorm2d(8), nn.ReLU(), convolutions[1], nn.AdaptiveAvgPool2d(1))
    model = model.to(device, memory_format=torch.channels_last).eval()
    return model, lambda: [torch.randn(4, 3, 16, 16, device=device).to(memory_format=torch.channels_last)], {}


@program
def kernel_of_its_own(device: str) -> Any:
    from gpu_kernels import scale_and_shift

    def shifted(x: Any) -> Any:
        return scale_and_shift(x.sin()).cos().sum(-1)

    return shifted, lambda: [torch.randn(64, 100, device=device)], {}


@program
def autotuned_kernel(device: str) -> Any:
    from gpu_kernels import autotuned_add

    def added(x: Any, y: Any) -> Any:
        return autotuned_add(x * 2, y).exp()

    return added, lambda: [torch.randn(4096, device=device) for _ in range(2)], {}


@program
def streams(device: str) -> Any:
    def beside(x: Any) -> Any:
        stream = torch.cuda.Stream()
        stream.wait_stream(torch.cuda.current_stream())
        with torch.cuda.stream(stream):
            y = x.sin() * 2
        torch.cuda.current_stream().wait_stream(stream)
        return y + x

    return beside, lambda: [torch.randn(1000, device=device)], {}


@program
def scaled_training(device: str) -> Any:
    model = nn.Sequential(nn.Linear(32, 64), nn.ReLU(), nn.Linear(64, 1)).to(device)
    first = {key: value.clone() for key, value in model.state_dict().items()}

    def step(x: Any) -> Any:
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        scaler = torch.amp.GradScaler(device)
        with torch.autocast(device, dtype=torch.float16):
            loss = model(x).float().pow(2).mean()
        scaler.scale(loss).backward()
        scaler.step(optimizer)
        scaler.update()
        return loss.detach()

    def arguments() -> list[Any]:
        model.load_state_dict(first)
        model.zero_grad()
        return [torch.randn(16, 32, device=device)]

    return step, arguments, {}


@program
def optimizer(device: str) -> Any:
    parameters = [torch.randn(10, n + 1, device=device, requires_grad=True) for n in range(6)]
    first = [one.detach().clone() for one in parameters]
    adam = torch.optim.AdamW(parameters, lr=torch.tensor(0.01, device=device), capturable=device == "cuda")

    def step(scale: Any) -> Any:
        adam.step()
        return [one.detach() * scale for one in parameters]

    def arguments() -> list[Any]:
        adam.state.clear()
        for parameter, value in zip(parameters, first, strict=True):
            parameter.grad = torch.ones_like(value)
            with torch.no_grad():
                parameter.copy_(value)
        return [torch.ones((), device=device)]

    return step, arguments, {}


@program
def bfloat16_block(device: str) -> Any:
    layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True, norm_first=True).to(device)

    def block(x: Any) -> Any:
        with torch.autocast(device, dtype=torch.bfloat16):
            return layer(x).float()

    return block, lambda: [torch.randn(2, 16, 32, device=device, requires_grad=True)], {}


@program
def reductions_and_sorts(device: str) -> Any:
    def mixed(x: Any) -> Any:
        values, order = x.sort(dim=-1)
        return values.cumsum(-1), order, x.argmax(-1), torch.softmax(x, -1).log().var(-1), x.topk(3).values

    return mixed, lambda: [torch.randn(33, 70, device=device)], {}


@program
def sizes_that_vary(device: str) -> Any:
    def of_any_size(x: Any) -> Any:
        return torch.nn.functional.layer_norm(x, x.shape[-1:]) * x.shape[0]

    return of_any_size, lambda: [torch.randn(17, 40, device=device, requires_grad=True)], {"dynamic": True}


@program
def indices(device: str) -> Any:
    table = nn.Embedding(50, 16).to(device)

    def gather(x: Any) -> Any:
        rows = table(x)
        return rows.scatter_add(1, torch.zeros_like(x).unsqueeze(-1).expand_as(rows), rows)[:, ::2]

    return gather, lambda: [torch.arange(48, device=device).reshape(6, 8) % 50], {}


@program
def conditions(device: str) -> Any:
    def either(x: Any) -> Any:
        return torch.cond(x.sum() > 0, lambda y: y.sin() + 1, lambda y: y.cos(), (x,))

    return either, lambda: [torch.randn(100, device=device)], {}


@program
def two_devices(device: str) -> Any:
    def across(x: Any, y: Any) -> Any:
        return (x.sin() + y.to(x.device)).sum(), y * 2

    return across, lambda: [torch.randn(10, device=device), torch.randn(10)], {}


@program
def broken_in_the_middle(device: str) -> Any:
    def broken(x: Any) -> Any:
        y = x.relu() * 2
        torch._dynamo.graph_break()
        if y.sum() > 0:
            y = y @ y
        return y.sin()

    return broken, lambda: [torch.rand(32, 32, device=device, requires_grad=True)], {}


@program
def low_precision_product(device: str) -> Any:
    def product(a: Any, b: Any) -> Any:
        return (a.to(torch.bfloat16) @ b.to(torch.bfloat16)).float().softmax(-1)

    return product, lambda: [torch.randn(128, 128, device=device) for _ in range(2)], {}
