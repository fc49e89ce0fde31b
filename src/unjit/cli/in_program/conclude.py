"""The end of `unjit run`: explain what was recorded, once the program has ended."""

from __future__ import annotations

import contextlib
import importlib.util
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Protocol, TextIO

from unjit.cli.in_program.elsewhere import compiled_elsewhere
from unjit.cli.output import json_in
from unjit.cli.ranks_told import file_of_rank, told_by_rank
from unjit.model import PYTHON_VERSION, Report
from unjit.starting.options import Options

OLDEST_TORCH = (2, 6)
_LEFT_ALONE = (
    "what that returned was not called, or Dynamo left it alone, as it does code of torch's own: a module of torch.nn"
    " after module.compile()"
)


class Run(Protocol):
    """What boot/sitecustomize.py leaves of a run."""

    options: str
    process: int
    recording: object
    errors: list[str]


def conclude(run: Run) -> None:
    """Write the explanation to stderr, and JSON where it was asked for."""
    options = Options.load(run.options)
    if options.compare:
        finish_comparing(run, options)
        return
    if options.joins or os.getpid() != run.process or (options.out and another_speaks()):
        finish_quietly(run)
        return
    report = read(run)
    if report is None and not program_began():
        return  # Python has said why, in its own words
    flush_stdout()
    lines = [f"unjit: {problem}" for problem in problems(run)]
    if report is None:
        lines.append(f"unjit: {compiled_elsewhere(options.out) or f'nothing to explain: {why_nothing()}'}")
    else:
        lines.append(describe(report, options))
    lines += about_step(report, options)
    lines += write_json(report, options)
    if report and options.out:
        lines += where_to_begin(options.out, written_to(run, options.out), what_was_not_written(run))
    text = "\n".join(lines) + "\n"
    write(sys.__stderr__, text if options.out else told_by_rank(text))  # into one directory the first speaks for all


def flush_stdout() -> None:
    """Let what the program has printed come first. If stdout fails, Python reports that, as it does without unjit."""
    with contextlib.suppress(Exception):  # it may be the program's own object, which has no such method, or None
        sys.stdout.flush()


def finish_comparing(run: Run, options: Options) -> None:
    """The end of a program under `unjit compare`: send what the command still waits for."""
    from unjit.cli.in_program.comparing import Comparing

    if isinstance(run.recording, Comparing):
        run.recording.finish(problems(run))
    else:
        Comparing((), 0, options.pipe).finish([*problems(run), why_nothing()])


def finish_quietly(run: Run) -> None:
    """The end of a process that takes part in another's capture: it has nothing to say to anybody."""
    from unjit.capturing.ending.uncaught import uncaught
    from unjit.capturing.session import Recording

    if isinstance(run.recording, Recording):
        run.recording.ended_by(uncaught())
        run.recording.finish()


def another_speaks() -> bool:
    """Whether this is one of several ranks, of which the first speaks for all."""
    from unjit.capturing.job import processes

    return processes.is_one_of_many() and processes.rank() != 0


def about_step(report: Report | None, options: Options) -> list[str]:
    """Why there was no prompt, where one was asked for."""
    from unjit.render.captures.run import why_no_step

    return [] if report is None or options.step is None else why_no_step(report, options.step)


def what_was_not_written(run: Run) -> list[str]:
    """The losses of a recording that are files: these are missing in the directory."""
    from unjit.capturing.session import Recording
    from unjit.directory.free import TAKEN
    from unjit.directory.loader import GONE

    losses = run.recording.kept.losses if isinstance(run.recording, Recording) else []
    return [loss for loss in losses if " could not be " in loss or TAKEN in loss or loss.endswith(GONE)]


def written_to(run: Run, out: str) -> Path:
    """The folder of this process's files: `out`, also where nothing could be made in it, or a rank's own in that."""
    from unjit.capturing.session import Recording
    from unjit.directory.files import DiskFiles

    kept = run.recording.kept if isinstance(run.recording, Recording) else None
    try:
        return kept.top if isinstance(kept, DiskFiles) else Path(out)
    except OSError:
        return Path(out)


def where_to_begin(out: str, folder: Path, losses: Sequence[str]) -> list[str]:
    """Where to begin to read what was captured into this folder; `losses` are files that are missing there."""
    from unjit.directory import layout
    from unjit.directory.free import TAKEN

    is_rank = folder != Path(out)
    index, page = folder / layout.INDEX_TEXT, folder / layout.PAGE
    made = "torch made on this rank" if is_rank else "torch made"
    if any(TAKEN in loss for loss in losses):
        return []  # another process writes there: its files are not to be shown as ours
    if not index.exists():
        some = (folder / layout.FUNCTIONS).exists()
        return [f"unjit: {'not everything' if some else 'nothing'} could be written to {folder}"]
    together = [f"unjit: all ranks together: unjit merge {out}"] if is_rank else []
    if losses:
        return [f"unjit: a part of what {made}, for not everything could be kept: {index}", *together]
    in_browser = f"; in a browser: {page}" if page.exists() and not is_rank else ""
    return [f"unjit: everything that {made}: {index}{in_browser}", *together]


def read(run: Run) -> Report | None:
    """What was recorded; None if no compile was seen."""
    from unjit.capturing.ending.uncaught import uncaught
    from unjit.capturing.session import Recording
    from unjit.observe.listening.recorder import Recorder
    from unjit.observe.recorded.report import read_run

    if isinstance(run.recording, Recording):
        run.recording.ended_by(uncaught())
        report = run.recording.finish()
    elif isinstance(run.recording, Recorder):
        report = read_run(run.recording)
    else:
        return None
    return report if report is not None and (report.functions or report.losses) else None


def program_began() -> bool:
    """Whether Python found the program and started it: only then has `__main__` a loader of its own or a spec."""
    main = sys.modules.get("__main__")
    loader = getattr(main, "__loader__", None)
    return getattr(main, "__spec__", None) is not None or not isinstance(loader, type)


def problems(run: Run) -> list[str]:
    """What made the recording worse than it should be."""
    found = list(run.errors)
    version = imported_torch()
    if version is not None and version < OLDEST_TORCH:
        found.append(f"torch {'.'.join(map(str, version))} is too old to be explained; 2.6 is the oldest that can be")
    return found


def imported_torch() -> tuple[int, int] | None:
    """Major and minor version of the torch that the program imported; None if there is none."""
    text = str(getattr(sys.modules.get("torch"), "__version__", ""))
    parts = text.split(".")[:2]
    return (int(parts[0]), int(parts[1])) if len(parts) > 1 and all(part.isdigit() for part in parts) else None


def why_nothing() -> str:
    """One clause that says why no compile was seen."""
    if "torch" in sys.modules:
        from unjit.torch_private.cache.backends import any_is_in_use

        nothing = "the program compiled nothing with torch.compile"
        return f"{nothing}: {_LEFT_ALONE}" if any_is_in_use() else nothing
    if importlib.util.find_spec("torch") is None:
        return "torch is not installed in this Python"
    return "the program did not import torch"


def describe(report: Report, options: Options) -> str:
    """The text that was asked for: one line for each function first, then details."""
    from unjit.render.captures.run import render_run

    return render_run(report, verbose=options.verbose, only=options.only)


def write_json(report: Report | None, options: Options) -> list[str]:
    """Write the report where `--json` says; gives what to tell the user about it."""
    if options.json_file is None:
        return []
    if report is None:
        elsewhere = compiled_elsewhere(options.out)
        report = empty(why_nothing() if elsewhere is None else elsewhere.who)
    elif options.redact:
        from unjit.redaction import Redactor

        report = Redactor().redacted(report)
    if options.json_file == "-":
        text = report.to_json(indent=None) + "\n"
        write(sys.__stdout__, json_in(getattr(sys.__stdout__, "encoding", None), text))
        return []
    file = file_of_rank(options.json_file)
    try:
        Path(file).write_text(report.to_json() + "\n", encoding="utf-8")
    except OSError as error:
        return [f"unjit: cannot write {file}: {error.strerror}"]
    return [f"unjit: everything as JSON: {file}"]


def empty(why: str) -> Report:
    """The report of a process that compiled nothing."""
    from unjit.model import Message, Term
    from unjit.torch_private.probes.probe import torch_version as version

    return Report("events", Term(version()), PYTHON_VERSION, (), (), (Message(why),))


def write(stream: TextIO | None, text: str) -> None:
    """Write past the stream's buffer: what cannot be written now must not fail later, in Python's own last flush."""
    if stream is None or stream.closed:
        return
    with contextlib.suppress(OSError, ValueError):
        stream.flush()
        rest = memoryview(text.encode(stream.encoding or "utf-8", "backslashreplace"))
        while rest:
            rest = rest[os.write(stream.fileno(), rest) :]
