"""Verdicts on all code of the running Python: `make sweep`, or `python bench/sweep.py [options] [CORPUS ...]`.

Corpora: `lib` (the standard library), `tests` (its tests), `site` (site-packages, or with --packages those of another
Python, as most are written for several). Every function, class body and module is decompiled and proved in a worker
process. One that takes longer than --limit seconds is slow, one that ends its process crashed; both cost that process
alone. Answers go to --state as they come, so a sweep that was stopped goes on where it was; files that other sources of
unjit's answered are done again. The table of verdicts is printed; what is not identical is listed in a file beside the
state, the worst first. Where a whole corpus falls below `floor.json`, that is said, and the exit status is 1; --record
raises the floor.
"""

from __future__ import annotations

import argparse
import functools
import hashlib
import json
import random
import sys
import sysconfig
import time
import warnings
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict
from pathlib import Path
from types import CodeType

sys.path.insert(0, str(Path(__file__).parent))
import unjit
from corpora import units_in
from floor import fallen, rise, shares
from unjit.decompiler import decompile
from watched import Answer, Task, Worker, serve

CORPORA = ("lib", "tests", "site")
VERDICTS = ("identical", "equivalent", "opaque", "slow", "raised", "crashed")  # from best to worst
VERSION = f"{sys.version_info.major}.{sys.version_info.minor}"


def files_of(corpus: str, packages: Path, most: int) -> list[Path]:
    """The files of a corpus, or a fixed sample of them."""
    root = packages if corpus == "site" else Path(sysconfig.get_path("stdlib"))
    found = []
    for file in sorted(root.rglob("*.py")):
        parts = {*file.relative_to(root).parts[:-1]}
        tests = bool(parts & {"test", "tests", "idle_test"})
        if corpus == "site" or ("site-packages" not in parts and tests == (corpus == "tests")):
            found.append(file)
    return sorted(random.Random(0).sample(found, most)) if 0 < most < len(found) else found


# ---------------------------------------------------------------- in a worker
def tasks_of(path: str) -> Iterator[Task]:
    for kind, code in units_of(Path(path)):
        place = f"{path}:{code.co_firstlineno} {getattr(code, 'co_qualname', code.co_name)}"
        yield kind, place, functools.partial(answer, kind, place, code)


def units_of(path: Path) -> Iterator[tuple[str, CodeType]]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            module = compile(path.read_bytes(), path.name, "exec", dont_inherit=True)
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return  # not Python, or not of this version
    yield from units_in(module)


def answer(kind: str, place: str, code: CodeType) -> Answer:
    start = time.process_time()
    try:
        made = decompile(code)
    except BaseException as error:
        return Answer(kind, place, "raised", f"{type(error).__name__}: {error}")
    seconds = round(time.process_time() - start, 4)
    return Answer(kind, place, str(made.verdict), made.reason or "", made.synthetic.total, seconds)


# ---------------------------------------------------------------- the whole
class State:
    """What is known so far: a line of JSON for each file in the order in which they came; a later line counts.

    `old` are the files whose answers other sources of unjit's gave.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        lines = path.read_text().splitlines() if path.exists() else []
        self.files: dict[str, list[Answer]] = {}
        self.old: set[str] = set()
        self.by = by_sources()
        for line in lines:
            if line.endswith("}"):  # the last one may have been cut off
                known = json.loads(line)
                self.files[known["file"]] = [Answer(**each) for each in known["answers"]]
                (self.old.discard if known.get("by") == self.by else self.old.add)(known["file"])

    def add(self, file: str, answers: list[Answer]) -> None:
        self.files[file] = answers
        self.old.discard(file)
        with self.path.open("a") as out:
            told = {"file": file, "by": self.by, "answers": [asdict(each) for each in answers]}
            out.write(json.dumps(told) + "\n")


def by_sources() -> str:
    """What tells the sources of the decompiler and all it stands on from those of another state."""
    folder = Path(unjit.__file__).parent
    files = sorted(file for part in ("bytecode", "decompiler", "verifier") for file in (folder / part).rglob("*.py"))
    return hashlib.sha256(b"".join(file.read_bytes() for file in files)).hexdigest()[:16]


def sweep(state: State, files: list[Path], jobs: int, limit: float, until: float) -> None:
    workers = [Worker(__file__, limit) for _ in range(jobs)]

    def one(file: Path) -> None:
        if time.monotonic() < until:
            worker = workers.pop()
            state.add(str(file), list(worker.answers(str(file))))
            workers.append(worker)

    with ThreadPoolExecutor(jobs) as pool:
        for done in [pool.submit(one, file) for file in files]:
            done.result()
    for worker in workers:
        worker.end()


def table(corpus: str, answers: list[Answer], files: int) -> None:
    print(f"{corpus}: {files} files, {sum(each.seconds for each in answers):.0f} CPU s")
    for kind in ("function", "class", "module", "request"):
        counted = Counter(each.verdict for each in answers if each.kind == kind)
        if total := sum(counted.values()):
            shares = (f"{verdict} {count} ({100 * count / total:.2f} %)" for verdict, count in counted.most_common())
            synthetic = sum(each.synthetic > 0 for each in answers if each.kind == kind)
            print(f"  {kind:8} {total:6}: {', '.join(shares)}; synthetic {synthetic}")
    for each in sorted(answers, key=lambda each: -each.seconds)[:3]:
        print(f"  slowest  {each.seconds:6.1f} s {each.kind} {each.place}")


def measured_by_floor(corpus: str, answers: list[Answer], *, record: bool) -> list[str]:
    """A sentence for each kind of code that fell below the floor; with `record`, the floor rises to what is better."""
    below: list[str] = []
    for kind in ("function", "class", "module"):
        of_kind = [each for each in answers if each.kind == kind]
        if of_kind:
            now = shares([each.verdict for each in of_kind], sum(each.synthetic > 0 for each in of_kind))
            below += fallen(VERSION, corpus, kind, now)
            if record:
                rise(VERSION, corpus, kind, now)
    return below


def listed(answers: list[Answer], path: Path) -> None:
    """Write a line for each code object that is not identical."""
    left = sorted((each for each in answers if each.verdict != "identical"), key=rank)
    rows = [f"{each.verdict:10} {each.kind:8} {each.place}  {each.reason.partition(chr(10))[0]}" for each in left]
    path.write_text("\n".join([*rows, ""]))
    print(f"{len(left)} that are not identical: {path}")


def rank(each: Answer) -> tuple[int, str]:
    return -VERDICTS.index(each.verdict), each.place


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("corpora", nargs="*", metavar="CORPUS", help=f"of {', '.join(CORPORA)}; all of them otherwise")
    parser.add_argument("--state", type=Path, default=Path("build", "sweep", f"{VERSION}.jsonl"), help="the answers")
    parser.add_argument(
        "--packages", type=Path, default=Path(sysconfig.get_path("purelib")), help="the folder that `site` is"
    )
    parser.add_argument("--limit", type=float, default=60, help="seconds for one code object")
    parser.add_argument("--files", type=int, default=0, help="of each corpus a sample of so many files")
    parser.add_argument("--seconds", type=float, default=float("inf"), help="begin no file after so many seconds")
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument(
        "--again", choices=VERDICTS, help="do only files again that have a verdict as bad as this or worse"
    )
    parser.add_argument("--record", action="store_true", help="raise the floor to what is better now")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.work:
        serve(tasks_of)
        return 0
    if unknown := [*{*options.corpora} - {*CORPORA}]:
        parser.error(f"no corpus is called {unknown[0]}: there are {', '.join(CORPORA)}")
    state, until = State(options.state), time.monotonic() + options.seconds
    print(f"Python {VERSION}")
    seen: list[Answer] = []
    below: list[str] = []
    for corpus in options.corpora or CORPORA:
        files = files_of(corpus, options.packages.resolve(), options.files)
        sweep(state, [file for file in files if is_due(state, file, options.again)], options.jobs, options.limit, until)
        known = [state.files[str(file)] for file in files if str(file) in state.files]
        answers = [each for answers in known for each in answers]
        table(corpus, answers, len(known))
        if len(known) == len(files) and not options.files:
            below += measured_by_floor(corpus, answers, record=options.record)
        seen += answers
    listed(seen, options.state.with_suffix(".txt"))
    for sentence in below:
        print(f"below the floor: {sentence}")
    return 1 if below else 0


def is_due(state: State, file: Path, again: str | None) -> bool:
    known = state.files.get(str(file))
    if known is None or again is None:
        return known is None or str(file) in state.old
    return any(VERDICTS.index(each.verdict) >= VERDICTS.index(again) for each in known)


if __name__ == "__main__":
    sys.exit(main())
