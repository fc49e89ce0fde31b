"""What decompiling costs, and how natural it is: `python bench/decompile.py [PART|MODEL …]`.

Without arguments, all three; with names of models alone, those. Costs are decompile and verify against `compile()` of
the same source, in CPU seconds: the text that the code came from, or, for what Dynamo generated, the text that was
recovered.

Exits with 1 where the models' code has more temporaries than BOUNDS allow, or a selector.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from types import CodeType
from typing import Any, TypeVar

sys.path.insert(0, str(Path(__file__).parent))
from corpora import SHARED, Sample, functions_in, models_known, of_library, of_models, source_of
from unjit.decompiler import Decompiled, Verdict, decompile
from unjit.observe.entries.profiler_scaffolding import without_scaffolding

PARTS = ("growth", "library", "models")
T = TypeVar("T")
Costs = Counter[str]  # CPU seconds
COSTS = ("decompiling by turns", "compiling by turns", "decompiling each alone", "compiling each alone")
Pair = tuple[str, list[CodeType]]  # a source, and the code objects that it is compiled to
PASSES = 3  # the best of which counts for each code object
# Temporaries for each code object of the models. In what Dynamo made, values lie on the stack while something else is
# done: a graph's results while the graph's variable is deleted, a function while what it is called with is computed.
BOUNDS = {"read by Dynamo": 0.05, "made by Dynamo, as it is shown": 2.5}
SIZES = (5, 10, 20, 40, 80, 160, 320, 640)


def main() -> None:
    """Measure what the command line asks for."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", nargs="*", metavar="PART|MODEL", help=f"of {', '.join(PARTS)}, or models of ../shared")
    chosen = parser.parse_args().what
    only = [name for name in chosen if name not in PARTS]
    if unknown := sorted({*only} - {*models_known()} if only else ()):
        parser.error(f"{', '.join(unknown)}: neither one of {', '.join(PARTS)} nor a model of ../shared/models")
    wanted = {*PARTS} & {*chosen} | ({"models"} if only else set()) or {*PARTS}
    if "models" in wanted:
        read, made = of_models(only=only)
        costs = measure("read by Dynamo", read) + measure("made by Dynamo", made)
        print("\nboth in total:")
        report(costs)
        measure("made by Dynamo, as it is shown", [Sample(shown(sample.code)) for sample in made])
    if "library" in wanted:
        modules = [module for _, _, module in of_library(60)]
        measure("standard library", [Sample(code, source_of(code)) for m in modules for code in functions_in(m)])
        whole_files()
    if "growth" in wanted:
        growth()


def shown(code: CodeType) -> CodeType:
    """The code that `explain` shows the source of: profiling scaffolding is left out."""
    without = without_scaffolding(code)
    return code if without is None else without.code


# ---------------------------------------------------------------- costs and counts of a corpus
def measure(corpus: str, samples: list[Sample]) -> Costs:
    """Print what the answers hold, and what they cost."""
    answers = [decompile(sample.code) for sample in samples]
    counts: Counter[str] = Counter()
    for answer in answers:
        count(counts, answer)
    verdicts = Counter(str(answer.verdict) for answer in answers)
    print(f"\n{corpus}: {len(samples)} code objects; {dict(verdicts)}")
    print("  " + ", ".join(f"{what} {n}" for what, n in sorted(counts.items())))
    check(corpus, counts, len(samples))
    known = [
        (sample.source or answer.source, [sample.code])
        for sample, answer in zip(samples, answers, strict=True)
        if sample.source or answer.verdict is not Verdict.OPAQUE
    ]
    costs = compare(known)
    report(costs)
    return costs


def check(corpus: str, counts: Counter[str], samples: int) -> None:
    """Raises SystemExit where source is less natural than it was."""
    most = BOUNDS.get(corpus)
    if most is not None and (counts["temporaries"] > most * samples or counts["selectors"]):
        sys.exit(f"{corpus}: more than {most} temporaries for each code object, or a selector")


def compare(pairs: list[Pair]) -> Costs:
    """The CPU seconds of decompiling and of compiling, by turns and each alone; prints what took longest.

    By turns, both find the caches as the other left them. What has the machine to itself, one compilation after the
    other, takes two thirds of the time: compiling then runs from code that the processor has at hand, which says how
    fast it is where nobody does anything else.
    """
    spent, compiling, spent_alone, alone = Best(), Best(), Best(), Best()
    for _ in range(PASSES):
        for place, (source, codes) in enumerate(pairs):
            compiling.time(place, compiled, source)
            for k, code in enumerate(codes):
                spent.time((place, k), decompile, code)
    for _ in range(PASSES):
        for place, (source, _) in enumerate(pairs):
            alone.time(place, compiled, source)
    for _ in range(PASSES):
        for place, (_, codes) in enumerate(pairs):
            for k, code in enumerate(codes):
                spent_alone.time((place, k), decompile, code)
    for place, k in sorted(spent.seconds, key=spent.seconds.__getitem__, reverse=True)[:3]:
        code = pairs[place][1][k]
        print(f"  slowest: {spent.seconds[place, k]:.3f} s {code.co_name} ({len(code.co_code)} bytes)")
    return Counter(
        {k: sum(b.seconds.values()) for k, b in zip(COSTS, (spent, compiling, spent_alone, alone), strict=True)}
    )


def report(costs: Costs) -> None:
    for how in ("by turns", "each alone"):
        spent, compiling = costs[f"decompiling {how}"], costs[f"compiling {how}"]
        if compiling:
            print(
                f"  {how}: decompile and verify {spent:.2f} s, compile {compiling:.3f} s: {spent / compiling:.1f} times"
            )


class Best:
    """The least CPU seconds that each of several pieces of work took."""

    def __init__(self) -> None:
        self.seconds: dict[Any, float] = {}

    def time(self, which: object, work: Callable[[T], object], item: T) -> None:
        start = time.process_time()
        work(item)
        taken = time.process_time() - start
        self.seconds[which] = min(taken, self.seconds.get(which, taken))


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
    report(compare([(text, list(functions_in(module))) for _, text, module in of_library(30, seed=1)]))


# ---------------------------------------------------------------- growth
def growth() -> None:
    sys.path.insert(0, str(SHARED / "yardstick"))
    from growth import SHAPES  # type: ignore[import-not-found]

    print(f"\ngrowth: CPU milliseconds at {', '.join(map(str, SIZES))}; the last factors; verdict of the last")
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
        start = time.process_time()
        verdict = str(decompile(code).verdict)
        times.append(time.process_time() - start)
        if times[-1] > 20:
            break
    factors = [later / earlier for earlier, later in zip(times[-3:], times[-2:], strict=False)]
    shown = " ".join(f"{1000 * seconds:.0f}" for seconds in times)
    return f"{shown:50} {' '.join(f'x{factor:.1f}' for factor in factors)} {verdict}"


if __name__ == "__main__":
    main()
