"""What a capture adds to compiling: models plain, with a handler that only stores, under a capture, and after one.

    python bench/capture_overhead.py [--backend eager] [--rounds 3] [--cold] [--models bert …] [--kinds handler capture]

Each measurement compiles and runs a model once, forward and (with --backward) backward, after torch._dynamo.reset(), in
a process of its own per model, the kinds in turn. CPU time of the process and of its children (g++) is counted;
the best of the rounds is taken for each kind. Within a process torch compiles no C++ a second time, and imports nothing
again: with --cold, each measurement has a process of its own, so that both are counted, as in a program that compiles
once; the bytecode of unjit is written first, as installers do. What is told as added by a capture is what it takes more
than the handler does, as a share of the latter's time. The handler does what any listener to torch's trace costs: torch
makes all texts for it. Needs the models of ../shared/models beside the repository.
"""

from __future__ import annotations

import argparse
import compileall
import gc
import importlib.util
import json
import logging
import os
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

MODELS = Path(__file__).resolve().parents[2] / "shared" / "models"
KINDS = ("plain", "handler", "capture", "after")
AGAINST = {"handler": "plain", "capture": "handler", "after": "plain"}
DEFAULT = ["gpt2", "bert", "t5", "resnet", "llama", "vit"]


class Store(logging.Handler):
    """Keeps records and nothing else."""

    def __init__(self) -> None:
        super().__init__(logging.DEBUG)
        self.records: list[Any] = []

    def emit(self, record: logging.LogRecord) -> None:
        """Keep one."""
        self.records.append((record.metadata, record.payload))  # type: ignore[attr-defined]


@contextmanager
def watching(kind: str, folder: str) -> Iterator[None]:
    """The block with nothing, a handler, or a capture around it."""
    if kind == "capture":
        import unjit

        with unjit.capture(Path(folder) / "out"):
            yield
    elif kind == "handler":
        handler, log = Store(), logging.getLogger("torch.__trace")
        log.addHandler(handler)
        yield
        log.removeHandler(handler)
    else:
        yield


def capture_and_forget() -> None:
    """A capture of something small that has ended."""
    import torch

    import unjit

    with unjit.capture():
        torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
    torch._dynamo.reset()


def cpu() -> float:
    """CPU seconds of this process and of the children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def measure(
    name: str,
    how: str,
    backend: str,
    kinds: list[str],
    rounds: int,
    *,
    backward: bool,
    alone: str | None,
    device: str,
) -> dict[str, float]:
    """The best CPU seconds of each kind for one model; of one run of one kind alone."""
    sys.path.insert(0, str(MODELS))
    import torch
    from models import flatten, make, with_breaks

    def once(kind: str) -> float:
        torch._dynamo.reset()
        if kind == "after":
            capture_and_forget()
        model, inputs = make(name)
        model.to(device)
        inputs = {key: value.to(device) for key, value in inputs.items()}
        compiled = torch.compile(with_breaks(model) if how == "breaks" else model, backend=backend)
        gc.collect()  # a full collection in one run and not in the others would tell nothing
        with tempfile.TemporaryDirectory() as folder:
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"{folder}/cache"
            begin = cpu()
            with watching(kind, folder), torch.set_grad_enabled(backward):
                outputs = flatten(compiled(**inputs))
                if backward:
                    sum(output.sum() for output in outputs if output.requires_grad).backward()
            return cpu() - begin

    if alone:
        return {alone: once(alone)}
    once("capture")  # imports everything
    found: dict[str, list[float]] = {kind: [] for kind in kinds}
    for number in range(rounds):
        for kind in in_turn(kinds, number):
            found[kind].append(once(kind))
    return {kind: min(times) for kind, times in found.items()}


def in_turn(kinds: list[str], number: int) -> list[str]:
    """The kinds, beginning with another one in each round."""
    first = number % len(kinds)
    return kinds[first:] + kinds[:first]


def main() -> None:
    """Measure each model in a process of its own and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--device", default="cpu", help="cuda: where the models run")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--backward", action="store_true")
    parser.add_argument("--models", nargs="+", default=DEFAULT)
    parser.add_argument("--how", nargs="+", default=["plain", "breaks"])
    parser.add_argument("--cold", action="store_true", help="a process for each measurement")
    parser.add_argument("--kinds", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    parser.add_argument("--alone", choices=KINDS, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        how = {"backward": chosen.backward, "alone": chosen.alone, "device": chosen.device}
        found = measure(*chosen.one, chosen.backend, chosen.kinds, chosen.rounds, **how)
        print(json.dumps(found))
        return
    if chosen.cold:
        compile_unjit()
    totals = dict.fromkeys(chosen.kinds, 0.0)
    for name in every_model() if chosen.models == ["all"] else chosen.models:
        for how in chosen.how:
            found = in_processes_of_their_own(name, how, chosen) if chosen.cold else in_a_process(name, how, chosen)
            totals = {kind: totals[kind] + found[kind] for kind in totals}
            print(f"{name:12} {how:7} {told(found)}", flush=True)
    print(f"{'all':12} {'':7} {told(totals)}")


def compile_unjit() -> None:
    """Write the bytecode of its modules and templates, as installers do: no process compiles what it imports."""
    found = importlib.util.find_spec("unjit")
    assert found is not None, "unjit is not installed"
    assert found.origin is not None, "unjit is a package with a file"
    compileall.compile_dir(Path(found.origin).parent, quiet=1)
    from unjit.report.rendering import TEMPLATES, environment

    sys.dont_write_bytecode = False
    for name in TEMPLATES.list_templates():
        environment().get_template(name)


def in_a_process(name: str, how: str, chosen: argparse.Namespace, *more: str) -> dict[str, float]:
    """What a process measures of a model."""
    command = [sys.executable, __file__, "--one", name, how, "--backend", chosen.backend, *more]
    command += ["--device", chosen.device, "--kinds", *chosen.kinds]
    command += ["--rounds", str(chosen.rounds), *(["--backward"] if chosen.backward else [])]
    environment = {**os.environ, "TORCHINDUCTOR_COMPILE_THREADS": "1", "OMP_NUM_THREADS": "1"}
    done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
    return dict(json.loads(done.stdout.splitlines()[-1]))


def in_processes_of_their_own(name: str, how: str, chosen: argparse.Namespace) -> dict[str, float]:
    """The best of each kind, every run in a new process."""
    found: dict[str, list[float]] = {kind: [] for kind in chosen.kinds}
    for number in range(chosen.rounds):
        for kind in in_turn(chosen.kinds, number):
            found[kind].append(in_a_process(name, how, chosen, "--alone", kind)[kind])
    return {kind: min(times) for kind, times in found.items()}


def every_model() -> list[str]:
    """The names of all models of ../shared/models."""
    sys.path.insert(0, str(MODELS))
    import models

    return sorted(models.MODELS)


def told(found: dict[str, float]) -> str:
    """Seconds, and what each kind adds to the one that it is to be held against."""
    pairs = [(kind, to) for kind, to in AGAINST.items() if kind in found and to in found]
    added = [f"{kind} {found[kind] / found[to] - 1:+.1%} of {to}" for kind, to in pairs]
    return f"{', '.join(f'{kind} {found[kind]:.2f} s' for kind in found)}: {', '.join(added)}"


if __name__ == "__main__":
    main()
