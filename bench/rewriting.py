"""What a call costs when an installed copy is taken: CPU time in microseconds, best of 9.

Of `x * k` on eager, and of a module with 40 layers and one multiplication, where guards are most of the cost.

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


class Deep(torch.nn.Module):
    """Hundreds of guards and hardly any work."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(1, 1) for _ in range(40))

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        for layer in self.layers:
            assert layer.weight.shape == (*layer.bias.shape, 1)
        return x * self.layers[0].bias


def cost(call: Callable[[torch.Tensor], object], x: torch.Tensor, calls: int = 20_000) -> str:
    best = float("inf")
    for _ in range(9):
        start = time.process_time()
        for _ in range(calls):
            call(x)
        best = min(best, time.process_time() - start)
    return f"{best / calls * 1e6:6.2f}"


def of_a_deep_module() -> None:
    module, x = Deep().requires_grad_(False), torch.ones(3)
    compiled = torch.compile(module, backend="eager", dynamic=False)
    compiled(x)
    entry = unjit.explain(compiled).entries[0]
    print(f"{len(list(entry.guards))} guards, ordinary entry", cost(compiled, x, 1000))
    layer = ("TYPE_MATCH", "self.layers[7]")
    kinds = {"x": ("TENSOR_MATCH", "x"), "a layer": layer, "the module": ("TYPE_MATCH", "self")}
    for name, chosen in kinds.items():
        copy = entry.copy(guards=rewrite.drop(lambda guard, chosen=chosen: (guard.kind, str(guard.subject)) == chosen))
        with copy.install():
            print(f"one guard on {name} dropped, first:", cost(compiled, x, 1000))


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
    of_a_deep_module()
    print("compiled in a capture, so that torch builds its guards again:")
    torch._dynamo.reset()
    with unjit.capture():
        of_a_deep_module()


if __name__ == "__main__":
    main()
