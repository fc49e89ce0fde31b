"""Where the time of compiling went: each phase without those within it, and the slowest compiles."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from unjit.model import Capture, CompileRun, Phase, Unknown

_MOST: Final = 8
# What torch's names for phases stand for, where a reader may not know.
_MEANING: Final = {
    "entire_frame_compile": "everything around the compile of a function",
    "dynamo": "everything around the compile of a function",
    "compile_attempt_0": "Dynamo makes code and guards",
    "bytecode_tracing": "Dynamo reads the function and captures a graph",
    "build_guards": "Dynamo makes the guards",
    "backend_compile": "the backend is called",
    "create_aot_dispatcher_function": "AOTAutograd traces forward and backward",
    "aot_trace_joint_graph": "AOTAutograd traces forward and backward in one",
    "min_cut_rematerialization_partition": "it is decided what backward computes again",
    "GraphLowering.run": "Inductor lowers operations",
    "Scheduler.__init__": "Inductor decides what to fuse",
    "Scheduler.codegen": "Inductor writes kernels",
    "compile_file": "the C++ compiler",
    "async_compile.wait": "waiting for kernels to be compiled",
    "PyCodeCache.load_by_key_path": "the code that calls the kernels is loaded",
    "_recursive_post_grad_passes": "Inductor's last passes over the graph",
    "_recursive_joint_graph_passes": "Inductor's passes over forward and backward in one",
}


@dataclass(frozen=True)
class Spent:
    """One phase, in all compiles together."""

    name: str
    says: str
    seconds: float
    share: float  # of all that was measured


@dataclass(frozen=True)
class Times:
    phases: tuple[Spent, ...]  # the longest first
    rest: float  # seconds of all others
    compiles: tuple[tuple[str, str, float], ...]  # function, compile and seconds, the longest first


def times(capture: Capture) -> Times | None:
    """None where no time is known."""
    runs = capture.run.compiles if capture.run is not None else ()
    spent: defaultdict[str, float] = defaultdict(float)
    for one in runs:
        for phase, seconds in alone(one.phases):
            spent[str(phase.name)] += seconds
    total = sum(spent.values())
    if not total:
        return None
    longest = sorted(spent.items(), key=lambda one: -one[1])[:_MOST]
    phases = tuple(Spent(name, _MEANING.get(name, ""), seconds, seconds / total) for name, seconds in longest)
    return Times(phases, total - sum(one.seconds for one in phases), _slowest(capture, runs))


def alone(phases: tuple[Phase, ...]) -> Iterator[tuple[Phase, float]]:
    """Each phase with its seconds without those of the phases within it; phases come in the order of their starts."""
    inside = [0.0] * len(phases)
    above: list[int] = []
    for at, phase in enumerate(phases):
        del above[phase.depth :]
        if above:
            inside[above[-1]] += phase.seconds
        above.append(at)
    for phase, below in zip(phases, inside, strict=True):
        yield phase, max(0.0, phase.seconds - below)


def _slowest(capture: Capture, runs: tuple[CompileRun, ...]) -> tuple[tuple[str, str, float], ...]:
    of_path = {one.path: one for one in capture.compiles}
    known = [(of_path[one.path], one.seconds) for one in runs if one.path in of_path]
    timed = [(one, seconds) for one, seconds in known if not isinstance(seconds, Unknown)]
    timed.sort(key=lambda pair: -pair[1])
    return tuple((str(one.function), str(one.number), seconds) for one, seconds in timed[:5])
