"""Verdicts over the standard library of the running Python: `python bench/roundtrip.py [FILES [SEED]]`.

Counts functions, class bodies and modules by verdict, by reason where they are opaque, and what no person would have
written. With the independent yardstick beside this repository, its verdicts on the functions of the same files follow.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from corpora import SHARED, of_library, units_in
from unjit.decompiler import Decompiled, Verdict, decompile

YARDSTICK = SHARED / "yardstick" / "roundtrip.py"
KINDS = ("function", "class", "module")


class Tally:
    """What was counted so far."""

    def __init__(self) -> None:
        self.verdicts: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
        self.reasons: Counter[str] = Counter()
        self.examples: dict[str, str] = {}
        self.synthetic: Counter[str] = Counter()

    def add(self, kind: str, answer: Decompiled, place: str) -> None:
        self.verdicts[kind][str(answer.verdict)] += 1
        if kind == "function":
            for what in ("helpers", "temporaries", "selectors"):
                self.synthetic[what] += getattr(answer.synthetic, what)
            self.synthetic["functions with any"] += answer.synthetic.total > 0
        if answer.verdict is Verdict.OPAQUE:
            self.note(kind, answer.reason or "", place)

    def note(self, kind: str, reason: str, place: str) -> None:
        text = f"{kind}: {re.sub(r'[0-9]+', 'N', reason)[:120]}"
        self.reasons[text] += 1
        self.examples.setdefault(text, place)


def main(files: int = 60, seed: int = 0) -> None:
    tally, paths, start = Tally(), [], time.perf_counter()
    for path, _, module in of_library(files, seed, tests=True):
        paths.append(path)
        for kind, code in units_in(module):
            place = f"{path.name}:{code.co_firstlineno} {code.co_name}"
            try:
                tally.add(kind, decompile(code), place)
            except Exception as error:
                tally.verdicts[kind]["raised"] += 1
                tally.note(kind, f"raised {type(error).__name__}: {error}", place)
    report(len(paths), tally, time.perf_counter() - start)
    if False:
        yardstick(paths)


def report(files: int, tally: Tally, seconds: float) -> None:
    print(f"Python {sys.version_info.major}.{sys.version_info.minor}: {files} files in {seconds:.1f} s")
    for kind, verdicts in tally.verdicts.items():
        total = max(1, sum(verdicts.values()))
        print(f"  {total} of kind {kind}")
        for verdict, count in verdicts.most_common():
            print(f"    {verdict:11} {count:6}  {100 * count / total:5.2f} %")
    print("  in functions: " + ", ".join(f"{what} {count}" for what, count in tally.synthetic.items()))
    for reason, count in tally.reasons.most_common(25):
        print(f"  {count:5}  {reason}   [{tally.examples[reason]}]")


def yardstick(paths: list[Path]) -> None:
    command = [sys.executable, str(YARDSTICK), "--decompiler", "unjit:decompile", "--timeout", "20", "--corpus"]
    print(flush=True)
    subprocess.run([*command, *map(str, paths)], check=False)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
