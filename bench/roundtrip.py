"""Verdicts over the standard library of the running Python: `python bench/roundtrip.py [FILES [SEED]]`.

Counts functions by verdict, by reason where they are opaque, and what no person would have written. With the
independent yardstick beside this repository, its verdicts on the same files follow.
"""

from __future__ import annotations

import re
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from corpora import SHARED, functions_in, of_library
from unjit.decompiler import Decompiled, Verdict, decompile

YARDSTICK = SHARED / "yardstick" / "roundtrip.py"


def main(files: int = 60, seed: int = 0) -> None:
    verdicts: Counter[str] = Counter()
    reasons: Counter[str] = Counter()
    synthetic: Counter[str] = Counter()
    examples: dict[str, str] = {}
    paths, start = [], time.perf_counter()
    for path, _, module in of_library(files, seed, tests=True):
        paths.append(path)
        for code in functions_in(module):
            place = f"{path.name}:{code.co_firstlineno} {code.co_name}"
            try:
                answer = decompile(code)
            except Exception as error:
                verdicts["raised"] += 1
                _count(reasons, examples, f"raised {type(error).__name__}: {error}", place)
                continue
            verdicts[str(answer.verdict)] += 1
            _count_synthetic(synthetic, answer)
            if answer.verdict is Verdict.OPAQUE:
                _count(reasons, examples, answer.reason or "", place)
    report(len(paths), verdicts, reasons, synthetic, examples, time.perf_counter() - start)
    if YARDSTICK.exists():
        yardstick(paths)


def _count(reasons: Counter[str], examples: dict[str, str], reason: str, place: str) -> None:
    kind = re.sub(r"\d+", "N", reason)[:110]
    reasons[kind] += 1
    examples.setdefault(kind, place)


def _count_synthetic(synthetic: Counter[str], answer: Decompiled) -> None:
    for what in ("helpers", "temporaries", "selectors"):
        synthetic[what] += getattr(answer.synthetic, what)
    synthetic["functions with any"] += answer.synthetic.total > 0


def report(
    files: int,
    verdicts: Counter[str],
    reasons: Counter[str],
    synthetic: Counter[str],
    examples: dict[str, str],
    seconds: float,
) -> None:
    total = sum(verdicts.values())
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    print(f"Python {version}: {total} functions of {files} files in {seconds:.1f} s")
    for verdict, count in verdicts.most_common():
        print(f"  {verdict:11} {count:6}  {100 * count / total:5.2f} %")
    print("  " + ", ".join(f"{what} {count}" for what, count in synthetic.items()))
    for reason, count in reasons.most_common(20):
        print(f"  {count:5}  {reason}   [{examples[reason]}]")


def yardstick(paths: list[Path]) -> None:
    command = [sys.executable, str(YARDSTICK), "--decompiler", "unjit:decompile", "--timeout", "20", "--corpus"]
    print(flush=True)
    subprocess.run([*command, *map(str, paths)], check=False)


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
