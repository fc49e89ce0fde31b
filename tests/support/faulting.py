"""Which faults to try in a program, and what to say of what came of one."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping
from pathlib import Path
from types import MappingProxyType

from injection import KILLED, MARK, Fault

HERE = Path(__file__).resolve().parent
TOY = [str(HERE.parent / "programs" / "faulted_toy.py"), "eager"]
UNKNOWN = ('"unknown"', "could not be", "lost", "raised ")
ODD = ("Exception ignored", "Logging error", "Error in atexit", "Error in sitecustomize", "Fatal Python")
OURS = ("UnjitError", "BadTarget", "Unsupported")  # an answer in a sentence
SYSTEM_ERRORS = ("OSError ENOSPC", "OSError EACCES", "OSError EMFILE")

Answer = dict[str, object]


class Trials:
    """A process that makes trials of one program in one mode."""

    def __init__(self, folder: Path, mode: str, program: list[str]) -> None:
        command = [sys.executable, str(HERE / "trials.py"), str(folder / "trial"), mode, *program]
        environment = {
            **os.environ,
            "TORCHINDUCTOR_COMPILE_THREADS": "1",
            "TORCHINDUCTOR_CACHE_DIR": str(folder / "cache"),
        }
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment, cwd=folder
        )

    def __enter__(self):
        return self

    def __exit__(self, *_: object) -> None:
        self.process.stdin.close()
        self.process.stdout.close()
        self.process.wait()

    def run(self, fault: Fault | None = None) -> Answer:
        self.process.stdin.write(json.dumps(fault and vars(fault)) + "\n")
        self.process.stdin.flush()
        line = self.process.stdout.readline()
        assert line, f"the trials ended: {self.process.wait()}"
        return json.loads(line)


# What the program would have called without us: an error there is its own to see.
PASSED_ON = {
    "torch_private.calling.compiled_calls": "asked(callback)",
    "starting.boot.sitecustomize": "import sitecustomize",
}


def in_question(sites: dict[str, str], mode: str) -> dict[str, str]:
    """The sites of a mode: `explain` may fail as any function of the library may, but not for torch or the system."""
    ours = {site: kind for site, kind in sites.items() if not _is_passed_on(site)}
    return {site: kind for site, kind in ours.items() if mode != "explain" or kind in ("torch", "system")}


def _file_of(module: str) -> Path:
    return HERE.parents[1] / "src" / "unjit" / f"{module.replace('.', '/')}.py"


assert all(text in _file_of(module).read_text() for module, text in PASSED_ON.items())


def _is_passed_on(site: str) -> bool:
    module, line, columns = site.split(maxsplit=1)[0].split(":")
    text = PASSED_ON.get(module)
    if text is None:
        return False
    file = _file_of(module)
    start, end = map(int, columns.split("-"))
    return file.read_text().splitlines()[int(line) - 1][start:end].startswith(text)


def faults(sites: dict[str, str], kinds: list[str], calls: Mapping[str, int] = MappingProxyType({})) -> Iterator[Fault]:
    """All faults of these kinds, at the first call of a site unless the kind says otherwise.

    `each` is an error at each call, `later` one in the middle of its calls and one at the last, of which `calls` has
    the number; `after` is an interrupt after the call.
    """
    for site, where in sites.items():
        for kind in kinds:
            if kind == "each":
                yield Fault(site, "RuntimeError", each=True)
            elif kind == "later":
                last = calls.get(site, 1) - 1
                yield from (Fault(site, "RuntimeError", call=number) for number in sorted({last // 2, last} - {0}))
            elif kind == "after":
                yield Fault(site, "KeyboardInterrupt", after=True)
            elif kind == "system":
                yield from (Fault(site, error) for error in SYSTEM_ERRORS if where == "system")
            elif kind != "AttributeError" or where == "torch":
                yield Fault(site, kind)


def judge(clean: Answer, seen: Answer, fault: Fault) -> str:
    """What is wrong with what a program did with a fault: `ok`, `untouched`, or the fault that is to be mended."""
    if not seen.get("fired"):
        return "not reached"
    if fault.error == KILLED:
        return what_is_left(clean, seen)
    if int(seen["status"]) < 0:
        return "crash"
    interrupted = fault.error == "KeyboardInterrupt"
    if interrupted and seen["status"] == 1 and not seen["stdout"]:
        return "ok"  # before the program began
    if (seen["status"], seen["stdout"]) != (clean["status"], clean["stdout"]):
        return "differs"
    if any(odd in seen["stderr"] and odd not in clean["stderr"] for odd in ODD):
        return "noise"
    told = what_is_told(clean, seen, interrupted=interrupted)
    hopeless = fault.each and told == "ok" and seen.get("told")  # what undoes it fails each time, and that is said
    return "left behind" if seen.get("left") and not hopeless else told


def what_is_told(clean: Answer, seen: Answer, *, interrupted: bool) -> str:
    """Whether an error came out of the library, and else whether the loss was said; an interrupt has to come out."""
    told = list(seen.get("told") or ())
    raised = [one.split()[1].strip(":") for one in told if one.startswith("raised ")]
    if set(raised) - {*OURS, "KeyboardInterrupt"}:
        return "raised"
    if interrupted:
        reached = "KeyboardInterrupt" in " ".join([*told, seen["stderr"]]) or "interrupted" in seen["stderr"]
        return "ok" if reached else "swallowed"
    if seen["said"] == clean["said"] and not told:
        return "untouched"
    return "ok" if told or says_more(clean["said"], seen["said"]) else "not told"


def what_is_left(clean: Answer, seen: Answer) -> str:
    """Of a process that was killed: what it had printed, and a directory that says that it has not ended."""
    if not clean["stdout"].startswith(seen["stdout"]):
        return "differs"
    return "unreadable" if seen["unreadable"] else "ok"


def says_more(clean: str, seen: str) -> bool:
    """Whether a text tells of the fault, or of more that is not known than the text without it."""
    return MARK in seen or any(seen.count(word) > clean.count(word) for word in UNKNOWN)
