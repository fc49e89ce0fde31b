"""`make matrix`: the suite over pairs of torch and Python, one at a time.

    python matrix/run.py [PAIR …] [--again] [--quick] [--keep]

An environment is made for each pair, used and deleted. A pair that was run on this commit is not run again. At the end
docs/support.md and docs/private-names.md are written from all results.
"""

from __future__ import annotations

import argparse
import json
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import write
from pairs import PAIRS, ROOT, Pair, find, make_environment
from results import Result, commit, load, read_junit


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("pairs", nargs="*", metavar="PAIR", help="2.15-3.13, nightly-3.13; all without")
    parser.add_argument("--again", action="store_true", help="also those that were run on this commit")
    parser.add_argument("--quick", action="store_true", help="smoke tests only; the result is not kept")
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
    if before and before.commit == commit() and not arguments.again:
        print(f"{pair}: was run on {before.commit}")
        return not before.failures
    if not pair.installed():
        print(f"{pair}: there is no python{pair.python} here")
        return True
    directory = ROOT / ".matrix" / str(pair)
    try:
        python = directory / "bin" / "python"
        if not python.exists():
            python = make_environment(pair, directory)
        found = judge(pair, python, quick=arguments.quick)
    except subprocess.CalledProcessError as error:
        print(f"{pair}: the environment could not be made: {error}")
        return False
    finally:
        if not arguments.keep:
            shutil.rmtree(directory, ignore_errors=True)
    tell(found, before)
    if not arguments.quick:
        found.save()
    return not found.failures


def judge(pair: Pair, python: Path, *, quick: bool) -> Result:
    """Run the suite and ask the doctor."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder, "junit.xml")
        marks = "smoke" if quick else "not slow"
        command = [python, "-m", "pytest", "-q", "-n", "2", "-m", marks, f"--junitxml={report}"]
        subprocess.run(command, cwd=ROOT, check=False, stdout=subprocess.DEVNULL)
        tests, failures = read_junit(report)
    return Result(str(pair), commit(), tests, failures, missing_names(python))


def missing_names(python: Path) -> list[str]:
    """The private names that this torch lacks, as the doctor sees them."""
    command = [python, "-m", "unjit", "doctor", "--no-trial", "--json"]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    return [hook["name"] for hook in json.loads(done.stdout)["hooks"] if hook["loss"]]


def tell(found: Result, before: Result | None) -> None:
    """One line about a pair, its failures, and which private names came or went."""
    passed = sum(counts.get("passed", 0) for counts in found.tests.values())
    print(f"{found.pair}: {passed} passed, {len(found.failures)} failed, {len(found.missing)} private names missing")
    for failure in found.failures:
        print(f"  failed: {failure}")
    known = set(before.missing) if before else set()
    for name in sorted(set(found.missing) ^ known):
        print(f"  {'no longer there' if name in found.missing else 'there again'}: {name}")


if __name__ == "__main__":
    sys.exit(main())
