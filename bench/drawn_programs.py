"""Functions of tensors drawn by chance, with graph breaks anywhere, and all that unjit does with compiled functions.

    python bench/drawn_programs.py [--seconds 300] [--seed 0] [--backend eager] [WAY ...]

Ways, each for the same time: `replaced` (every code object that Dynamo makes replaced by its recompiled source: the
same results, nothing opaque), `guards` (the generated guards and Dynamo's own: the same answers), `copied` (a copy of
every entry installed: the same results, nothing more compiled), `run` (under `unjit run`: the same output, and the
breaks and recompiles of torch's trace), `captured` (under `unjit run --out`: the same output, all of torch's trace).
Prints one line for each way, and each program for which it is not so, by its seed. Exits with 1 if there is one.
"""

from __future__ import annotations

import argparse
import contextlib
import functools
import itertools
import logging
import subprocess
import sys
import tempfile
import time
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

SUPPORT = Path(__file__).resolve().parents[1] / "tests" / "support"
sys.path.insert(0, str(SUPPORT))

import torch  # noqa: E402
import torch._dynamo  # noqa: E402

import unjit  # noqa: E402
from agreement import Score, compare, frames  # noqa: E402
from captured_runs import missing, run  # noqa: E402
from generated_tensors import compiled_program, outcome, outcome_of  # noqa: E402
from judge import PROGRAMS, judge  # noqa: E402
from replacing import both, same  # noqa: E402

AT_ONCE = 20  # programs in one process
_numbers = itertools.count()
Found = Iterator[str]


def replaced(seed: int, backend: str, counts: Counter[str]) -> Found:
    plain, ours = both(functools.partial(outcome, seed), backend)
    counts.update({"entries": sum(plain.entries.values()), "code objects": len(ours.answers)})
    if not same(plain.result, ours.result):
        yield "replaced code does something else"
    yield from ours.opaque()


def guards(seed: int, backend: str, counts: Counter[str]) -> Found:
    score = Score()
    with frames() as noted:
        outcome(seed, backend)
    for manager, frame in noted:
        compare(manager, frame, score)
    counts.update({"entries": score.entries, "questions": score.pairs, "held": score.held})
    counts["undecided"] += score.undecided
    yield from score.disagreements


def copied(seed: int, backend: str, counts: Counter[str]) -> Found:
    plain, frames_of_plain, _ = second_pass(seed, backend, "")
    for position in ("first", "cache"):
        ours, frames_of_ours, handles = second_pass(seed, backend, position)
        counts["copies"] += len(handles)
        if not same(plain, ours):
            yield f"{position}: copies compute something else"
        if frames_of_plain != frames_of_ours:
            yield f"{position}: frames {frames_of_plain} without copies, {frames_of_ours} with them"
        yield from (f"{position}: {error}" for handle in handles for error in handle.errors)


def second_pass(seed: int, backend: str, position: Any) -> tuple[object, dict[str, int], list[Any]]:
    """What the second of two passes computes and compiles, with copies of all entries installed before it if asked for.

    Each has a name and lines of its own: by these Dynamo remembers which sizes vary, and which function is which.
    """
    torch._dynamo.reset()
    with torch._dynamo.config.patch(cache_size_limit=64, nested_graph_breaks=bool(seed % 2)):
        number = next(_numbers)
        namespace, compiled = compiled_program(seed, backend, f"<drawn {seed} {number}>", below=number)
        outcome_of(namespace, compiled)
        handles = list(installed(position)) if position else []
        torch._dynamo.utils.counters.clear()
        namespace["LOG"].clear()
        namespace["TOTAL"] = 0
        result = outcome_of(namespace, compiled)
    for handle in handles:
        handle.remove()
    return result, dict(torch._dynamo.utils.counters["frames"]), handles


def installed(position: Any) -> Iterator[Any]:
    """Copies of all entries, tried in the order of these: each copy goes before those installed earlier."""
    for entry in [entry for function in unjit.explain().functions for entry in reversed(function.entries)]:
        if entry.data.invalid is None:
            with contextlib.suppress(unjit.errors.Unsupported):  # Dynamo gave up on the function
                yield entry.copy().install(position)


def under_run(seed: int, backend: str, counts: Counter[str]) -> Found:
    with tempfile.TemporaryDirectory() as folder:
        arguments = program(folder, seed, backend)
        judged = judge("drawn.py", *arguments)
        counts.update({"breaks": len(judged.trace_breaks), "recompiles": len(judged.trace_recompiles)})
        yield from told_apart(alone(arguments), judged.stdout)
        yield from (f"not told: {what}" for what in judged.unnamed)
        yield from (f"invented: {what}" for what in judged.invented)


def captured(seed: int, backend: str, counts: Counter[str]) -> Found:
    with tempfile.TemporaryDirectory() as folder:
        arguments, out, trace = program(folder, seed, backend), Path(folder, "out"), Path(folder, "trace")
        yield from told_apart(alone(arguments), run(out, "drawn.py", *arguments, TORCH_TRACE=str(trace)).stdout)
        session = unjit.load(out)
        counts["compiles"] += len(session.compiles)
        yield from map(str, session.losses)
        yield from (f"missing: {what}" for what in missing(out, trace))
        for file in out.rglob("*.py"):
            compile(file.read_text(), str(file), "exec")


def program(folder: str, seed: int, backend: str) -> list[str]:
    modules = Path(folder, "modules")
    modules.mkdir()
    return [str(SUPPORT), str(modules), str(seed * AT_ONCE), str(AT_ONCE), backend]


def alone(arguments: list[str]) -> str:
    command = [sys.executable, str(PROGRAMS / "drawn.py"), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def told_apart(plain: str, ours: str) -> Found:
    lines = itertools.zip_longest(plain.splitlines(), ours.splitlines(), fillvalue="")
    return (f"the output differs: {one:.300} and {other:.300}" for one, other in lines if one != other)


WAYS: dict[str, Callable[[int, str, Counter[str]], Found]] = {
    "replaced": replaced, "guards": guards, "copied": copied, "run": under_run, "captured": captured,
}  # fmt: skip


def main(ways: list[str], seconds: float, seed: int, backend: str) -> int:
    warnings.simplefilter("ignore")
    logging.disable(logging.ERROR)  # a function that gives up after too many recompiles says so
    return max([tell(way, seconds / len(ways), seed, backend) for way in ways])


def tell(way: str, seconds: float, seed: int, backend: str) -> int:
    counts: Counter[str] = Counter()
    until, bad = time.monotonic() + seconds, 0
    while time.monotonic() < until:
        torch._dynamo.reset()
        counts["programs"] += AT_ONCE if way in ("run", "captured") else 1
        for problem in WAYS[way](seed, backend, counts):
            bad += 1
            print(f"  {way} {seed}: {problem}", flush=True)
        seed += 1
    print(f"{way}: {', '.join(f'{count:,} {what}' for what, count in counts.items())}; {bad} problems", flush=True)
    return bool(bad)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ways", nargs="*", metavar="WAY", help=f"of {', '.join(WAYS)}; all otherwise")
    parser.add_argument("--seconds", type=float, default=300)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--backend", default="eager")
    options = parser.parse_args()
    if unknown := set(options.ways) - set(WAYS):
        parser.error(f"no such way: {', '.join(sorted(unknown))}")
    sys.exit(main(options.ways or list(WAYS), options.seconds, options.seed, options.backend))
