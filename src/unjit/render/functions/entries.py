"""One cache entry in words."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from unjit.model import Code, Compile, Entry, Function, Graph, Listing, Maybe, Report, Unknown, known_or
from unjit.model.words.unique_names import short_names
from unjit.model.words.wording import object_gone
from unjit.render.forms.outline import Item, Section, Source, count, fact
from unjit.render.forms.places import where
from unjit.render.functions.compiles import Told, compile_items, goes_on_uncompiled
from unjit.render.functions.entry_counts import entries_counted
from unjit.render.functions.guards import guards_section
from unjit.render.functions.relevance import entry_title, made_by, relevance_items

_MARK = "<== resumes here"


@dataclass(frozen=True, slots=True)
class View:
    """How a report is shown, and what has been shown already and is not repeated."""

    told: Told
    shown: set[str]  # keys of resume functions
    alone: bool = False  # one function or entry is shown, and nothing comes below it


def entry_section(entry: Entry, of: int, compile_: Compile | None, report: Report, view: View) -> Section:
    """Everything about one entry: why it was made, when it runs, what runs, what that calls."""
    facts: list[str] = [] if entry.kind == "cache entry" else [entry.kind]
    facts += [*made_by(entry), f"hits: {fact(entry.hits)}"]
    items: list[Item] = [", ".join(facts)]
    items += relevance_items(entry)
    if entry.invalid is not None:
        why = object_gone(entry.invalid) or entry.invalid
        items.append(f"It is invalid, and Dynamo no longer uses it: {why}")
    items += [] if compile_ is None else list(compile_items(compile_, view.told))
    if compile_ is not None and goes_on_uncompiled(entry, [compile_]) and not _is_told(compile_):
        items.append("Dynamo could not go on after the break: the rest of the function runs in it as it was written.")
    items.append(guards_section(entry.guards))
    items.append(code_section(entry.code))
    items += _graphs(entry)
    items += _comprehensions(entry)
    items += _resumes(entry, report, view)
    return Section(entry_title(entry, of), tuple(items))


def _is_told(compile_: Compile) -> bool:
    """Whether its break says already that the rest of the function runs as it was written."""
    return any(found.skips_rest for found in known_or(compile_.breaks, ()))


def code_section(code: Maybe[Code]) -> Item:
    """Decompiled code with its verdict."""
    if isinstance(code, Unknown):
        return f"The code that runs in its place is {code}."
    shown = code.disassembly if code.verdict == "opaque" else code.source
    lines = tuple(map(short_names, shown.rstrip("\n").splitlines()))
    unknown = isinstance(code.left_out, Unknown)
    lost = [f"How much of it serves torch's profiler is {code.left_out}."] if unknown else []
    return Section(f"The code that runs in its place ({code.verdict}: {proof_of(code)}):", (*lost, Source(lines)))


def proof_of(code: Code) -> str:
    """What the verdict says, and what was left out of both the source and the bytecode."""
    said = {
        "identical": "this source compiles to the very same bytecode",
        "equivalent": "this source is proved to do the same as the bytecode",
        "opaque": f"not recovered as source: {code.reason}",
    }[code.verdict]
    if isinstance(code.left_out, Unknown) or not code.left_out:
        return said
    return f"{said}; left out of both: {count(code.left_out, 'instruction')} for torch's profiler"


def _graphs(entry: Entry) -> Iterator[Item]:
    if isinstance(entry.code, Unknown):
        yield "Which graphs and resume functions it calls is as unknown."
        return
    if not entry.graphs:
        yield "It calls no graph."
        return
    yield Section(
        f"It calls {count(len(entry.graphs), 'graph')}:", tuple(graph_section(graph) for graph in entry.graphs)
    )


def graph_section(graph: Graph) -> Section:
    """One graph as readable source."""
    name = short_names(graph.name)
    if isinstance(graph.source, Unknown):
        return Section(name, (f"The graph is {graph.source}.",))
    operations = "" if isinstance(graph.operations, Unknown) else f", {count(graph.operations, 'operation')}"
    return Section(
        f"{name} ({fact(graph.stage)}{operations}), run by {_backend(graph)} with Dynamo switched off inside:",
        (Source(tuple(graph.source.splitlines())),),
    )


def _backend(graph: Graph) -> str:
    return f"a backend that is {graph.backend}" if isinstance(graph.backend, Unknown) else fact(graph.backend)


def _comprehensions(entry: Entry) -> Iterator[Item]:
    if entry.comprehensions:
        told = tuple(f"{one.name}: {where(one.place)}" for one in entry.comprehensions)
        many = count(len(told), "comprehension")
        yield Section(
            f"It runs {many} as written, with a graph break within, by a function that Dynamo made of it:", told
        )


def _resumes(entry: Entry, report: Report, view: View) -> Iterable[Item]:
    if not entry.resume_functions:
        return ()
    functions = [report.function(key) for key in entry.resume_functions]
    items: tuple[Item, ...] = tuple(
        f"{function.key}, as above" if function.key in view.shown else resume_section(function, view)
        for function in functions
    )
    view.shown.update(entry.resume_functions)
    return (Section(f"It continues in {count(len(functions), 'resume function')}:", items),)


def resume_section(function: Function, view: View) -> Section:
    """A resume function: where in the original source it begins, and with what."""
    point = function.resume
    assert point is not None, "only resume functions are called so"
    named = f", called {', '.join(map(short_names, point.global_names))} by Dynamo" if point.global_names else ""
    items: list[Item] = [f"goes on at {where(point.place)}"]
    if isinstance(point.stack, Unknown):
        items.append(f"values on the stack: {point.stack}")
    elif point.stack:
        values = ", ".join(f"{value.argument} = {fact(value.expression)}" for value in point.stack)
        items.append(f"values on the stack: {values}")
    known = point.locals if isinstance(point.locals, Unknown) else ", ".join(point.locals) or "none"
    items.append(f"local variables: {known}")
    items.append(_marked(point.source, function))
    entries = entries_counted(entry.kind for entry in function.entries)
    compiled = f"It is compiled in its turn and has {entries}" if function.entries else "It has no cache entries"
    items.append(f"{compiled}: see {function.key}{'' if view.alone else ' below'}.")
    return Section(f"{function.key}, the rest of {point.of}{named}", tuple(items))


def _marked(listing: object, function: Function) -> Item:
    """The original source with the mark at the line where the resume function begins."""
    if not isinstance(listing, Listing):
        return f"source of the function: {listing}"
    place = function.resume.place if function.resume else None
    line = None if place is None or isinstance(place, Unknown) else place.line
    lines = listing.lines
    width = min(max(map(len, lines), default=0), 80)
    numbered = enumerate(lines, start=listing.first_line)
    return Source(tuple(f"{text:<{width}}  {_MARK}" if number == line else text for number, text in numbered))
