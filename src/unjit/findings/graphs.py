"""Concerns about graphs: that there are none, that they are small, that code is not recovered as source."""

from __future__ import annotations

from collections.abc import Iterator

from unjit.model import (
    LEFT_OUT_BY_REDACTION,
    Capture,
    Code,
    Concern,
    Entry,
    Function,
    Kernel,
    Message,
    Term,
    Unknown,
    known_or,
)


def no_graphs(capture: Capture) -> Iterator[Concern]:
    """That Dynamo broke, and compiled no operation on a tensor: as of a module in a wrapper in which it breaks."""
    entries = [entry for function in capture.report.functions for entry in function.entries]
    captured = any(text.name == "captured" for one in capture.compiles for text in one.artifacts)
    if captured or any(isinstance(entry.code, Unknown) or entry.graphs for entry in entries):
        return
    broken = next((one for one in capture.compiles if known_or(one.compile.breaks, ())), None)
    if entries and broken is not None:
        what = Message("no operation on a tensor was compiled in this process; this is its first graph break")
        advice = Message("Avoid the break, or compile only the part that computes, as the module inside a wrapper.")
        first = known_or(broken.compile.breaks, ())[0]
        yield Concern("not compiled", what, broken.function, first.place, (broken.path,), advice)


def small_graphs(capture: Capture) -> Iterator[Concern]:
    """Functions of which each graph has at most one operation: calling compiled code costs more than it saves.

    Not where that one is several, as a loss is: Inductor fused what it consists of, which eager may run one by one.
    """
    large = {one.function for one in capture.compiles if any(map(_is_fused, one.kernels))}
    for function in capture.report.functions:
        if function.key in large:
            continue
        graphs = [graph for entry in function.entries for graph in entry.graphs]
        sizes = [graph.operations for graph in graphs if not isinstance(graph.operations, Unknown)]
        if sizes and len(sizes) == len(graphs) and max(sizes) <= 1:
            what = Message("no graph of this function has more than one operation")
            advice = Message("Compile a larger part of the program in one piece, or leave this function uncompiled.")
            paths = tuple(_path(entry, function, capture) for entry in function.entries)
            yield Concern("small graph", what, function.key, function.begins, paths, advice)


def _is_fused(kernel: Kernel) -> bool:
    """Whether it does more than a backward of one plain operation, `x * sign(y)` for that of `abs(y)`."""
    return len(known_or(kernel.operations, ())) > 2


def unrecovered(capture: Capture) -> Iterator[Concern]:
    """Entries whose code is known as disassembly alone."""
    for function in capture.report.functions:
        for entry in function.entries:
            if not isinstance(entry.code, Unknown) and _was_not_recovered(entry.code):
                what = Message(f"the code that runs in its place was not recovered as source: {entry.code.reason}")
                paths = (_path(entry, function, capture),)
                yield Concern("not recovered", what, function.key, function.begins, paths, None)


def _was_not_recovered(code: Code) -> bool:
    return code.verdict == "opaque" and code.reason != LEFT_OUT_BY_REDACTION


def _path(entry: Entry, function: Function, capture: Capture) -> Term:
    """The folder of the compile that made an entry, or else of its function."""
    for one in capture.compiles:
        if one.function == function.key and one.compile.compile_id == entry.compile_id:
            return one.path
    return Term(f"functions/{function.key}")
