"""Programs with one fault each, in forks of a process that has imported torch and an unjit with sites in it.

    python tests/support/trials.py FOLDER MODE PROGRAM ARGUMENTS …

Reads one fault as JSON from each line of its input, and answers each with a line: what the program did and said with
it. `null` asks for the run without a fault, and is answered with the sites that it met as well. MODE is `run`, `out`
(`unjit run --out`), `compare` (`unjit compare`), `capture`,
`debug` or `explain`.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import gc
import json
import logging
import os
import re
import runpy
import select
import shutil
import signal
import sys
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path
from types import ModuleType
from typing import Any, NoReturn

import injection
from injection import FAULTS, KILLED, Fault

LIMIT = float(os.environ.get("TRIAL_SECONDS", "60"))
NOISE = re.compile(  # addresses, the names of graphs, times
    r"0x[0-9a-f]{6,}|[0-9a-f]{8}(_[0-9a-f]{4}){3}_[0-9a-f]{12}|\d+(\.\d+)? m?s\b|(?<=\"seconds\": )[\d.e-]+|\b\d{5,}\b"
)
ODD = ("Exception ignored", "Logging error", "Error in atexit", "Error in sitecustomize", "Fatal Python")
DIFFERENT_EACH_TIME = ("report.html", "trace.json")  # they tell times
TELLS_OF_A_RUN = "run.json"  # times as well, of which only what is not known is the same each time


def told_by(file: Path) -> str:
    """What a file says, without what differs from run to run."""
    text = file.read_text(errors="replace")
    if file.name != TELLS_OF_A_RUN:
        return text
    return "\n".join(re.findall(r'"unknown": "[^"]*"', text))


class Trial:
    """One run, in a fork of its own."""

    def __init__(self, folder: Path, mode: str, program: list[str], fault: Fault | None) -> None:
        self.folder, self.mode, self.program, self.fault = folder, mode, program, fault
        self.out = folder / "out"
        self.told: list[str] = []

    def result(self) -> dict[str, object]:
        """What it did, seen from outside."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        ours, theirs = os.pipe()
        child = os.fork()
        if child == 0:
            os.close(ours)
            end(lambda: self.play(theirs))
        os.close(theirs)
        status = wait(child)
        notes = [json.loads(line) for line in os.fdopen(ours).read().splitlines()]
        answer = {"status": status, **self.files(), **{key: value for note in notes for key, value in note.items()}}
        if self.fault is not None and self.fault.error == KILLED:
            answer["unreadable"] = unreadable(self.out) if self.mode in ("capture", "out") else ""
        return answer

    def files(self) -> dict[str, object]:
        stdout, stderr = ((self.folder / name).read_text() for name in ("stdout", "stderr"))
        texts = {
            str(file.relative_to(self.out)): told_by(file)
            for file in sorted(self.out.rglob("*"))
            if file.is_file() and file.name not in DIFFERENT_EACH_TIME
        }
        beside = (self.folder / name for name in ("report.json", "sources.txt"))
        texts |= {file.stem: file.read_text() for file in beside if file.exists()}
        own = [line for line in stderr.splitlines() if not any(odd in line for odd in ODD)]
        said = "\n".join([*own, *(f"== {name}\n{text}" for name, text in texts.items())])
        return {"stdout": stdout, "stderr": stderr, "said": NOISE.sub("…", said)}

    def play(self, report: int) -> None:
        """The whole run, in the child, which then ends as Python ends."""
        for number, name in enumerate(("stdout", "stderr"), start=1):
            file = os.open(self.folder / name, os.O_WRONLY | os.O_CREAT, 0o600)
            os.dup2(file, number)
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        sys.stdout, sys.stderr = os.fdopen(1, "w", closefd=False), os.fdopen(2, "w", closefd=False)
        sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr
        faulthandler.dump_traceback_later(0.9 * LIMIT, file=sys.stderr)  # where one hangs
        sys.argv = self.program
        sys.modules["__main__"] = ModuleType("__main__")
        FAULTS.armed, FAULTS.met, FAULTS.calls, FAULTS.on = self.fault, {}, Counter(), True
        note = lambda **what: os.write(report, (json.dumps(what) + "\n").encode())  # noqa: E731
        FAULTS.fired = lambda: note(fired=True, where=traceback.format_stack(limit=12)[:-2])
        if self.fault is None:
            atexit.register(lambda: note(sites=FAULTS.met, calls=FAULTS.calls))
        before = state()
        try:
            getattr(self, f"as_{self.mode}")()
        finally:
            if self.mode in ("capture", "debug", "explain"):
                note(left=[one for one in state() if one not in before], told=self.told)

    def run_program(self) -> dict[str, object]:
        FAULTS.main = None
        return runpy.run_path(self.program[0], run_name="__main__")

    def as_plain(self) -> None:
        self.run_program()

    def as_run(self, **asked: object) -> None:
        """As `unjit run` does it: by the start-up file, and by the import of torch."""
        from unjit.starting.options import Options

        FAULTS.on = False
        asked = asked or {"verbose": True, "json_file": str(self.folder / "report.json")}
        os.environ["UNJIT_RUN"] = Options(**asked).dump()
        FAULTS.on = True
        os.environ["PYTHONPATH"] = ""
        sys.modules["sitecustomize"] = ModuleType("sitecustomize")
        file = injection.boot_file()
        names = {"__name__": "sitecustomize", "__file__": file, **injection.QUESTIONS}
        try:
            exec(injection.instrumented(Path(file).read_text(), file, "starting.boot.sitecustomize"), names)
        except ImportError:
            pass
        except Exception as error:  # as the module `site` says it
            print(f"Error in sitecustomize: {error!r}", file=sys.stderr)
        for finder in list(sys.meta_path):
            if hasattr(finder, "conclude"):
                finder.find_spec("torch")
        self.run_program()

    def as_out(self) -> None:
        self.as_run(verbose=True, json_file=str(self.folder / "report.json"), out=str(self.out))

    def as_compare(self) -> None:
        """As `unjit compare` does it; the command's end of the pipe is a file."""
        self.out.mkdir()
        pipe = os.open(self.out / "answers", os.O_WRONLY | os.O_CREAT, 0o600)
        self.as_run(compare=True, backends=("eager", "aot_eager"), calls=2, pipe=pipe)

    def as_capture(self) -> None:
        def losses(session: Any) -> Sequence[str]:
            told = (f"{one.key}: {session.source(one.key)}" for one in session.functions)
            (self.folder / "sources.txt").write_text("\n".join(told))
            return session.losses

        self.block("capture", losses)

    def as_debug(self) -> None:
        self.block("debug", lambda session: session.problems, quiet=True)

    def block(self, name: str, losses: Callable[[Any], Sequence[str]], **options: object) -> None:
        """The program in a block of unjit's."""
        import unjit

        make = verb(name)
        begun = played = False
        FAULTS.on = False
        session = make(directory=self.out, **options)
        FAULTS.on = True
        try:
            with session:
                begun = True
                self.run_program()
                played = True
        except BaseException as error:
            if not played and begun:
                raise
            self.told.append(f"raised {type(error).__name__}: {error}")
            if not begun:
                self.run_program()
        FAULTS.armed = None
        try:
            self.told += losses(session)
        except unjit.UnjitError as error:
            self.told.append(f"raised UnjitError: {error}")

    def as_explain(self) -> None:
        names = self.run_program()
        explain = verb("explain")
        for number, targets in enumerate([(), (names["compiled"],)]):
            try:
                found = explain(*targets)
                text = f"{found}\n{found.to_json()}"
            except BaseException as error:
                self.told.append(f"raised {type(error).__name__}: {error}")
                text = f"raised {type(error).__name__}: {error}"
            (self.folder / "out").mkdir(exist_ok=True)
            (self.folder / "out" / f"explanation_{number}").write_text(text)
        names["once"]()


def verb(name: str) -> Callable[..., object]:
    """What the program imports; an import that fails is the program's own to see."""
    import unjit

    FAULTS.on = False
    found = getattr(unjit, name)
    FAULTS.on = True
    return found


def state() -> list[str]:
    """What a block may not leave behind."""
    import torch

    hooks = torch._dynamo.convert_frame._bytecode_hooks
    from unjit.torch_private.following.inductor_logs import KINDS

    loggers = [logging.getLogger(name) for name in ("torch.__trace", *KINDS)]
    found = [f"handler {type(one).__name__} of {logger.name}" for logger in loggers for one in logger.handlers]
    found += [f"level {logger.name} {logger.level}" for logger in loggers[1:]]
    found += [f"hook {number}" for number, _ in enumerate(hooks.values())]
    return found + [f"{name}={os.environ.get(name)}" for name in ("UNJIT_RUN", "PYTHONPATH", "UNJIT_PYTHONPATH")]


def end(work: Callable[[], object]) -> NoReturn:
    """Do this and end as Python ends, without the second that it takes torch to be torn down."""
    status = 0
    try:
        work()
    except SystemExit as error:
        status = error.code if isinstance(error.code, int) else bool(error.code)
    except BaseException:
        traceback.print_exc()
        status = 1
    try:
        atexit._run_exitfuncs()
        sys.stdout.flush()
        sys.stderr.flush()
    finally:
        os._exit(status)


def wait(child: int) -> int:
    """The exit status, or minus the signal that ended it; one that hangs is killed."""
    end = time.monotonic() + LIMIT
    while time.monotonic() < end:
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            return os.waitstatus_to_exitcode(status)
        select.select([], [], [], 0.01)
    os.kill(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -999


def unreadable(out: Path) -> str:
    """Why the directory of a killed process cannot be read; empty where it can, or where there is none yet."""
    import unjit

    if not any(file.is_file() for file in out.rglob("*")):
        return ""
    try:
        session = unjit.load(out)
        assert session.data.finished or session.losses, "nothing says that it did not end"
        assert all(node.text() for node in session.contents().walk())
    except BaseException:
        return traceback.format_exc()
    return ""


def warm_up(program: list[str]) -> None:
    """What torch imports and caches at the first compile, it need not in each trial."""
    import torch

    sys.argv = program
    with contextlib.redirect_stdout(None), contextlib.redirect_stderr(None):
        runpy.run_path(program[0])
    torch._dynamo.reset()


def main() -> None:
    folder, mode, *program = sys.argv[1:]
    injection.install()
    import torch
    import torch._dynamo
    import torch._inductor.compile_fx

    torch.set_num_threads(1)
    if "faulted_model" in program[0]:
        import transformers  # noqa: F401
    injection.import_all()
    warm_up(program)
    gc.freeze()
    for line in sys.stdin:
        fault = json.loads(line)
        answer = Trial(Path(folder), mode, program, fault and Fault(**fault)).result()
        print(json.dumps(answer), flush=True)


if __name__ == "__main__":
    main()
