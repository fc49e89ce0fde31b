"""The phases of compiles: what torch's names for them mean, and how long each took without those within it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from unjit.model import Phase

# What torch's names for phases stand for, where a reader may not know.
MEANING: Final = {
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
    "PyCodeCache.load_by_key_path": "the code that calls the kernels is loaded, and waits for their compiler",
    "_recursive_post_grad_passes": "Inductor's last passes over the graph",
    "_recursive_joint_graph_passes": "Inductor's passes over forward and backward in one, or over an inference graph",
}


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
