"""`make matrix`: tests over pairs of torch and Python, one at a time.

    python matrix/run.py [PAIR …] [--whole] [--again] [--failed] [--quick] [--keep]

An environment is made for each pair, used and deleted. What is run is the selection in matrix/features.py, which has
tests of each feature, or with --whole the suite. A pair that was run since sources and tests last changed is not run
again. At the end docs/support.md and docs/private-names.md are written from all results. Pythons are looked for in
MATRIX_PYTHONS, a list of folders as PATH is one, then on PATH, then at pyenv and uv.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import write
from features import selected
from interpreters import interpreter
from pairs import PAIRS, ROOT, TESTS_NEED, Pair, find, make_environment
from results import Result, commit, load, read_junit


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", metavar="PAIR", help="2.15-3.13, nightly-3.13; all without")
    parser.add_argument("--whole", action="store_true", help="the whole suite, without what is slow")
    parser.add_argument("--again", action="store_true", help="also those of which a result still holds")
    parser.add_argument("--failed", action="store_true", help="only the test files in which a test failed before")
    parser.add_argument("--quick", action="store_true", help="smoke tests only; the result is not kept")
    parser.add_argument("--jobs", default="2", metavar="N", help="how many tests at a time; 2 without")
    parser.add_argument("--keep", action="store_true", help="leave the environments in .matrix")
    arguments = parser.parse_args()
    try:
        pairs = [find(text) for text in arguments.pairs] or list(PAIRS)
    except ValueError as error:
        parser.error(str(error))
    failed = [pair for pair in pairs if not one(pair, arguments)]
    if not arguments.quick:
        write.everything()
    print("failed: " + ", ".join(map(str, failed)) if failed else "all went through")
    return int(bool(failed))


def one(pair: Pair, arguments: argparse.Namespace) -> bool:
    """Run one pair and keep its result; whether no test failed."""
    before = load(pair)
    if before and before.holds and before.whole >= arguments.whole and not arguments.again:
        print(f"{pair}: was run on {before.commit}")
        return not before.failures
    if before and arguments.failed and not before.failures:
        print(f"{pair}: nothing failed on {before.commit}")
        return True
    command = interpreter(pair.python)
    if not command:
        print(f"{pair}: there is no python{pair.python} here; MATRIX_PYTHONS can say where to look")
        return True
    directory = ROOT / ".matrix" / str(pair)
    try:
        python, made = directory / "bin" / "python", directory / "made"
        wanted = "\n".join(TESTS_NEED)  # one that was kept may have been made for fewer
        if not made.exists() or made.read_text() != wanted:
            shutil.rmtree(directory, ignore_errors=True)
            make_environment(pair, command, directory)
            made.write_text(wanted)
        found = judge(pair, python, arguments, before if arguments.failed else None)
    except subprocess.CalledProcessError as error:
        print(f"{pair}: the environment could not be made, or not be run: {error}")
        return False
    finally:
        if not arguments.keep:
            shutil.rmtree(directory, ignore_errors=True)
    tell(found, before)
    if not arguments.quick:
        found.save()
    return not found.failures


def judge(pair: Pair, python: Path, arguments: argparse.Namespace, before: Result | None) -> Result:
    """Run the tests and ask the doctor. CalledProcessError where pytest or torch did not even begin.

    With a result from before, run its test files with failures alone, and keep the rest of it.
    """
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "junit.xml")
        marks = "smoke" if arguments.quick else "not slow"
        chosen = sorted({test.partition("::")[0] for test in before.failures}) if before else selected()
        what = [] if arguments.whole or arguments.quick else [next((ROOT / "tests").rglob(name)) for name in chosen]
        command = [python, "-m", "pytest", "-q", "-n", arguments.jobs, "--dist", "worksteal", "-m", marks, *what]
        done = subprocess.run([*command, f"--junitxml={report}"], cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
        if not report.exists():
            raise subprocess.CalledProcessError(done.returncode, "pytest")
        outcomes = read_junit(report)
    asked = doctor(python)
    found = Result(
        str(pair), commit(), asked["torch_version"], asked["python_version"], arguments.whole,
        round(time.monotonic() - began), outcomes.tests, outcomes.failures, outcomes.reasons,
        [hook["name"] for hook in asked["hooks"] if hook["loss"]],
    )  # fmt: skip
    return found if before is None else before.mended_by(found)


def doctor(python: Path) -> dict:
    """What `unjit doctor` says of an environment."""
    command = [python, "-m", "unjit", "doctor", "--no-trial", "--json"]
    return json.loads(subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False).stdout)


def tell(found: Result, before: Result | None) -> None:
    """One line about a pair, its failures, and which private names came or went."""
    passed = sum(counts.get("passed", 0) for counts in found.tests.values())
    print(
        f"{found.pair}: {passed} passed, {len(found.failures)} failed, {len(found.missing)} private names missing, "
        f"{found.seconds} s"
    )
    for failure in found.failures:
        print(f"  failed: {failure}")
    known = set(before.missing) if before else set()
    for name in sorted(set(found.missing) ^ known):
        print(f"  {'no longer there' if name in found.missing else 'there again'}: {name}")


if __name__ == "__main__":
    sys.exit(main())
