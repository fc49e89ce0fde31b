"""An explanation as a tree: functions, and what is known of each cache entry."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from unjit.contents.node import Node
from unjit.model import Compile, Entry, Function, Graph, GraphBreak, Guards, Listing, Maybe, Report, Unknown
from unjit.model.words.unique_names import short_names
from unjit.render.captures.capture import transformed_text
from unjit.render.captures.run import overview
from unjit.render.forms.outline import count, fact
from unjit.render.forms.places import where
from unjit.render.forms.printable import on_one_line
from unjit.render.forms.text import break_text, entry_text, function_text, graph_text, guards_text, recompile_text
from unjit.render.functions.relevance import entry_title
from unjit.render.functions.summary import summary_line

SourceOf = Callable[[Function], "str | Unknown"]  # the user's source of a function


def of_report(report: Report, source_of: SourceOf) -> Node:
    """The tree of an explanation."""
    return Node(
        path="",
        kind="capture",
        title=f"{count(len(report.functions), 'function')}",
        text=lambda: "\n".join(overview(report)),
        value=lambda: report,
        inside=lambda: tuple(_function(function, report, source_of) for function in report.functions),
    )


def _function(function: Function, report: Report, source_of: SourceOf) -> Node:
    return Node(
        path=str(function.key),
        kind="function",
        title=summary_line(function).partition("  ")[2],
        text=lambda: function_text(function, report),
        value=lambda: function,
        inside=lambda: tuple(_entries(function, report, source_of)),
    )


def _entries(function: Function, report: Report, source_of: SourceOf) -> Iterator[Node]:
    for entry in function.entries:
        path = f"{function.key}/entry_{entry.index}"
        yield entry_node(path, entry, function, report, source_of)


def entry_node(path: str, entry: Entry, function: Function, report: Report, source_of: SourceOf) -> Node:
    """A cache entry, with its code, guards and graphs."""
    found = function.compile_of(entry)
    return Node(
        path=path,
        kind="entry",
        title=numbered(entry, function),
        text=lambda: entry_text(entry, function, report),
        value=lambda: entry,
        inside=lambda: (
            *code_nodes(path, entry, function, source_of),
            *guard_nodes(path, entry),
            *(() if found is None else compile_nodes(path, found)),
            *graph_nodes(path, entry),
        ),
    )


def numbered(entry: Entry, function: Function) -> str:
    """Which entry it is, in the words of the text about it."""
    title = entry_title(entry, len(function.entries))
    return f"{title[0].lower()}{title[1:]}"


def code_nodes(path: str, entry: Entry | None, function: Function, source_of: SourceOf) -> Iterator[Node]:
    """The user's source, the code that runs in its place, and its instructions."""
    source = source_text(function, source_of)
    yield Node(f"{path}/source", "code", "the user's source", lambda: str(source), lambda: source)
    if entry is None:
        return
    code = entry.code
    if isinstance(code, Unknown):
        yield Node(f"{path}/transformed", "code", f"what runs in its place: {code}", lambda: str(code), lambda: code)
        return
    title = f"what runs in its place ({code.verdict})"
    yield Node(f"{path}/transformed", "code", title, lambda: transformed_text(code), lambda: code)
    title = count(code.instructions, "instruction")
    yield Node(f"{path}/bytecode", "code", title, lambda: str(code.disassembly), lambda: code.disassembly)


def source_text(function: Function, source_of: SourceOf) -> Maybe[str]:
    """The user's source of a function; of a resume function, the whole of which it is the rest."""
    if function.resume is None:
        return source_of(function)
    found = function.resume.source
    return f"# {on_one_line(found.file)}:{found.first_line}\n{found.text}" if isinstance(found, Listing) else found


def guard_nodes(path: str, entry: Entry) -> Iterator[Node]:
    """The guards of an entry."""
    guards: Maybe[Guards] = entry.guards
    number = str(guards) if isinstance(guards, Unknown) else count(len(guards), "guard")
    yield Node(f"{path}/guards", "guards", number, lambda: guards_text(guards), lambda: guards)


def compile_nodes(path: str, found: Compile) -> Iterator[Node]:
    """Where a compile broke, and why there was one."""
    breaks, failed = found.breaks, found.failed_guards
    if isinstance(breaks, tuple):
        yield from (_break(f"{path}/graph_break_{number}", one) for number, one in enumerate(breaks))
    if isinstance(failed, tuple) and failed:
        title = f"why it was compiled again: {count(len(failed), 'entry', 'entries')} did not fit"
        yield Node(f"{path}/why_again", "recompile", title, lambda: recompile_text(found), lambda: failed)


def _break(path: str, found: GraphBreak) -> Node:
    title = f"graph break: {found.reason} at {where(found.place)}"
    return Node(path, "break", title, lambda: break_text(found), lambda: found)


def graph_nodes(path: str, entry: Entry) -> Iterator[Node]:
    """The graphs that an entry calls."""
    for graph in entry.graphs:
        yield _graph(path, graph)


def _graph(path: str, graph: Graph) -> Node:
    name = short_names(graph.name)
    size = "" if isinstance(graph.operations, Unknown) else f", {count(graph.operations, 'operation')}"
    title = f"graph {name} ({fact(graph.stage)}{size})"
    return Node(f"{path}/{name}", "graph", title, lambda: graph_text(graph), lambda: graph)
