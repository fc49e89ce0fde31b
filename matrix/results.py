"""What a run over one pair found: kept as one JSON file a pair, with the commit that it ran on."""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from pairs import ROOT, Pair

FOLDER = ROOT / "matrix" / "results"
JUDGED = ("src", "tests", "pyproject.toml", "matrix/features.py")  # what a result depends on: docs are not among it


@dataclass(frozen=True)
class Result:
    """One pair: tests by file and outcome, why some did not run, and the private names that this torch lacks."""

    pair: str
    commit: str
    torch: str  # as it says itself: 2.6.0+cu124
    python: str
    whole: bool  # the whole suite, or the selection of features.py
    seconds: int
    tests: dict[str, dict[str, int]]  # test file: outcome: number
    failures: list[str]  # test ids
    reasons: dict[str, dict[str, dict[str, int]]]  # test file: refused or skipped: why: number
    missing: list[str]  # private names

    def save(self) -> None:
        FOLDER.mkdir(exist_ok=True)
        text = json.dumps(asdict(self), indent=1, sort_keys=True)
        (FOLDER / f"{self.pair}.json").write_text(text + "\n", encoding="utf-8")

    def mended_by(self, later: Result) -> Result:
        """This result, with those of the test files that were run once more."""
        kept = {file: reasons for file, reasons in self.reasons.items() if file not in later.tests}
        return replace(
            later,
            commit=f"{self.commit}, failures again on {later.commit}",
            whole=self.whole,
            seconds=self.seconds + later.seconds,
            tests={**self.tests, **later.tests},
            reasons={**kept, **later.reasons},
        )

    @property
    def holds(self) -> bool:
        """Whether nothing that it depends on was changed since."""
        command = ["git", "diff", "--quiet", self.commit, "--", *JUDGED]
        done = subprocess.run(command, cwd=ROOT, check=False, stderr=subprocess.DEVNULL)
        return done.returncode == 0  # 1 where something differs, more where it names no single commit


@dataclass(frozen=True)
class Outcomes:
    """What pytest's report says."""

    tests: dict[str, dict[str, int]]
    failures: list[str]
    reasons: dict[str, dict[str, dict[str, int]]]


def load(pair: Pair | str) -> Result | None:
    """The last result of a pair, or None."""
    file = FOLDER / f"{pair}.json"
    return Result(**json.loads(file.read_text(encoding="utf-8"))) if file.exists() else None


def all_results() -> list[Result]:
    """The last result of each pair that was ever run."""
    return [found for file in sorted(FOLDER.glob("*.json")) if (found := load(file.stem))]


def commit() -> str:
    """The commit that is checked out, marked where what is judged differs from it."""
    command = ["git", "rev-parse", "--short=12", "HEAD"]
    name = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    changed = subprocess.run(["git", "diff", "--quiet", "HEAD", "--", *JUDGED], cwd=ROOT, check=False)
    return name.stdout.strip() + ("-dirty" if changed.returncode else "")


def read_junit(file: Path) -> Outcomes:
    """pytest's report: outcomes by test file, the tests that failed, and why others did not run."""
    tests: dict[str, Counter[str]] = {}
    reasons: dict[str, dict[str, Counter[str]]] = {}
    failures: list[str] = []
    for case in ET.parse(file).getroot().iter("testcase"):
        path = file_of(case)
        found = outcome(case)
        tests.setdefault(path, Counter())[found] += 1
        if found == "failed":
            failures.append(f"{path}::{case.get('name')}")
        if found in ("refused", "skipped"):
            reasons.setdefault(path, {}).setdefault(found, Counter())[reason(case)] += 1
    return Outcomes(plain(tests), sorted(failures), {path: plain(found) for path, found in sorted(reasons.items())})


def plain(counted: dict[str, Counter[str]]) -> dict[str, dict[str, int]]:
    """Counters as dicts, in order."""
    return {name: dict(sorted(counts.items())) for name, counts in sorted(counted.items())}


def file_of(case: ET.Element) -> str:
    """The test file of a case, as `test_explain.py`; a file that could not be read is named by its own case."""
    names = (case.get("classname") or case.get("name") or "").split(".")
    return next((f"{part}.py" for part in names if part.startswith("test_")), ".".join(names))


def outcome(case: ET.Element) -> str:
    """One word for a test case."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped")
    if skipped is None:
        return "passed"
    if skipped.get("type") == "pytest.xfail":
        return "known fault"
    return "refused" if (skipped.get("message") or "").startswith(REFUSED) else "skipped"


REFUSED = "refused: "  # how tests/support/needs.py begins the reason where this torch or Python lacks what is asked for


def reason(case: ET.Element) -> str:
    """Why a test did not run."""
    skipped = case.find("skipped")
    assert skipped is not None
    return (skipped.get("message") or "").removeprefix(REFUSED)
