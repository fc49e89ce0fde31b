"""How many guards of models are joined with Dynamo's own Guard objects, whether rightly, and what reading them costs.

    python bench/guard_origins.py [--models NAME …] [--cost]

Compiles models of ../shared/models on eager under a recorder, as `unjit run` has one. A line for each: guards, those
with a line of the program without and with the objects, those that stay as torch prints them, those whose origin is
known; and of these the ones that came from another object, found by watching torch add each guard
(tests/support/true_origins.py). With `--cost`: CPU milliseconds that reading the objects takes in the compile, the best
of five.
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import Any

import torch
import torch._dynamo

from unjit.model import GuardOrigin, Guards, Place, Unknown
from unjit.observe.guards.reading import live_guards
from unjit.observe.listening import recorder
from unjit.torch_private.guard_trees import guard_origins

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "tests" / "support"))

from agreement import frames  # noqa: E402
from corpus import models  # noqa: E402
from true_origins import watched, wrong  # noqa: E402


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n\n")[0])
    parser.add_argument("--models", nargs="*", default=list(models.MODELS))
    parser.add_argument("--cost", action="store_true")
    options = parser.parse_args()
    started = recorder.start()
    columns = "CPU ms of the compile, of reading" if options.cost else "guards, line without, line, raw, origin, wrong"
    print(f"model: {columns}")
    for name in options.models:
        figures = cost(*models.make(name)) if options.cost else joined(*models.make(name))
        print(f"{name}: {', '.join(map(str, figures))}", flush=True)
    print("losses:", started.errors or "none")


def compiled(model: Any, inputs: dict[str, Any]) -> None:
    torch._dynamo.reset()
    with torch.no_grad():
        torch.compile(model, backend="eager")(**inputs)


def joined(model: Any, inputs: dict[str, Any]) -> list[int]:
    figures = [0] * 6
    with frames() as noted, watched() as true:
        compiled(model, inputs)
    for manager, _ in noted:
        guards = live_guards(manager)[0]
        known = guard_origins._KNOWN.pop(manager)
        without = live_guards(manager)[0]
        guard_origins._KNOWN[manager] = known
        found = [isinstance(guard.origin, GuardOrigin) for guard in guards]
        raw = [isinstance(guard.check, Unknown) for guard in guards]
        bad = wrong(guards, true.get(id(manager), {}))
        more = (len(guards), lines(without), lines(guards), sum(raw), sum(found), len(bad))
        figures = [one + other for one, other in zip(figures, more, strict=True)]
    return figures


def lines(guards: Guards) -> int:
    """Those of which it is known which line of the program caused them."""
    return sum(isinstance(guard.cause, Place) for guard in guards)


def cost(model: Any, inputs: dict[str, Any]) -> list[float]:
    whole, reading = [], []
    read = guard_origins._read
    spent = [0.0]

    def timed(*made: Any) -> Any:
        began = time.process_time()
        try:
            return read(*made)
        finally:
            spent[0] += time.process_time() - began

    guard_origins._read = timed
    for _ in range(5):
        spent[0], began = 0.0, time.process_time()
        compiled(model, inputs)
        whole.append(time.process_time() - began)
        reading.append(spent[0])
    guard_origins._read = read
    return [round(min(whole) * 1e3, 1), round(min(reading) * 1e3, 2)]


if __name__ == "__main__":
    main()
