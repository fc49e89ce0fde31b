"""What a capture adds to compiling: the same models plain, with a handler that only stores, and under `unjit.capture`.

    python bench/capture_overhead.py [--backend eager] [--rounds 3] [--models gpt2 bert …] [--how plain breaks]

Each measurement compiles and runs a model once, forward and (with --backward) backward, after torch._dynamo.reset(), in
a process of its own per model, the three kinds in turn. CPU time of the process and of its children (g++) is counted;
the best of the rounds is taken for each kind. The handler does what any listener to torch's trace costs: torch makes
all texts for it. Needs the models of ../shared/models beside the repository.
"""

from __future__ import annotations

import argparse
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
KINDS = ("plain", "handler", "capture")
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


def cpu() -> float:
    """CPU seconds of this process and of the children that have ended."""
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(one.ru_utime + one.ru_stime for one in used)


def measure(name: str, how: str, backend: str, rounds: int, *, backward: bool) -> dict[str, float]:
    """The best CPU seconds of each kind for one model."""
    sys.path.insert(0, str(MODELS))
    import torch
    from models import flatten, make, with_breaks

    def once(kind: str) -> float:
        torch._dynamo.reset()
        model, inputs = make(name)
        compiled = torch.compile(with_breaks(model) if how == "breaks" else model, backend=backend)
        with tempfile.TemporaryDirectory() as folder:
            os.environ["TORCHINDUCTOR_CACHE_DIR"] = f"{folder}/cache"
            begin = cpu()
            with watching(kind, folder), torch.set_grad_enabled(backward):
                outputs = flatten(compiled(**inputs))
                if backward:
                    sum(output.sum() for output in outputs if output.requires_grad).backward()
            return cpu() - begin

    once("capture")  # imports everything
    found: dict[str, list[float]] = {kind: [] for kind in KINDS}
    for number in range(rounds):
        for kind in KINDS[number % 3 :] + KINDS[: number % 3]:
            found[kind].append(once(kind))
    return {kind: min(times) for kind, times in found.items()}


def main() -> None:
    """Measure each model in a process of its own and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--backward", action="store_true")
    parser.add_argument("--models", nargs="+", default=DEFAULT)
    parser.add_argument("--how", nargs="+", default=["plain", "breaks"])
    parser.add_argument("--one", nargs=2, help=argparse.SUPPRESS)
    chosen = parser.parse_args()
    if chosen.one:
        print(json.dumps(measure(*chosen.one, chosen.backend, chosen.rounds, backward=chosen.backward)))
        return
    totals = dict.fromkeys(KINDS, 0.0)
    for name in chosen.models:
        for how in chosen.how:
            command = [sys.executable, __file__, "--one", name, how, "--backend", chosen.backend]
            command += ["--rounds", str(chosen.rounds), *(["--backward"] if chosen.backward else [])]
            environment = {**os.environ, "TORCHINDUCTOR_COMPILE_THREADS": "1", "OMP_NUM_THREADS": "1"}
            done = subprocess.run(command, env=environment, check=True, stdout=subprocess.PIPE, text=True)
            found = json.loads(done.stdout.splitlines()[-1])
            totals = {kind: totals[kind] + found[kind] for kind in KINDS}
            print(f"{name:12} {how:7} {told(found)}", flush=True)
    print(f"{'all':12} {'':7} {told(totals)}")


def told(found: dict[str, float]) -> str:
    """Seconds, and what is added to the plain run."""
    plain = found["plain"]
    added = ", ".join(f"{kind} {found[kind] / plain - 1:+.1%}" for kind in KINDS[1:])
    return f"{', '.join(f'{kind} {found[kind]:.2f} s' for kind in KINDS)}: {added} of plain"


if __name__ == "__main__":
    main()
