"""Generated code, decompiled and run beside the original: `make fuzz SECONDS=600 SEED=0`, or `bench/fuzz.py [options]`.

Ways: `programs` (every statement in every other), `syntax` (all statements and expressions of the running version),
`rerooted` (such a function entered at one of its instructions), `graphs` (random blocks and handlers, assembled). What
is proved must behave as the original does, wherever an exception strikes: what does not is "wrong". A case runs in a
worker process, with a limit of seconds. Failing cases are printed with their seed, and shrunk where they came from
source; so are, with --opaque, those that had no source. Ends with status 1 if any case was wrong, raised, was slow or
crashed.
"""

from __future__ import annotations

import argparse
import functools
import sys
import threading
import time
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import CodeType

sys.path.append(str(Path(__file__).parents[1] / "tests" / "support"))
from fuzzing import BAD, WAYS, codes_of, kind_of, smallest, text_of, verdict_on
from unjit.bytecode import versions as v
from watched import Answer, Task, Worker, serve


# ---------------------------------------------------------------- in a worker
def tasks_of(request: str) -> Iterator[Task]:
    way, seed, opaque = request.split()
    for number, code in enumerate(codes_of(way, int(seed))):
        place = f"{way} {seed} {number}"
        yield way, place, functools.partial(find, way, place, code, with_opaque=opaque == "True")


def find(way: str, place: str, code: CodeType, *, with_opaque: bool) -> Answer:
    start = time.process_time()
    verdict, reason = verdict_on(code)
    seconds = time.process_time() - start
    if way in ("programs", "syntax") and (verdict in BAD or (with_opaque and verdict == "opaque")):
        kind = kind_of(verdict, reason)
        reason += "\n" + smallest(text_of(way, int(place.split()[1])), lambda code: kind_of(*verdict_on(code)) == kind)
    return Answer(way, place, verdict, reason, seconds=round(seconds, 3))


# ---------------------------------------------------------------- the whole
class Tally:
    """What was counted so far, and one example of each kind of failure."""

    def __init__(self, *, opaque: bool) -> None:
        self.told = (*BAD, "opaque") if opaque else BAD
        self.verdicts: dict[str, Counter[str]] = {kind: Counter() for kind in (*WAYS, "request")}
        self.reasons: Counter[str] = Counter()
        self.slowest = Answer("", "", "")
        self.lock = threading.Lock()

    def add(self, answer: Answer) -> None:
        with self.lock:
            self.verdicts[answer.kind][answer.verdict] += 1
            self.slowest = max(self.slowest, answer, key=lambda each: each.seconds)
            kind = kind_of(answer.verdict, answer.reason)
            if answer.verdict in ("identical", "equivalent"):
                return
            self.reasons[kind] += 1
            if answer.verdict in self.told and (self.reasons[kind] == 1 or answer.verdict == "wrong"):
                print(f"--- {answer.verdict}: {answer.place}: {answer.reason}", flush=True)

    def show(self) -> None:
        for way, verdicts in self.verdicts.items():
            total = sum(verdicts.values())
            shares = [f"{verdict} {count} ({100 * count / total:.2f} %)" for verdict, count in verdicts.most_common()]
            print(f"{way:9} {total:7}: {', '.join(shares)}")
        print(f"slowest: {self.slowest.seconds} CPU s, {self.slowest.place}")
        for reason, count in self.reasons.most_common(20):
            print(f"{count:6}  {reason[:150]}")


def fuzz(ways: list[str], seed: int, seconds: float, limit: float, jobs: int, *, opaque: bool) -> Tally:
    tally, until = Tally(opaque=opaque), time.monotonic() + seconds

    def one(job: int) -> None:
        worker, number = Worker(__file__, limit), seed + job
        while time.monotonic() < until:
            for way in ways:
                for answer in worker.answers(f"{way} {number} {opaque}"):
                    tally.add(answer)
            number += jobs
        worker.end()

    with ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(one, job) for job in range(jobs)]:
            done.result()
    return tally


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ways", nargs="+", choices=WAYS, default=WAYS)
    parser.add_argument("--seconds", type=float, default=600)
    parser.add_argument("--seed", type=int, default=0, help="the first one")
    parser.add_argument("--limit", type=float, default=120, help="seconds for one case, shrinking included")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--opaque", action="store_true", help="shrink and print what had no source, too")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        serve(tasks_of)
        return 0
    print(f"Python {v.PYTHON[0]}.{v.PYTHON[1]}, seeds from {options.seed}")
    tally = fuzz(options.ways, options.seed, options.seconds, options.limit, options.jobs, opaque=options.opaque)
    tally.show()
    return 1 if any(verdicts[bad] for verdicts in tally.verdicts.values() for bad in BAD) else 0


if __name__ == "__main__":
    raise SystemExit(main())
