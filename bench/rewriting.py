"""What a call costs when an installed copy is taken: CPU time of `x * k` on eager, in microseconds, best of 9.

python bench/rewriting.py
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable

import torch

import unjit
from unjit import rewrite


def scaled(x: torch.Tensor, k: int = 1) -> torch.Tensor:
    return x * k


def cost(call: Callable[[torch.Tensor], object], x: torch.Tensor, calls: int = 20_000) -> str:
    best = float("inf")
    for _ in range(9):
        start = time.process_time()
        for _ in range(calls):
            call(x)
        best = min(best, time.process_time() - start)
    return f"{best / calls * 1e6:6.2f}"


def main() -> None:
    warnings.simplefilter("ignore")
    compiled, x = torch.compile(scaled, backend="eager", dynamic=False), torch.ones(3)
    compiled(x)
    entry = unjit.explain(compiled).entries[0]
    print("ordinary entry", cost(compiled, x))
    copies = {
        "copy": entry.copy(),
        "copy and an expression": entry.copy(guards="x.shape[0] == 3"),
        "one guard of several dropped": entry.copy(guards=rewrite.drop(lambda guard: guard.kind == "TENSOR_MATCH")),
        "an expression alone": entry.copy(guards=rewrite.only("k == 1")),
    }
    for name, new in copies.items():
        for position in ("first", "cache"):
            with new.install(position):
                print(f"{name}, {position}:", cost(compiled, x))


if __name__ == "__main__":
    main()
