"""An exception at every call that unjit makes into torch, the system and the library, one at a time.

    python bench/faults.py [--program toy] [--backend eager] [--mode out capture explain run compare debug]
                           [--error RuntimeError KeyboardInterrupt …] [--results FILE] [--sample N]

Sites are found by the parser and by a first run. Each fault is tried in a process of its own, over the toy example or a
model of ../shared/models. Prints each fault that is to be mended, each that costs much, and a table. With --results,
what was tried is kept, and a later call goes on from there.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import tempfile
from collections import Counter
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
SHARED = ROOT.parent / "shared" / "models"
sys.path.insert(0, str(ROOT / "tests" / "support"))

from faulting import Trials, faults, in_question, judge  # noqa: E402  (beside the tests that use it too)
from injection import Fault  # noqa: E402

MODES = ["out", "capture", "explain", "run", "compare", "debug"]
ERRORS = [
    "RuntimeError",
    "each",
    "later",
    "AttributeError",
    "system",
    "MemoryError",
    "RecursionError",
    "KeyboardInterrupt",
    "after",
    "SIGKILL",
]
SHORT = 0.6  # of what is said without a fault: when less is said with one, it costs much
GOOD = ("ok", "untouched", "not reached")
BAD = ("differs", "raised", "noise", "left behind", "not told", "swallowed", "unreadable", "crash")
COLUMNS = ("sites", "tried", "not reached", *BAD)


def main() -> None:
    options = parsed()
    known = (
        [json.loads(line) for line in options.results.open()] if options.results and options.results.exists() else []
    )
    for mode in options.mode:
        kept = {one["fault"]: one["verdict"] for one in known if one["of"] == [options.program, options.backend, mode]}
        try_all(options, mode, kept)


def parsed() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="toy", help="toy, or the name of a model")
    parser.add_argument("--backend", default="eager")
    parser.add_argument("--mode", nargs="+", default=MODES, choices=MODES)
    parser.add_argument("--error", nargs="+", default=ERRORS, choices=ERRORS)
    parser.add_argument("--results", type=Path)
    parser.add_argument("--sample", type=int, help="so many faults only, chosen at random")
    parser.add_argument("--plain", action="store_true", help="a model without graph breaks")
    parser.add_argument("--site", help="those only whose site contains this")
    return parser.parse_args()


def program(options: argparse.Namespace) -> list[str]:
    programs = ROOT / "tests" / "programs"
    if options.program == "toy":
        return [str(programs / "faulted_toy.py"), options.backend]
    how = ["plain"] if options.plain else []
    return [str(programs / "faulted_model.py"), options.backend, str(SHARED), options.program, *how]


def try_all(options: argparse.Namespace, mode: str, kept: dict[str, str]) -> None:
    verdicts: Counter[str] = Counter()
    with tempfile.TemporaryDirectory() as folder, Trials(Path(folder), mode, program(options)) as trials:
        clean = trials.run()
        again = trials.run()
        assert clean["said"] == again["said"], "two runs without a fault say different things"
        every = faults(in_question(clean["sites"], mode), options.error, clean["calls"])
        wanted = [one for one in every if (options.site or "") in one.site]
        if options.sample:
            wanted = random.Random(0).sample(wanted, min(options.sample, len(wanted)))
        for fault in wanted:
            name = name_of(fault)
            if name not in kept:
                answer = trials.run(fault)
                kept[name] = judge(clean, answer, fault)
                if kept[name] == "ok" and len(answer["said"]) < SHORT * len(clean["said"]):
                    print(f"costs much   {mode:8} {name}", flush=True)
                note(options, mode, name, kept[name], answer)
            verdicts[kept[name]] += 1
    figures = {"sites": len(in_question(clean["sites"], mode)), "tried": sum(verdicts.values()), **verdicts}
    print(
        f"{options.program} {options.backend} {mode}:",
        ", ".join(f"{n} {figures.get(n, 0)}" for n in COLUMNS),
        flush=True,
    )


def name_of(fault: Fault) -> str:
    which = "each" * fault.each or f"call {fault.call}" * (fault.call > 0)
    return " ".join(part for part in (fault.site, fault.error, which, "after" * fault.after) if part)


def note(options: argparse.Namespace, mode: str, name: str, verdict: str, answer: dict[str, object]) -> None:
    if verdict not in GOOD:
        print(f"{verdict:12} {mode:8} {name}", flush=True)
    if options.results:
        of = [options.program, options.backend, mode]
        more = {} if verdict in GOOD else {"answer": answer}
        with options.results.open("a") as file:
            file.write(json.dumps({"of": of, "fault": name, "verdict": verdict, **more}) + "\n")


if __name__ == "__main__":
    main()
