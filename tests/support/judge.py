"""Does `unjit run` name every break and recompile that torch's own trace of the same run names?

`named_in_trace` reads torch's log files by itself: it shares nothing with unjit's reader.
"""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unjit.model import Expression, FailedGuard, Message, Name, Unknown

SHARED = Path(__file__).resolve().parents[3] / "shared"  # beside the repository; tests that need it skip without
PROGRAMS = Path(__file__).resolve().parents[1] / "programs"
UNJIT = [sys.executable, "-m", "unjit", "run"]

Break = tuple[str, str, int, str]  # compile id, file, line, reason
Recompile = tuple[str, str]  # compile id, what failed
STANDS_ALONE = (ast.Name, ast.Constant, ast.Call, ast.Attribute, ast.Subscript)


@dataclass(frozen=True)
class Judged:
    """One run of a program: what torch's trace names, what unjit names, and how the program ended."""

    trace_breaks: set[Break]
    trace_recompiles: set[Recompile]
    report: dict[str, Any]
    text: str
    stdout: str
    status: int

    @property
    def unnamed(self) -> list[str]:
        """What the trace names and the report does not, or the report's text does not."""
        breaks, recompiles = named_in_report(self.report)
        missing = [f"break {found}" for found in sorted(self.trace_breaks - breaks)]
        missing += [f"recompile {found}" for found in sorted(self.recompiles - recompiles)]
        for _, file, line, reason in sorted(self.trace_breaks):
            if f"{Path(file).name}:{line}" not in self.text or reason not in self.text:
                missing.append(f"break in the text: {file}:{line} {reason}")
        untold = {found for found in self.recompiles if not is_told(found, self.text)}
        return missing + [f"recompile in the text: {found}" for found in sorted(untold)]

    @property
    def invented(self) -> list[str]:
        """What the report names and the trace does not."""
        breaks, recompiles = named_in_report(self.report)
        return [*map(str, sorted(breaks - self.trace_breaks)), *map(str, sorted(recompiles - self.recompiles))]

    @property
    def recompiles(self) -> set[Recompile]:
        """Those of the trace, with values of the stack as the program computes them."""
        words = dict(words_for_the_stack(self.report))
        return {
            (one, re.sub(r"___stack\d+", lambda found, one=one: words.get((one, found[0]), found[0]), condition))
            for one, condition in self.trace_recompiles
        }


def judge(program: str, *arguments: str, timeout: float = 600) -> Judged:
    """Run a program of tests/programs under unjit with torch's trace switched on beside it."""
    with tempfile.TemporaryDirectory() as folder:
        report = Path(folder) / "report.json"
        done = subprocess.run(
            [*UNJIT, "--json", str(report), str(PROGRAMS / program), *arguments],
            env={**os.environ, "TORCH_TRACE": folder},
            capture_output=True,
            text=True,
            timeout=timeout,
            check=False,
        )
        if not report.exists():
            raise RuntimeError(f"{program} left no report: {done.stderr[-3000:]}")
        breaks, recompiles = named_in_trace(Path(folder))
        return Judged(breaks, recompiles, json.loads(report.read_text()), done.stderr, done.stdout, done.returncode)


def trace_records(folder: Path) -> list[tuple[dict[str, Any], str]]:
    """The records of torch's log files: metadata, and the payload, which is indented by one tab."""
    records: list[tuple[dict[str, Any], list[str]]] = []
    for log in sorted(folder.glob("dedicated_log_torch_trace_*.log")):
        for line in log.read_text().split("\n"):
            if line.startswith("\t") and records:
                records[-1][1].append(line[1:])
            elif "] {" in line:
                records.append((json.loads(line[line.index("] {") + 2 :]), []))
    return [(metadata, "\n".join(payload)) for metadata, payload in records]


def named_in_trace(folder: Path) -> tuple[set[Break], set[Recompile]]:
    """Every break and every reason of a recompile that the trace has."""
    breaks, recompiles = set(), set()
    for metadata, payload in trace_records(folder):
        name = metadata.get("artifact", {}).get("name")
        compile_id = f"{metadata.get('frame_id')}/{metadata.get('frame_compile_id')}"
        if name == "dynamo_graph_break_reason":
            breaks.add((compile_id, *break_in(payload)))
        elif name == "recompile_reasons":
            reasons = json.loads(payload) if payload.startswith("[\n") else [payload]
            recompiles |= {(compile_id, failed_in(reason)) for reason in reasons}
    return breaks, recompiles


def break_in(payload: str) -> tuple[str, int, str]:
    """File, line and the first line of the reason."""
    place = re.match(r"Graph break in user code at (.+):(\d+)\nGraph Break Reason: (.*)", payload)
    if place is None:
        frames = re.findall(r'File "(.+)", line (\d+), in', payload.partition("\nTraceback")[0])
        raised = [line for line in payload.splitlines() if re.match(r"[\w.]+(Error|Exception|Unsupported)\b", line)]
        return frames[-1][0], int(frames[-1][1]), raised[-1] if raised else payload.splitlines()[0]
    reason = place[3]
    if reason.startswith(("Encountered graph break", "Failed to handle graph break")):
        reason = payload.split("\n\n")[1].splitlines()[0]
    return place[1], int(place[2]), reason


def failed_in(reason: str) -> str:
    """What failed, without the entry before it and the user's line after it, with names as a user writes them."""
    condition = re.split(r"\s+# |\nUser stack trace:", reason.partition(": ")[2])[0].strip()
    condition = re.sub(r"\._(?:modules|parameters|buffers)\['(\d+)'\]", r"[\1]", condition)
    condition = re.sub(r"\._(?:modules|parameters|buffers)\['(\w+)'\]", r".\1", condition)
    condition = re.sub(r"\b[GL]\['(\w+)'\]", r"\1", condition)  # torch writes L only of what was deallocated
    condition = re.sub(r"^___check_type_id\((.*), \d+\), type=<class '(.*)'>$", r"type(\1) is \2", condition)
    condition = re.sub(r"^___check_obj_id\((.*), \d+\), type=<class '(.*)'>$", r"\1 is the same \2", condition)
    condition = re.sub(r"^___check_obj_id\((.*), \d+\), type=<code object .*>$", r"\1 is the same object", condition)
    return in_words(condition)


def in_words(condition: str) -> str:
    """What torch says where it did not get as far as to a value, in words that unjit has for it."""
    condition = re.sub(r"^(?:KeyError|IndexError) on ", "there is no ", condition)
    no_python = r"\1 is no function written in Python"
    not_reached = r"^(?:CodeGuardAccessor: Not a function on|getattr failed on source) (.*)\.__code__$"
    condition = re.sub(not_reached, no_python, condition)
    no_sizes = "a tensor that is asked for its sizes is not there, such as the base of one that is no view"
    condition = re.sub(r"^'NoneType' object has no attribute '(?:size|stride|storage_offset)'$", no_sizes, condition)
    return condition.replace("to be a tensor type, ' but found", "to be a tensor type, but found")


def told(condition: str) -> str:
    """What is said of a guard that did not hold: of one that is told in words, the contrary."""
    return FailedGuard(Name("0/0"), Expression(condition), Unknown(Message("not asked"))).told


def is_in(said: str, text: str) -> bool:
    """Whether it is there, but for values of the stack, which unjit tells as the program computes them."""
    parts = map(re.escape, re.split(r"___stack\d+", said))
    return re.search(r"[^\n]+".join(parts), text) is not None


def is_told(recompile: Recompile, text: str) -> bool:
    """Whether the text says so: where several entries did not fit for the same but a number, it has one of them."""
    compile_id, condition = recompile
    if told(condition) in text:
        return True
    own = re.findall(rf"^  \S+  \[{compile_id}(?: \(.*\))?\].*\n((?:    .*\n)*)", text, re.MULTILINE)
    several = (lines for lines in own if "did not fit: the same" in lines)
    return any(re.sub(r"\d+", "0", told(condition)) in re.sub(r"\d+", "0", lines) for lines in several)


def named_in_report(report: dict[str, Any]) -> tuple[set[Break], set[Recompile]]:
    """The same of unjit's JSON. A break inside a break has both reasons in one: the first is compared."""
    breaks, recompiles = set(), set()
    for compile_ in (found for function in report["functions"] for found in function["compiles"]):
        compile_id = f"{compile_['compile_id']['frame']}/{compile_['compile_id']['compile']}"
        for found in compile_["breaks"]:
            reason = found["reason"].partition("; while handling it: ")[0]
            breaks.add((compile_id, found["place"]["file"], found["place"]["line"], reason))
        recompiles |= {(compile_id, found["condition"]) for found in compile_["failed_guards"]}
    return breaks, recompiles


def words_for_the_stack(report: dict[str, Any]) -> Iterator[tuple[tuple[str, str], str]]:
    """By a compile and torch's name: what the program computes the value from."""
    for function in report["functions"]:
        stack = (function["resume"] or {}).get("stack") or []
        for value in stack if isinstance(stack, list) else []:
            if isinstance(text := value["expression"], str) and not text.startswith("<"):  # it is none
                stands_alone = isinstance(ast.parse(text, mode="eval").body, STANDS_ALONE)
                for one in (found["compile_id"] for found in function["compiles"]):
                    yield (f"{one['frame']}/{one['compile']}", value["argument"]), text if stands_alone else f"({text})"
