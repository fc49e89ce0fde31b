"""What was collected and what is alive, joined to the model's `Capture`."""

from __future__ import annotations

import datetime as dt
import os
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from unjit.capturing.collecting.building import Building, metrics_text
from unjit.capturing.collecting.collector import LEFT_OUT, Collector
from unjit.capturing.ending.sources import files_of_functions, read_sources
from unjit.capturing.ending.users_lines import with_users_lines
from unjit.capturing.reading.shapes import read_inputs, read_shape_guards, read_symbols
from unjit.capturing.reading.stacks import entered
from unjit.model import (
    PYTHON_VERSION,
    Capture,
    CapturedCompile,
    Compile,
    CompileId,
    CompileRun,
    Entry,
    FilePath,
    Function,
    Host,
    Maybe,
    Message,
    Name,
    Report,
    Run,
    Term,
    Unknown,
    known_or,
)
from unjit.observe.functions.names import unused
from unjit.observe.listening.recorder import Recorder
from unjit.observe.recorded.compiles import read_compile
from unjit.torch_private.probes.probe import torch_version

_READ = re.compile(r"(PY)?TORCH|INDUCTOR|TRITON|AOT_|FX_|OMP_|MKL_|CUDA_|NCCL_|(LOCAL_)?(RANK|WORLD_SIZE)$")
_NOT_READ = Unknown(Message("the entry was not looked at: its compile has only just ended"))


def assemble(collector: Collector, recorder: Recorder, processes: tuple[str, ...]) -> Capture:
    """Everything of this process at this moment."""
    from unjit.observe.recorded.report import read_run  # only the end needs the decompiler and all that reads the live

    resets = len(recorder.runs) - 1
    found = join(collector, read_run(recorder), read_this_run(collector, resets), resets, processes)
    sources = read_sources([*collector.files_named, *files_of_functions(found)], collector.began)
    return replace(found, sources=sources)


def join(collector: Collector, report: Report, run: Run, resets: int, processes: tuple[str, ...]) -> Capture:
    """What was collected, with what is known of the functions and of the run."""
    of = {id_of(building, resets): building for building in list(collector.compiles.values())}
    keys = {compile_id: building.function for compile_id, building in of.items()}
    report = with_users_lines(_ordered(_with_keys(report, keys), collector), collector, of)
    losses = [*report.losses, *(Message(loss) for loss in collector.files.losses)]
    compiles = {found.compile_id: found for function in report.functions for found in known_or(function.compiles, ())}
    return Capture(
        finished=True,
        report=replace(report, losses=tuple(dict.fromkeys(losses))),
        compiles=tuple(
            captured(building, collector, compiles.get(id_of(building, resets)))
            for building in _in_order(collector, report)
        ),
        left_out=left_out(collector),
        run=run,
        processes=tuple(Term(name) for name in processes),
        outside=outside_of(collector),
    )


def outside_of(collector: Collector) -> tuple[Term, ...]:
    """The texts that belong to no compile, all of them written, in the order in which torch made them."""
    collector.outside.finish()
    return tuple(collector.outside.paths)


def left_out(collector: Collector) -> tuple[Message, ...]:
    """The kinds of records that were left out, each with the reason."""
    return tuple(Message(f"{kind}: {LEFT_OUT[kind]}") for kind in sorted(collector.left_out))


def nothing_yet() -> Capture:
    """What the index says before the end: that there is more to come, or that the end never came."""
    version, python = Term(torch_version()), PYTHON_VERSION
    return Capture(False, Report("events", version, python, (), (), ()), (), (), None, ())


def captured(building: Building, collector: Collector, known: Compile | None = None) -> CapturedCompile:
    """One compile, from what was collected alone where nothing more is known."""
    return CapturedCompile(
        function=building.function,
        number=building.number,
        path=Term(building.path),
        entered=entered(building.stack),
        stack=building.stack or Unknown(Message("torch does not say")),
        compile=known or read_compile(building.recorded, building.recorded.compile_id, _NOT_READ),
        artifacts=tuple(building.artifacts),
        symbols=read_symbols(building.facts, collector.file_name),
        shape_guards=read_shape_guards(building.facts, collector.file_name),
        inputs=read_inputs(building.facts),
        caches=tuple(building.caches),
        kernels=building.kernels,
        kept=building.kept,
    )


def read_this_run(collector: Collector, resets: int) -> Run:
    """What is different each time that the same program runs."""
    began = dt.datetime.fromtimestamp(collector.began, tz=dt.timezone.utc)
    return Run(
        process=Host(str(os.getpid())),
        command=tuple(FilePath(word) for word in [sys.executable, *sys.argv]),
        folder=current_folder(),
        began=Term(began.isoformat(timespec="milliseconds")),
        seconds=round(time.time() - collector.began, 3),
        folders=collector.stable.folders,
        environment=tuple(Host(f"{name}={value}") for name, value in sorted(os.environ.items()) if _READ.match(name)),
        compiles=tuple(run_of(building, resets) for building in list(collector.compiles.values())),
        raised=collector.raised,
    )


def current_folder() -> Maybe[FilePath]:
    """The folder that the process is in; it may have been removed."""
    try:
        return FilePath(str(Path.cwd()))
    except OSError as error:
        return Unknown(Message(f"there is no current folder ({error.strerror})"))


def run_of(building: Building, resets: int) -> CompileRun:
    """What of a compile is different in each run."""
    seconds = building.recorded.seconds
    return CompileRun(
        path=Term(building.path),
        compile_id=id_of(building, resets),
        thread=building.thread,
        seconds=Unknown(Message("torch did not measure it")) if seconds is None else seconds,
        phases=building.timeline.phases,
        guards=building.check_times,
        metrics=metrics_text(building.metrics),
    )


def id_of(building: Building, resets: int) -> CompileId:
    """The compile's number, with how many resets came after it."""
    return replace(building.recorded.compile_id, resets=resets - building.recorded.run)


def _with_keys(report: Report, keys: dict[CompileId, Name]) -> Report:
    """The report with the functions named as their folders are."""
    new: dict[Name, Name] = {}
    for function in report.functions:
        compiles = known_or(function.compiles, ())
        found = (keys.get(one.compile_id) for one in compiles if isinstance(one.compile_id, CompileId))
        key = next((name for name in found if name is not None), None)
        if key is not None and key not in new.values():
            new[function.key] = key
    taken = {*new.values(), *keys.values()}
    for function in report.functions:
        if function.key not in new:
            new[function.key] = unused(function.key, taken)
            taken.add(new[function.key])
    return replace(
        report,
        roots=tuple(new[key] for key in report.roots),
        functions=tuple(_renamed(function, new) for function in report.functions),
    )


def _renamed(function: Function, new: dict[Name, Name]) -> Function:
    entries: Iterator[Entry] = (
        replace(entry, resume_functions=tuple(new[key] for key in entry.resume_functions)) for entry in function.entries
    )
    resumes = tuple(new[key] for key in function.resume_functions)
    return replace(function, key=new[function.key], entries=tuple(entries), resume_functions=resumes)


def _ordered(report: Report, collector: Collector) -> Report:
    """Functions in the order of their first compiles; by name where threads make that a matter of chance."""
    if len({building.thread for building in list(collector.compiles.values())}) <= 1:
        return report
    by_name = tuple(sorted(report.functions, key=lambda function: function.key))
    return replace(report, roots=tuple(sorted(report.roots)), functions=by_name)


def _in_order(collector: Collector, report: Report) -> list[Building]:
    position = {function.key: at for at, function in enumerate(report.functions)}
    own = list(collector.compiles.values())
    return sorted(own, key=lambda one: (position.get(one.function, len(position)), one.number))
