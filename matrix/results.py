"""What a run over one pair found: kept as one JSON file a pair, with the commit that it ran on."""

from __future__ import annotations

import json
import subprocess
import xml.etree.ElementTree as ET
from collections import Counter
from dataclasses import asdict, dataclass
from pathlib import Path

from pairs import ROOT, Pair

FOLDER = ROOT / "matrix" / "results"


@dataclass(frozen=True)
class Result:
    """One pair: tests by file and outcome, and the private names that this torch lacks."""

    pair: str
    commit: str
    tests: dict[str, dict[str, int]]  # test file: outcome: number
    failures: list[str]  # test ids
    missing: list[str]  # private names

    def save(self) -> None:
        FOLDER.mkdir(exist_ok=True)
        text = json.dumps(asdict(self), indent=1, sort_keys=True)
        (FOLDER / f"{self.pair}.json").write_text(text + "\n", encoding="utf-8")


def load(pair: Pair | str) -> Result | None:
    """The last result of a pair, or None."""
    file = FOLDER / f"{pair}.json"
    return Result(**json.loads(file.read_text(encoding="utf-8"))) if file.exists() else None


def all_results() -> list[Result]:
    """The last result of each pair that was ever run."""
    return [found for file in sorted(FOLDER.glob("*.json")) if (found := load(file.stem))]


def commit() -> str:
    """The commit that is checked out, marked where the working tree differs from it."""
    done = subprocess.run(
        ["git", "describe", "--always", "--dirty", "--exclude=*", "--abbrev=12"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return done.stdout.strip()


def read_junit(file: Path) -> tuple[dict[str, dict[str, int]], list[str]]:
    """pytest's report: outcomes by test file, and the tests that failed."""
    counts: dict[str, Counter[str]] = {}
    failures: list[str] = []
    for case in ET.parse(file).getroot().iter("testcase"):
        name = case.get("classname", "").split(".")
        path = next((part for part in name if part.startswith("test_")), ".".join(name))
        found = outcome(case)
        counts.setdefault(path, Counter())[found] += 1
        if found == "failed":
            failures.append(f"{path}::{case.get('name')}")
    return {path: dict(sorted(counted.items())) for path, counted in sorted(counts.items())}, sorted(failures)


def outcome(case: ET.Element) -> str:
    """One word for a test case."""
    if case.find("failure") is not None or case.find("error") is not None:
        return "failed"
    skipped = case.find("skipped")
    if skipped is None:
        return "passed"
    return "expected failure" if skipped.get("type") == "pytest.xfail" else "skipped"
