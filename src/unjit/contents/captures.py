"""A capture as a tree: as an explanation, with compiles in place of entries, and all that each of them made."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from unjit.contents.node import Kind, Node
from unjit.contents.reports import SourceOf, code_nodes, compile_nodes, entry_node, guard_nodes, numbered
from unjit.model import Artifact, Capture, CapturedCompile, Entry, Function, Kernel, Unknown
from unjit.render.captures.call_tree import call_tree_text, in_time
from unjit.render.captures.capture import meaning
from unjit.render.captures.parts import part_of
from unjit.render.captures.run import overview
from unjit.render.forms.outline import count, fact
from unjit.render.forms.places import where
from unjit.render.forms.text import compile_text, function_text, kernel_text
from unjit.render.functions.summary import summary_line

Processes = Mapping[str, Callable[[], Node]]


def of_capture(capture: Capture, source_of: SourceOf, processes: Processes) -> Node:
    """The tree of a capture; `processes` gives those of the other processes in its directory."""
    return Node(
        path="",
        kind="capture",
        title=f"{count(len(capture.report.functions), 'function')}, {count(len(capture.compiles), 'compile')}",
        text=lambda: "\n".join(overview(capture.report)),
        value=lambda: capture,
        inside=lambda: (
            *(_function(function, capture, source_of) for function in capture.report.functions),
            *([_calls(capture)] if capture.compiles else ()),
            *(_process(name, make) for name, make in processes.items()),
        ),
    )


def _calls(capture: Capture) -> Node:
    return Node(
        path="call_tree",
        kind="calls",
        title="where compiles began: all calls that led to them, as a tree",
        text=lambda: call_tree_text(capture),
        value=lambda: tuple(in_time(capture)),
    )


def _process(name: str, make: Callable[[], Node]) -> Node:
    path = f"processes/{name}"
    return Node(
        path=path,
        kind="process",
        title=f"another process: {name}",
        text=lambda: make().text(),
        value=lambda: make().value(),
        inside=lambda: tuple(_below(path, node) for node in make().inside()),
    )


def _below(path: str, node: Node) -> Node:
    """A node of another tree, seen from the top of this one."""
    return Node(
        path=f"{path}/{node.path}",
        kind=node.kind,
        title=node.title,
        text=node.text,
        value=node.value,
        inside=lambda: tuple(_below(path, child) for child in node.inside()),
    )


def _function(function: Function, capture: Capture, source_of: SourceOf) -> Node:
    return Node(
        path=str(function.key),
        kind="function",
        title=summary_line(function).partition("  ")[2],
        text=lambda: function_text(function, capture.report),
        value=lambda: function,
        inside=lambda: tuple(_compiles(function, capture, source_of)),
    )


def _compiles(function: Function, capture: Capture, source_of: SourceOf) -> Iterator[Node]:
    left = list(function.entries)
    for one in capture.compiles:
        if one.function == function.key:
            entry = next((entry for entry in left if entry.compile_id == one.compile.compile_id), None)
            left = [other for other in left if other is not entry]
            yield _compile(one, entry, function, capture, source_of)
    for number, entry in enumerate(left):
        yield entry_node(f"{function.key}/older_entry_{number}", entry, function, capture.report, source_of)


def _compile(
    one: CapturedCompile, entry: Entry | None, function: Function, capture: Capture, source_of: SourceOf
) -> Node:
    path = f"{one.function}/compile_{one.number}"
    made = "" if entry is None else f", {numbered(entry, function)}"
    return Node(
        path=path,
        kind="compile",
        title=f"compile {one.number}: {fact(one.compile.outcome)}{made}, entered from {where(one.entered)}",
        text=lambda: compile_text(one, entry, function, capture.report),
        value=lambda: one,
        inside=lambda: (
            *code_nodes(path, entry, function, source_of),
            *(() if entry is None else guard_nodes(path, entry)),
            *compile_nodes(path, one.compile),
            *(_artifact(path, artifact, one) for artifact in one.artifacts),
            *(_kernel(path, kernel) for kernel in one.kernels),
        ),
    )


def _artifact(path: str, artifact: Artifact, one: CapturedCompile) -> Node:
    inside = artifact.path.removeprefix(f"{one.path}/").removesuffix(artifact.suffix)
    clashes = inside == "guards"  # torch's own text of them
    kind: Kind = "graph" if artifact.suffix == ".py" else "text"
    said = ", of ".join(filter(None, [meaning(artifact), part_of(artifact, one)]))
    left_out = f", left out: {artifact.text.reason}" if isinstance(artifact.text, Unknown) else ""
    return Node(
        path=f"{path}/{inside}{artifact.suffix if clashes else ''}",
        kind=kind,
        title=f"{artifact.name}{artifact.suffix}{': ' if said else ''}{said}{left_out}",
        text=lambda: str(artifact.text),
        value=lambda: artifact,
    )


def _kernel(path: str, kernel: Kernel) -> Node:
    title = f"kernel {kernel.name} ({kernel.language}, {kernel.half})"
    return Node(
        f"{path}/kernels/{kernel.half}/{kernel.name}", "kernel", title, lambda: kernel_text(kernel), lambda: kernel
    )
