"""CPython's own tests, native against round trip: `python bench/cpython_tests.py [--keep FOLDER] [TEST ...]`.

The tested modules of the standard library and the test modules themselves are decompiled and run from what the answer
compiles to (see `unjit.testing`). One line per test: how many ran, how many were bad natively and from decompiled
source, then each that is bad only there. Tests that assert line numbers, columns or source text are in EXPECTED, each
with the reason.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
import time
import warnings
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path

from unjit.decompiler import Verdict
from unjit.testing import save, stored

LIB = Path(os.__file__).parent
TESTS = [
    "grammar", "patma", "exceptions", "except_star", "with", "contextlib", "generators", "coroutines", "asyncgen",
    "listcomps", "dictcomps", "setcomps", "genexps", "fstring", "named_expressions", "unpack_ex", "scope", "super",
    "decorators", "dataclasses", "enum", "typing", "type_params", "functools", "itertools", "collections", "json",
    "argparse", "ast", "inspect", "asyncio", "logging", "re", "string", "datetime", "decimal", "pathlib",
    "unittest",
]
TESTED = [
    "contextlib", "dataclasses", "enum", "typing", "functools", "collections", "json", "argparse", "ast", "inspect",
    "asyncio", "logging", "re", "string", "datetime", "_pydatetime", "_strptime", "decimal", "_pydecimal",
    "pathlib", "unittest", "traceback", "textwrap", "types", "copy", "weakref", "operator", "heapq", "bisect",
    "keyword", "reprlib", "tokenize", "dis", "contextvars", "numbers", "fractions", "statistics", "random", "queue",
    "concurrent", "threading", "selectors", "socket", "subprocess", "tempfile", "shutil", "fnmatch", "glob",
]
LONGEST = 600  # seconds for one test module

# Why a test cannot pass from other text than it was written in.
EXPECTED = {
    "test_contextmanager_traceback": "asserts the text of a line that the printer breaks elsewhere",
    "test_exit_exception_traceback": "asserts the text of lines",
    "test_cancel_traceback_for_future": "asserts a comment in a line of the traceback",
    "PEP626Tests": "asserts line numbers within a function",
    "TestTracing": "asserts line numbers",
    # The interpreter itself reads lines of a traceback from the file, by numbers that are those of another text.
    "test_unhandled": "asserts the text of a line of the file",
    "test_attribute_error_with_failing_dict": "asserts that a text is not in a line of the file",
    "test_getattr_error_bad_suggestions": "asserts that a text is not in a line of the file",
    "test_name_error_with_custom_exceptions": "asserts that a text is not in a line of the file",
    "test_origin_tracking_warning": "asserts a comment in a line of the traceback",
    "test_coroutine_never_yielded": "asserts the numbers of lines that a comment stands between",  # 3.10
    "TestRetrievingSourceCode": "asserts source text and comments",
    "TestOneliners": "asserts source text",
    "TestBlockComments": "asserts comments",
    "TestBuggyCases": "asserts source text and line numbers",
    "TestComplexDecorator": "asserts source text",
    "TestDecorators": "asserts source text",
    "TestGettingSourceOfToplevelFrames": "asserts source text",
    "TestInterpreterStack": "asserts source text and line numbers",
    "test_details_option_with_package": "compares the loader with that of a child process, which loads natively",
    "test_only_source": "compares the text shown with the file",
    "test_qualname_source": "compares the text shown with the file",
}


def files_of(module: str, root: Path) -> dict[str, Path]:
    """The module and, for a package, everything in it, by full name."""
    place = root.joinpath(*module.split("."))
    if place.with_suffix(".py").is_file():
        return {module: place.with_suffix(".py")}
    found = {}
    for path in sorted(place.rglob("*.py")):
        parts = [module, *path.relative_to(place).with_suffix("").parts]
        if all(part.isidentifier() for name in parts for part in name.split(".")):
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def prepare(item: tuple[str, Path, Path]) -> tuple[str, str, str | None]:
    name, path, folder = item
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            answer = save(name, path, folder)
    except Exception as error:  # source that is wrong on purpose; a fault of ours is told
        return name, "raised", f"{type(error).__name__}: {error}"
    return name, str(answer.verdict), answer.reason if answer.verdict is Verdict.OPAQUE else None


def prepared(modules: dict[str, Path], folder: Path) -> None:
    """Decompile all that is not in the folder yet, and tell what has opaque parts."""
    missing = [(n, p, folder) for n, p in modules.items() if not (folder / f"{n}.code").exists()]
    start, counts = time.perf_counter(), dict.fromkeys(("identical", "equivalent", "opaque", "raised"), 0)
    with ProcessPoolExecutor(2) as pool:
        for name, verdict, reason in pool.map(prepare, missing):
            counts[verdict] += 1
            if reason:
                print(f"  {name}: {verdict}: {reason[:300]}", flush=True)
    shown = ", ".join(f"{count} {verdict}" for verdict, count in counts.items())
    print(f"{len(missing)} modules in {time.perf_counter() - start:.0f} s: {shown}\n", flush=True)


def run(test: str, folder: Path) -> dict[str, object]:
    """What came of one test module, in a process and a folder of its own."""
    with tempfile.TemporaryDirectory() as work:
        result = Path(work) / "result.json"
        command = [sys.executable, stored.__file__, str(folder), f"test.test_{test}", str(result)]
        try:
            done = subprocess.run(command, cwd=work, capture_output=True, text=True, timeout=LONGEST, check=False)
        except subprocess.TimeoutExpired:
            return {"ran": 0, "skipped": 0, "bad": [("all", f"took more than {LONGEST} s")]}
        if not result.exists():
            return {"ran": 0, "skipped": 0, "bad": [("all", done.stderr[-3000:])]}
        return dict(json.loads(result.read_text()))


def compare(test: str, folder: Path, empty: Path) -> int:
    """Print the line of one test; gives how many are bad only from decompiled source."""
    native, trip = run(test, empty), run(test, folder)
    known = {name for name, _ in native["bad"]}  # type: ignore[attr-defined]
    ours = [(n, t) for n, t in trip["bad"] if n not in known]  # type: ignore[attr-defined]
    expected = [n for n, _ in ours if any(key in n for key in EXPECTED)]
    counts = [f"{r['ran']:6} {len(r['bad']):4} {r['skipped']:4}" for r in (native, trip)]  # type: ignore[arg-type]
    print(f"{test:18} {counts[0]}   {counts[1]}   {len(ours) - len(expected):4}  {len(expected):4}", flush=True)
    for name, trace in ours:
        if name not in expected:
            print(f"    {name}: {' | '.join(str(trace).strip().splitlines()[-3:])[:400]}", flush=True)
    return len(ours) - len(expected)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("tests", nargs="*", default=TESTS)
    parser.add_argument("--keep", type=Path, help="folder of decompiled modules, made if it is not there")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="unjit") as scratch:
        folder, empty = options.keep or Path(scratch) / "modules", Path(scratch) / "none"
        modules = {n: p for module in TESTED for n, p in files_of(module, LIB).items()}
        there = [t for t in options.tests if files_of(f"test.test_{t}", LIB)]
        modules |= {n: p for t in there for n, p in files_of(f"test.test_{t}", LIB).items()}
        prepared(modules, folder)
        print(f"{'':18}     native            round trip         worse")
        print(f"{'test':18}    ran  bad skip      ran  bad skip   new  known")
        worse = sum(compare(test, folder, empty) for test in there)
    print(f"\n{worse} tests pass natively and not from decompiled source")
    return int(worse > 0)


if __name__ == "__main__":
    sys.exit(main())
