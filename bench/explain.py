"""What `unjit.explain` costs, against the first compile of the same model.

    python bench/explain.py [model ...] [--backend eager] [--breaks]

Prints one line per model: seconds of the first compile, of loading unjit, of the first explain and its share of the
first compile (aim: under 5 %), of a later explain, and of the text.
"""

from __future__ import annotations

import argparse
import importlib
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

SHARED = Path(__file__).resolve().parents[2] / "shared" / "models"
T = TypeVar("T")


def timed(work: Callable[[], T]) -> tuple[float, T]:
    start = time.perf_counter()
    result = work()
    return time.perf_counter() - start, result


def measure(name: str, backend: str, *, breaks: bool) -> str:
    """One model in this process, which must be a fresh one."""
    sys.path.insert(0, str(SHARED))
    import models
    import torch

    model, inputs = models.make(name)
    compiled = torch.compile(models.with_breaks(model) if breaks else model, backend=backend)
    with torch.no_grad():
        compile_time, _ = timed(lambda: compiled(**inputs))
    loading, unjit = timed(lambda: importlib.import_module("unjit.api.explain"))
    first, _ = timed(lambda: unjit.explain(compiled))
    again, explanation = timed(lambda: unjit.explain(compiled))
    printing, text = timed(lambda: str(explanation))
    return (
        f"{name:14} compile {compile_time:6.2f} s  load unjit {loading:.3f} s  explain {first:.3f} s, "
        f"{first / compile_time:.1%} of the compile  again {again:.3f} s  text {printing:.3f} s  "
        f"{len(explanation.functions)} functions, {len(text):,} characters"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("models", nargs="*", default=["gpt2"])
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--breaks", action="store_true", help="with a graph break after each block")
    parser.add_argument("--here", action="store_true", help="in this process; without it, a fresh one for each model")
    options = parser.parse_args()
    if not SHARED.is_dir():
        print(f"needs the models in {SHARED}")
        return 1
    for name in options.models:
        if options.here:
            print(measure(name, options.backend, breaks=options.breaks), flush=True)
            continue
        flags = ["--backend", options.backend, "--here", *(["--breaks"] if options.breaks else [])]
        subprocess.run([sys.executable, __file__, name, *flags], check=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
