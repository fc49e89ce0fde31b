"""What `unjit run` adds to a program that compiles with a cold inductor: pairs of processes, plain and under unjit.

    python bench/run_overhead.py [--pairs 5] [--layers 4] [--backend inductor]

The program compiles a small transformer, forward and backward, with an empty inductor cache and no parallel compile
workers, so that CPU time counts everything. Machines are shared: the figure to trust is CPU time, and the median of the
ratios within pairs, which run one after the other and take turns at going first.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

PROGRAM = """
import sys, time
import torch
from torch import nn
torch.manual_seed(0)
layer = nn.TransformerEncoderLayer(32, 4, 64, dropout=0.0, batch_first=True)
model = nn.TransformerEncoder(layer, int(sys.argv[2]), enable_nested_tensor=False)
compiled = torch.compile(model, backend=sys.argv[1])
compiled(torch.randn(2, 16, 32)).sum().backward()
"""


def measure(command: list[str]) -> tuple[float, float]:
    """Wall and CPU seconds of a command with an empty inductor cache."""
    with tempfile.TemporaryDirectory() as cache:
        environment = {**os.environ, "TORCHINDUCTOR_CACHE_DIR": cache, "TORCHINDUCTOR_COMPILE_THREADS": "1"}
        before, start = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
        subprocess.run(command, env=environment, check=True, capture_output=True)
        wall, after = time.perf_counter() - start, resource.getrusage(resource.RUSAGE_CHILDREN)
    return wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Run the pairs and print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--layers", type=int, default=4)
    parser.add_argument("--backend", default="inductor")
    chosen = parser.parse_args()
    ratios: dict[str, list[float]] = {"wall": [], "cpu": []}
    with tempfile.TemporaryDirectory() as folder:
        program = Path(folder) / "program.py"
        program.write_text(PROGRAM)
        arguments = [str(program), chosen.backend, str(chosen.layers)]
        commands = {
            "plain": [sys.executable, *arguments],
            "unjit": [sys.executable, "-m", "unjit", "run", *arguments],
        }
        for number in range(chosen.pairs):
            order = list(commands) if number % 2 else list(reversed(commands))
            found = {name: measure(commands[name]) for name in order}
            ratios["wall"].append(found["unjit"][0] / found["plain"][0])
            ratios["cpu"].append(found["unjit"][1] / found["plain"][1])
            print(
                f"pair {number + 1}: plain {found['plain'][0]:.1f} s wall, {found['plain'][1]:.1f} s CPU;"
                f" unjit run {found['unjit'][0]:.1f} s wall, {found['unjit'][1]:.1f} s CPU",
                flush=True,
            )
    for name, values in ratios.items():
        print(f"{name}: unjit run takes {statistics.median(values) - 1:+.1%} (median of {len(values)} pairs)")


if __name__ == "__main__":
    main()
