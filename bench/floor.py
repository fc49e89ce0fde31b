"""What sweeps have reached, in `floor.json`: shares in per cent by Python, corpus and kind of code. It only rises.

`identical` and `proved` (identical or equivalent) are the least that a whole sweep may give; `synthetic`, the share
with a helper, temporary or selector, is the most.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

FLOOR = Path(__file__).with_suffix(".json")
MOST = frozenset({"synthetic"})  # of the others there is a least

Shares = dict[str, float]


def shares(verdicts: list[str], synthetic: int) -> Shares:
    """What a sweep gave, rounded for the worse to hundredths of a per cent; `verdicts` has at least one."""
    counts = {
        "identical": verdicts.count("identical"),
        "proved": verdicts.count("identical") + verdicts.count("equivalent"),
        "synthetic": synthetic,
    }
    return {name: _rounded(name, 10000 * count / len(verdicts)) for name, count in counts.items()}


def _rounded(name: str, hundredths: float) -> float:
    return (math.ceil(hundredths) if name in MOST else math.floor(hundredths)) / 100


def fallen(version: str, corpus: str, kind: str, now: Shares) -> list[str]:
    """A sentence for each share that is worse than the floor."""
    floor = _read().get(version, {}).get(corpus, {}).get(kind, {})
    return [
        f"{version} {corpus}, {kind}: {name} is {now[name]:.2f} %, the floor is {share:.2f} %"
        for name, share in floor.items()
        if _better(name, share, now[name]) and share != now[name]
    ]


def rise(version: str, corpus: str, kind: str, now: Shares) -> None:
    """Write down what is better than the floor, or has none."""
    known = _read()
    floor = known.setdefault(version, {}).setdefault(corpus, {}).setdefault(kind, {})
    for name, share in now.items():
        if name not in floor or _better(name, share, floor[name]):
            floor[name] = share
    FLOOR.write_text(json.dumps(known, indent=1, sort_keys=True) + "\n")


def _better(name: str, share: float, other: float) -> bool:
    return share <= other if name in MOST else share >= other


def _read() -> dict[str, dict[str, dict[str, Shares]]]:
    known: dict[str, dict[str, dict[str, Shares]]] = json.loads(FLOOR.read_text()) if FLOOR.exists() else {}
    return known
