"""What decompiling costs, and how natural it is: `python bench/decompile.py [growth|library|models] [MODEL…]`.

Without arguments, all three. Costs are decompile and verify against `compile()` of the same source, in CPU seconds: the
text that the code came from, or, for what Dynamo generated, the text that was recovered.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType
from typing import TypeVar

sys.path.insert(0, str(Path(__file__).parent))
from corpora import SHARED, Sample, functions_in, of_library, of_models, source_of
from unjit.decompiler import Decompiled, Verdict, decompile

T = TypeVar("T")
PASSES = 3  # the best of which counts for each code object
SIZES = (5, 10, 20, 40, 80, 160, 320, 640)


def main(parts: list[str]) -> None:
    wanted = {"growth", "library", "models"} & {*parts} or {"growth", "library", "models"}
    if "models" in wanted:
        read, made = of_models(only=[part for part in parts if part not in wanted])
        measure("read by Dynamo", read)
        measure("made by Dynamo", made)
    if "library" in wanted:
        modules = [module for _, _, module in of_library(60)]
        measure("standard library", [Sample(code, source_of(code)) for m in modules for code in functions_in(m)])
        whole_files()
    if "growth" in wanted:
        growth()


# ---------------------------------------------------------------- costs and counts of a corpus
def measure(corpus: str, samples: list[Sample]) -> None:
    answers = [decompile(sample.code) for sample in samples]
    counts: Counter[str] = Counter()
    for answer in answers:
        count(counts, answer)
    verdicts = Counter(str(answer.verdict) for answer in answers)
    print(f"\n{corpus}: {len(samples)} code objects; {dict(verdicts)}")
    print("  " + ", ".join(f"{what} {n}" for what, n in sorted(counts.items())))
    known = [
        (sample.code, sample.source or answer.source)
        for sample, answer in zip(samples, answers, strict=True)
        if sample.source or answer.verdict is not Verdict.OPAQUE
    ]
    if known:
        compare([code for code, _ in known], [source for _, source in known])


def compare(codes: list[CodeType], sources: list[str]) -> None:
    """Print both costs. Each is a pass over the whole corpus, so that neither finds its work in the caches."""
    compiling = best_of_passes(compiled, sources)
    times = list(map(min, *(passed(decompile, codes) for _ in range(PASSES))))
    spent = sum(times)
    print(f"  decompile and verify {spent:.2f} s, compile {compiling:.3f} s: {spent / compiling:.1f} times")
    slowest = sorted(zip(times, codes, strict=True), key=lambda pair: pair[0], reverse=True)
    for seconds, code in slowest[:3]:
        print(f"  slowest: {seconds:.3f} s {code.co_name} ({len(code.co_code)} bytes)")


def passed(work: Callable[[T], object], items: list[T]) -> list[float]:
    """CPU seconds for each."""
    times = []
    for item in items:
        start = time.process_time()
        work(item)
        times.append(time.process_time() - start)
    return times


def best_of_passes(work: Callable[[T], object], items: list[T]) -> float:
    return sum(map(min, *(passed(work, items) for _ in range(PASSES))))


def compiled(source: str) -> CodeType:
    return compile(source, "<bench>", "exec", dont_inherit=True)


def count(counts: Counter[str], answer: Decompiled) -> None:
    for what in ("helpers", "temporaries", "selectors"):
        number = getattr(answer.synthetic, what)
        counts[what] += number
        counts[f"functions with {what}"] += number > 0


def whole_files() -> None:
    """All functions of a file against compiling the file: the fairest comparison, since nothing is compiled twice."""
    files = list(of_library(30, seed=1))
    print("\nwhole files:")
    compiling = best_of_passes(compiled, [text for _, text, _ in files])
    spent = best_of_passes(decompile, [code for _, _, module in files for code in functions_in(module)])
    print(f"  decompile and verify {spent:.2f} s, compile {compiling:.2f} s: {spent / compiling:.1f} times")


# ---------------------------------------------------------------- growth
def growth() -> None:
    sys.path.insert(0, str(SHARED / "yardstick"))
    from growth import SHAPES  # type: ignore[import-not-found]

    print(f"\ngrowth: milliseconds at {', '.join(map(str, SIZES))}; the last factors per doubling; verdict of the last")
    for name, make in SHAPES.items():
        print(f"  {name:28} {row(make(n) for n in SIZES)}", flush=True)


def row(trees: Iterable[object]) -> str:
    times, verdict = [], "-"
    for tree in trees:
        if tree is None:
            break
        try:
            code = compile(tree, "<growth>", "exec").co_consts[0]  # type: ignore[call-overload]
        except RecursionError:
            break
        start = time.perf_counter()
        verdict = str(decompile(code).verdict)
        times.append(time.perf_counter() - start)
        if times[-1] > 20:
            break
    factors = [later / earlier for earlier, later in zip(times[-3:], times[-2:], strict=False)]
    shown = " ".join(f"{1000 * seconds:.0f}" for seconds in times)
    return f"{shown:50} {' '.join(f'x{factor:.1f}' for factor in factors)} {verdict}"


if __name__ == "__main__":
    main(sys.argv[1:])
