"""What decompiling costs, and how natural it is: `python bench/decompile.py [growth|library|models] [MODEL…]`.

Without arguments, all three. Costs are decompile and verify against `compile()` of the same source: the text that the
code came from, or, for what Dynamo generated, the text that was recovered.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from types import CodeType

sys.path.insert(0, str(Path(__file__).parent))
from corpora import SHARED, Sample, functions_in, of_library, of_models, source_of
from unjit.decompiler import Decompiled, Verdict, decompile

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
    verdicts: Counter[str] = Counter()
    counts: Counter[str] = Counter()
    spent = compiling = 0.0
    slowest: list[tuple[float, str]] = []
    for sample in samples:
        seconds, answer = best(sample.code)
        verdicts[str(answer.verdict)] += 1
        count(counts, answer)
        source = sample.source or (answer.source if answer.verdict is not Verdict.OPAQUE else None)
        if source is not None:
            spent += seconds
            compiling += compiled_in(source)
        slowest.append((seconds, f"{sample.code.co_name} ({len(sample.code.co_code)} bytes)"))
    print(f"\n{corpus}: {len(samples)} code objects; {dict(verdicts)}")
    print("  " + ", ".join(f"{what} {n}" for what, n in sorted(counts.items())))
    if compiling:
        print(f"  decompile and verify {spent:.2f} s, compile {compiling:.3f} s: {spent / compiling:.1f} times")
    for seconds, name in sorted(slowest, reverse=True)[:3]:
        print(f"  slowest: {seconds:.3f} s {name}")


def best(code: CodeType) -> tuple[float, Decompiled]:
    times = []
    for _ in range(2):
        start = time.perf_counter()
        answer = decompile(code)
        times.append(time.perf_counter() - start)
    return min(times), answer


def compiled_in(source: str) -> float:
    times = []
    for _ in range(3):
        start = time.perf_counter()
        compile(source, "<bench>", "exec", dont_inherit=True)
        times.append(time.perf_counter() - start)
    return min(times)


def count(counts: Counter[str], answer: Decompiled) -> None:
    for what in ("helpers", "temporaries", "selectors"):
        number = getattr(answer.synthetic, what)
        counts[what] += number
        counts[f"functions with {what}"] += number > 0


def whole_files() -> None:
    """All functions of a file against compiling the file: the fairest comparison, since nothing is compiled twice."""
    spent = compiling = 0.0
    for _, text, module in of_library(30, seed=1):
        compiling += compiled_in(text)
        spent += sum(best(code)[0] for code in functions_in(module))
    print(
        f"\nwhole files: decompile and verify {spent:.2f} s, compile {compiling:.2f} s: {spent / compiling:.1f} times"
    )


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
