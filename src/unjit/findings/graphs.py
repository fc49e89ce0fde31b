"""What costs little each: graphs that are hardly worth compiling, and code that was not recovered as source."""

from __future__ import annotations

from collections.abc import Iterator

from unjit.model import LEFT_OUT_BY_REDACTION, Capture, Code, Concern, Entry, Function, Message, Term, Unknown


def small_graphs(capture: Capture) -> Iterator[Concern]:
    """Functions of which each graph has at most one operation: calling compiled code costs more than it saves."""
    for function in capture.report.functions:
        graphs = [graph for entry in function.entries for graph in entry.graphs]
        sizes = [graph.operations for graph in graphs if not isinstance(graph.operations, Unknown)]
        if sizes and len(sizes) == len(graphs) and max(sizes) <= 1:
            what = Message("no graph of this function has more than one operation")
            advice = Message("Compile a larger part of the program in one piece, or leave this function uncompiled.")
            paths = tuple(_path(entry, function, capture) for entry in function.entries)
            yield Concern("small graph", what, function.key, function.begins, paths, advice)


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
