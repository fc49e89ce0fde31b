"""1,000 compiles of 200 functions under a recorder and in captures: what stays in memory, and what else is left.

    python bench/soak.py [--rounds 10] [--functions 20] [--sizes 5] [plain recorder captures threads …]

A round compiles 20 functions for 5 sizes each and ends with `torch._dynamo.reset()`; ten rounds have ten different
sets of functions. Prints MB of growth per 100 compiles over the second half of the rounds, beside that of torch alone,
and everything else that a block left behind.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import subprocess
import sys
import tempfile
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "tests" / "support"))

import soaking

KINDS = ["plain", "recorder", "captures", "threads"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("kinds", nargs="*", choices=[*KINDS, []], default=KINDS)
    parser.add_argument("--rounds", type=int, default=10)
    parser.add_argument("--functions", type=int, default=20)
    parser.add_argument("--sizes", type=int, default=5)
    options = parser.parse_args()
    if len(options.kinds) > 1:
        rest = [f"--rounds={options.rounds}", f"--functions={options.functions}", f"--sizes={options.sizes}"]
        for kind in options.kinds:  # each in a process of its own
            subprocess.run([sys.executable, __file__, kind, *rest], check=True)
        return
    with tempfile.TemporaryDirectory() as folder:
        soak(options.kinds[0], options, Path(folder))


def soak(kind: str, options: argparse.Namespace, folder: Path) -> None:
    torch._dynamo.config.recompile_limit = options.sizes + 1
    around = {
        "plain": contextlib.nullcontext,
        "threads": contextlib.nullcontext,
        "recorder": soaking.recorded,
        "captures": functools.partial(soaking.captured, folder, itertools.count()),
    }[kind]
    sizes = range(2, 2 + options.sizes)
    before, seen, compiles = None, [], 0
    everything = soaking.functions(options.functions * options.rounds)
    for number in range(options.rounds):
        chosen = everything[number * options.functions :][: options.functions]
        with around():
            if kind == "threads":
                soaking.threads(8, chosen[:5], sizes)
            else:
                compiles += soaking.compile_all(chosen, sizes)
        torch._dynamo.reset()
        seen.append(soaking.memory())
        held = soaking.held()
        before = before or held
    half = len(seen) // 2
    growth = (seen[-1] - seen[half - 1]) / (len(seen) - half) / (options.functions * options.sizes / 100)
    left = {name: (before[name], value) for name, value in held.items() if value != before[name]}
    print(
        f"{kind}: {compiles} calls that compile, {growth:+.2f} MB per 100; left behind: {left or 'nothing'}", flush=True
    )
    print("   MB after each round:", " ".join(f"{one:.1f}" for one in seen), flush=True)


if __name__ == "__main__":
    main()
