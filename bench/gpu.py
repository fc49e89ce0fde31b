"""Programs for a GPU, each compiled as it is, in a capture, and in every stage of `unjit.debug`.

    python bench/gpu.py [NAME ...] [--device cuda] [--jobs 4] [--seconds 300]

What people do on GPUs beyond what `tests/test_gpu.py` has: flex attention, autotuned matrix products, kernels of Triton
by hand, `reduce-overhead`, streams, mixed precision with a scaler, optimizers that are compiled. Each in a process of
its own. A line for each difference: results and gradients that are not the same, anything lost, files that do not
compile, code without source, kernels that lead to no node, a stage that differs from the kernels, backends that part.
With `--device cpu` those that a CPU can run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
import torch._dynamo
from torch import nn
from torch.utils._pytree import tree_leaves

import unjit
from operators import asked
from unjit.api.compare import compare_on
from unjit.model import Unknown

STAGES = ("post_grad", "forward", "captured")
PROGRAMS: dict[str, Callable[[str], Any]] = {}
GPU_ALONE = {"streams", "scaled_training", "autotuned_kernel", "kernel_of_its_own", "replayed", "replayed_training"}


def program(make: Callable[[str], Any]) -> Callable[[str], Any]:
    """Gives, for a device: the function, one that makes its arguments, and what torch.compile is told."""
    PROGRAMS[make.__name__] = make
    return make


# ---------------------------------------------------------------- what is run
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


# ---------------------------------------------------------------- alone and under unjit
def faults_of(name: str, device: str) -> Iterator[str]:
    torch.manual_seed(0)
    function, arguments, options = PROGRAMS[name](device)
    alone = results(function, arguments, options)
    with tempfile.TemporaryDirectory() as folder:
        with unjit.capture(Path(folder, "out"), fresh=True) as session:
            watched = results(function, arguments, options)
            yield from (f"asked: {one}" for one in asked(_fresh(function, arguments)))
        if not close(alone, watched):
            yield "results differ in a capture"
        yield from (f"lost: {loss}" for loss in session.losses)
        yield from of_files(Path(folder, "out"))
        if unjit.load(Path(folder, "out")).data != session.data:
            yield "the directory reads back as something else"
        yield from of_kernels(session)
        for stage in STAGES:
            yield from of_stage(stage, function, arguments, options, alone, Path(folder, stage))
    yield from of_comparison(function, arguments)


def results(function: Any, arguments: Any, options: Any) -> list[torch.Tensor]:
    """What two calls give, with the gradients of the second."""
    torch._dynamo.reset()
    compiled = torch.compile(function, **options)
    return called(compiled, arguments) + called(compiled, arguments)


def called(compiled: Any, arguments: Any) -> list[torch.Tensor]:
    torch.manual_seed(0)
    torch.compiler.cudagraph_mark_step_begin()
    given = arguments()
    tensors = [one for one in tree_leaves(compiled(*given)) if isinstance(one, torch.Tensor)]
    asked_for = [one for one in tensors if one.requires_grad]
    if asked_for:
        sum(one.float().abs().sum() for one in asked_for).backward()
    return [*(one.detach().clone() for one in tensors), *(one.grad.clone() for one in given if one.grad is not None)]


def close(one: list[torch.Tensor], other: list[torch.Tensor]) -> bool:
    pairs = [(a.double(), b.double()) for a, b in zip(one, other, strict=False)]
    alike = (torch.allclose(a, b, rtol=2e-2, atol=2e-2, equal_nan=True) for a, b in pairs)
    return len(one) == len(other) and all(alike)


def _fresh(function: Any, arguments: Any) -> Any:
    """As `bench/operators.py` asks."""
    if isinstance(function, nn.Module):
        object.__setattr__(function, "fresh", lambda: (arguments(), {}))
    else:
        function.fresh = lambda: (arguments(), {})
    return function


def of_files(folder: Path) -> Iterator[str]:
    for path in folder.rglob("*.py"):
        try:
            compile(path.read_text(), str(path), "exec")
        except SyntaxError as error:
            yield f"{path.relative_to(folder)}: {error}"


def of_kernels(session: Any) -> Iterator[str]:
    for compile_ in session.data.compiles:
        if any(one.result == "hit" for one in compile_.caches):
            continue  # the compile that filled the cache tells
        for kernel in compile_.kernels if not isinstance(compile_.kernels, Unknown) else ():
            if kernel.language != "library" and isinstance(kernel.operations, Unknown):
                yield f"kernel {kernel.name} leads to no node: {kernel.operations}"


def of_stage(stage: str, function: Any, arguments: Any, options: Any, alone: Any, folder: Path) -> Iterator[str]:
    torch._dynamo.reset()
    compiled = torch.compile(function, **options)
    called(compiled, arguments)
    with unjit.debug(function, stage=stage, directory=folder, quiet=True) as session:
        inside = called(compiled, arguments)
    after = called(compiled, arguments)
    half = len(alone) // 2
    if not close(alone[half:], inside):
        yield f"{stage}: results differ"
    if not close(alone[half:], after):
        yield f"{stage}: results differ behind the block"
    yield from (f"{stage}: {problem}" for problem in session.problems)
    yield from (f"{stage}: {one}" for one in session.comparisons if one.first is not None)
    if stage != "captured" and not session.comparisons:
        yield f"{stage}: nothing was compared"


def of_comparison(function: Any, arguments: Any) -> Iterator[str]:
    torch._dynamo.reset()
    torch.manual_seed(0)
    found = compare_on(["eager", "aot_eager", "inductor"], function, tuple(arguments()), {})
    if any(trial.outcome != "same" for trial in found.data.trials):
        yield f"compared: {found}"


# ---------------------------------------------------------------- one process each
def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(PROGRAMS)}; all otherwise")
    parser.add_argument("--device", default="cuda")
    parser.add_argument("--jobs", type=int, default=4, metavar="N", help="how many programs at a time; 4 without")
    parser.add_argument("--seconds", type=int, default=300, help="how long one may take")
    parser.add_argument("--here", action="store_true", help="run the one program that is named in this process")
    arguments = parser.parse_args()
    names = arguments.names or [one for one in PROGRAMS if arguments.device == "cuda" or one not in GPU_ALONE]
    if unknown := [name for name in names if name not in PROGRAMS]:
        parser.error(f"{', '.join(unknown)}: no program of {', '.join(PROGRAMS)}")
    if arguments.here:
        return here(names[0], arguments.device)
    with ThreadPoolExecutor(arguments.jobs) as pool:
        told = list(pool.map(lambda name: apart(name, arguments.device, arguments.seconds), names))
    print(f"{len(names)} programs, {told.count(True)} without a difference")
    return int(not all(told))


def here(name: str, device: str) -> int:
    began, found = time.perf_counter(), []
    try:
        for fault in faults_of(name, device):
            found.append(fault)
            print(f"{name}: {fault}", flush=True)
    except Exception:
        found.append("raised")
        traceback.print_exc()
    print(f"{name}: {len(found)} differences, {time.perf_counter() - began:.0f} s", flush=True)
    return int(bool(found))


def apart(name: str, device: str, seconds: int) -> bool:
    command = [sys.executable, "-W", "ignore", __file__, name, "--device", device, "--here"]
    try:
        return subprocess.run(command, check=False, timeout=seconds).returncode == 0
    except subprocess.TimeoutExpired:
        print(f"{name}: not done in {seconds} s", flush=True)
        return False


if __name__ == "__main__":
    sys.exit(main())
