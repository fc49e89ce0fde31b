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
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).parent))
from corpora import SHARED, Sample, functions_in, of_library, of_models, source_of
from unjit.decompiler import Decompiled, Verdict, decompile

T = TypeVar("T")
Pair = tuple[str, list[CodeType]]  # a source, and the code objects that it is compiled to
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
        (sample.source or answer.source, [sample.code])
        for sample, answer in zip(samples, answers, strict=True)
        if sample.source or answer.verdict is not Verdict.OPAQUE
    ]
    if known:
        compare(known)


def compare(pairs: list[Pair]) -> None:
    """Print both costs, measured by turns, so that both find the caches as the other left them.

    What has the machine to itself, one compilation behind the other, takes two thirds of the time: compiling then runs
    from code that the processor has at hand. That says how fast it is where nobody does anything else, and is printed
    as well.
    """
    compiling, spent = Best(), Best()
    for _ in range(PASSES):
        for place, (source, codes) in enumerate(pairs):
            compiling.time(place, compiled, source)
            for k, code in enumerate(codes):
                spent.time((place, k), decompile, code)
    alone, spent_alone = Best(), Best()
    for _ in range(PASSES):
        for place, (source, _) in enumerate(pairs):
            alone.time(place, compiled, source)
    for _ in range(PASSES):
        for place, (_, codes) in enumerate(pairs):
            for k, code in enumerate(codes):
                spent_alone.time((place, k), decompile, code)
    print(f"  by turns: decompile and verify {spent.ratio(compiling)}")
    print(f"  each alone: decompile and verify {spent_alone.ratio(alone)}")
    slowest = sorted(spent.seconds, key=spent.seconds.__getitem__, reverse=True)
    for place, k in slowest[:3]:
        code = pairs[place][1][k]
        print(f"  slowest: {spent.seconds[place, k]:.3f} s {code.co_name} ({len(code.co_code)} bytes)")


class Best:
    """The least CPU seconds that each of several pieces of work took."""

    def __init__(self) -> None:
        self.seconds: dict[Any, float] = {}

    def time(self, which: object, work: Callable[[T], object], item: T) -> None:
        start = time.process_time()
        work(item)
        taken = time.process_time() - start
        self.seconds[which] = min(taken, self.seconds.get(which, taken))

    def ratio(self, other: Best) -> str:
        one, two = sum(self.seconds.values()), sum(other.seconds.values())
        return f"{one:.2f} s, compile {two:.3f} s: {one / two:.1f} times"


def compiled(source: str) -> CodeType:
    return compile(source, "<bench>", "exec", dont_inherit=True)


def count(counts: Counter[str], answer: Decompiled) -> None:
    for what in ("helpers", "temporaries", "selectors"):
        number = getattr(answer.synthetic, what)
        counts[what] += number
        counts[f"functions with {what}"] += number > 0


def whole_files() -> None:
    """All functions of a file against compiling the file: the fairest comparison, since nothing is compiled twice."""
    print("\nwhole files:")
    compare([(text, list(functions_in(module))) for _, text, module in of_library(30, seed=1)])


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
