"""Programs for a GPU, each compiled as it is, in a capture, and in every stage of `unjit.debug`.

    python bench/gpu.py [NAME ...] [--device cuda] [--jobs 4] [--seconds 300]

What people do on GPUs beyond what `tests/gpu` has: flex attention, autotuned matrix products, kernels of
Triton by hand, `reduce-overhead`, streams, mixed precision with a scaler, optimizers that are compiled. Each in a
process of its own. A line for each difference: results and gradients that are not the same, anything lost, files that
do not compile, code without source, kernels that lead to no node, a stage that differs from the kernels, backends that
part.
With `--device cpu` those that a CPU can run.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
import time
import traceback
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import torch
import torch._dynamo
from torch import nn
from torch.utils._pytree import tree_leaves

import unjit
from gpu_programs import GPU_ALONE, PROGRAMS
from operators import asked
from unjit.api.compare import compare_on
from unjit.model import Unknown

STAGES = ("post_grad", "forward", "captured")


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
        yield f"{stage}: results differ after the block"
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
