"""PyTorch's own tests of Dynamo, as they are and with replaced code: `python bench/dynamo_tests.py FOLDER [TEST ...]`.

FOLDER is `test/dynamo` of PyTorch's sources, best of the version that is installed; its tests need `expecttest`. Each
file of tests runs twice, in a process of its own: as it is, and with every code object that Dynamo makes replaced by
what its decompiled source compiles to. One line per file: how many tests pass, how many with replaced code, and the
verdicts; then each test that passes as it is only, and what is opaque.
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
REPORT, REPLACE = "UNJIT_BENCH_REPORT", "UNJIT_BENCH_REPLACE"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path, help="test/dynamo of PyTorch's sources")
    parser.add_argument("tests", nargs="*", metavar="TEST", help="files, as in test_misc; all otherwise")
    arguments = parser.parse_args()
    names = arguments.tests or sorted(file.stem for file in arguments.folder.glob("test_*.py"))
    missing = [name for name in names if not (arguments.folder / f"{name}.py").is_file()]
    if missing or not names:
        parser.error(f"{arguments.folder} has no {', '.join(missing) or 'test_*.py'}")
    worse = [line for name in names for line in compared(arguments.folder, name)]
    print("\n".join(worse) or "no test is worse with replaced code, and nothing is opaque")
    return 1 if worse else 0


def compared(folder: Path, name: str) -> Iterator[str]:
    """Print the file's line; give what is worse with replaced code."""
    native, replaced = (run(folder, name, replace=replace) for replace in (False, True))
    if native is None or replaced is None:
        print(f"{name}: not run, or not to its end")
        return
    passed, also = passing(native), passing(replaced)
    print(f"{name}: {len(native['outcomes'])} tests, {len(passed)} pass, {len(also)} with replaced code; "
          f"{dict(Counter(replaced['verdicts']))}", flush=True)  # fmt: skip
    yield from (f"{name}: passes as it is only: {test}" for test in sorted(passed - also))
    yield from (f"{name}: opaque: {opaque}" for opaque in replaced["opaque"])


def passing(report: dict[str, Any]) -> set[str]:
    return {test for test, outcome in report["outcomes"].items() if outcome == "passed"}


def run(folder: Path, name: str, *, replace: bool) -> dict[str, Any] | None:
    """What the plugin `replaced_code` reports of one file's tests; None where they did not come to their end."""
    with tempfile.TemporaryDirectory() as made:
        report = Path(made, "report.json")
        paths = (str(HERE), *os.environ.get("PYTHONPATH", "").split(os.pathsep))
        environment = {
            **os.environ,
            "PYTHONPATH": os.pathsep.join(filter(None, paths)),
            REPORT: str(report),
            REPLACE: "1" if replace else "",
        }
        command = [sys.executable, "-m", "pytest", "-q", "-p", "replaced_code", "-p", "no:cacheprovider", f"{name}.py"]
        try:
            subprocess.run(command, cwd=folder, env=environment, timeout=LONGEST, capture_output=True, check=False)
        except subprocess.TimeoutExpired:
            return None
        return json.loads(report.read_text()) if report.exists() else None


if __name__ == "__main__":
    sys.exit(main())
