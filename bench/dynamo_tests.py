"""PyTorch's own tests of Dynamo, as they are and under unjit.

    python bench/dynamo_tests.py FOLDER [TEST ...] [--under replaced|capture|capture-alive|debug|explain|guards|compare]

FOLDER is `test/dynamo` of PyTorch's sources, best of the version that is installed; its tests need `expecttest`. Each
file of tests runs twice, in a process of its own: as it is, and with every code object that Dynamo makes replaced by
what its decompiled source compiles to, or each test in a capture, in one that ends before the test makes Dynamo forget,
in `unjit.debug`, explained before it ends, with its guards asked in Python and in torch, or with its calls compared.
One line per file: how many tests pass, how many under unjit, and what there was to see; then each test that passes as
it is only, and unjit's faults (see `under_unjit`).
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
LONGEST = 900  # seconds for one file of tests
REPORT, UNDER = "UNJIT_BENCH_REPORT", "UNJIT_BENCH_UNDER"
HOW = ("replaced", "capture", "capture-alive", "debug", "explain", "guards", "compare")


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="test/dynamo of PyTorch's sources")
    parser.add_argument("tests", nargs="*", metavar="TEST", help="files, as in test_misc; all otherwise")
    parser.add_argument("--under", choices=HOW, default="replaced")
    arguments = parser.parse_args()
    names = arguments.tests or sorted(file.stem for file in arguments.folder.glob("test_*.py"))
    missing = [name for name in names if not (arguments.folder / f"{name}.py").is_file()]
    if missing or not names:
        parser.error(f"{arguments.folder} has no {', '.join(missing) or 'test_*.py'}")
    worse = [line for name in names for line in compared(arguments.folder, name, arguments.under)]
    print("\n".join(worse) or "no test is worse, and there is no fault")
    return 1 if worse else 0


def compared(folder: Path, name: str, under: str) -> Iterator[str]:
    """Print the file's line; give what is worse under unjit."""
    native, ours = (run(folder, name, how) for how in ("", under))
    if native is None or ours is None:
        yield f"{name}: not run, or not to its end"
        return
    passed, also = passing(native), passing(ours)
    seen = dict(Counter(ours["seen"]).most_common(5))
    ran = f"{len(native['outcomes'])} tests, {len(passed)} pass, {len(passed & also)} of them under unjit"
    print(f"{name}: {ran}; {seen}", flush=True)
    yield from (f"{name}: passes as it is only: {test}" for test in sorted(passed - also))
    yield from (f"{name}: {fault}" for fault in ours["faults"])


def passing(report: dict[str, Any]) -> set[str]:
    return {test for test, outcome in report["outcomes"].items() if outcome == "passed"}


def run(folder: Path, name: str, under: str) -> dict[str, Any] | None:
    """What the plugin `under_unjit` reports of one file's tests; None where they did not come to their end."""
    with tempfile.TemporaryDirectory() as made:
        report = Path(made, "report.json")
        paths = (str(HERE), *os.environ.get("PYTHONPATH", "").split(os.pathsep))
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            REPORT: str(report),
            UNDER: under,
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "under_unjit", "-p", "no:cacheprovider", f"{name}.py"]
        try:
            subprocess.run(command, cwd=folder, env=environment, timeout=LONGEST, capture_output=True, check=False)
        except subprocess.TimeoutExpired:
            return None
        return json.loads(report.read_text()) if report.exists() else None


if __name__ == "__main__":
    sys.exit(main())
