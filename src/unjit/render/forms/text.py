"""A report, and each part of it, as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from unjit.model import (
    CapturedCompile,
    Compile,
    Entry,
    Function,
    Graph,
    GraphBreak,
    Guards,
    Kernel,
    Maybe,
    Report,
    Unknown,
)
from unjit.render.forms.outline import Item, Section, Source, fact
from unjit.render.forms.places import where
from unjit.render.functions.compiles import break_section, compile_items, recompile_reasons, seconds
from unjit.render.functions.entries import View, entry_section, graph_section
from unjit.render.functions.function import function_section, report_items
from unjit.render.functions.guards import guards_section

_INDENT = "  "


def text(report: Report) -> str:
    """The whole report."""
    return "\n".join(_lines(report_items(report), 0))


def guards_text(guards: Maybe[Guards]) -> str:
    """The guards of one entry alone."""
    return "\n".join(_lines((guards_section(guards),), 0))


def function_text(function: Function, report: Report) -> str:
    """One function with its entries, without those that it leads to."""
    return "\n".join(_lines((function_section(function, report, _all()),), 0))


def entry_text(entry: Entry, function: Function, report: Report) -> str:
    """One cache entry: why it was made, when it runs, what runs, what that calls."""
    made_by = function.compile_of(entry)
    section = entry_section(entry, len(function.entries), made_by, report, _all())
    return "\n".join(_lines((section,), 0))


def compile_text(one: CapturedCompile, entry: Entry | None, function: Function, report: Report) -> str:
    """One compile: what it was given, how long it took, and the entry that it made."""
    given = tuple(
        f"{tensor.source}: {tensor.dtype}[{', '.join(tensor.shape)}] on {tensor.device}" for tensor in one.inputs
    )
    items: list[Item] = [f"entered from {where(one.entered)}", f"time: {seconds(one.compile)}"]
    items += [Section("Tensors that Dynamo met in it", given)] if given else []
    items += [f"{symbol.name} stands for {fact(symbol.source)}" for symbol in one.symbols]
    items += [f"{lookup.cache} cache: {lookup.result}" for lookup in one.caches]
    title = f"{one.function}, compile {one.number}: {fact(one.compile.outcome)}"
    if entry is None:
        items += compile_items(one.compile, set())
        return "\n".join(_lines((Section(title, tuple(items)),), 0))
    return "\n".join([*_lines((Section(title, tuple(items)),), 0), "", entry_text(entry, function, report)])


def graph_text(graph: Graph) -> str:
    """One graph as readable source."""
    return "\n".join(_lines((graph_section(graph),), 0))


def break_text(found: GraphBreak) -> str:
    """One graph break with the calls that led to it and what can be done."""
    return "\n".join(_lines((break_section(found),), 0))


def recompile_text(found: Compile) -> str:
    """Why the entries that existed did not fit."""
    return "\n".join(recompile_reasons(found))


def kernel_text(kernel: Kernel) -> str:
    """A kernel: what it came from, then its source."""
    lines = [f"{kernel.name}: {kernel.language}, {kernel.half}"]
    for what, names in (("post-grad nodes", kernel.operations), ("captured nodes", kernel.captured)):
        lines.append(f"{what}: {names if isinstance(names, Unknown) else ', '.join(names) or 'none'}")
    if isinstance(kernel.places, Unknown):
        lines.append(f"lines of the program: {kernel.places}")
    else:
        lines += [f"from {where(place)}" for place in kernel.places]
    return "\n".join([*lines, "", str(kernel.source)])


def _all() -> View:
    """A view of one part alone: nothing has been shown before it, and nothing comes after it."""
    return View(told=set(), shown=set(), alone=True)


def _lines(items: tuple[Item, ...], depth: int) -> Iterator[str]:
    for number, item in enumerate(items):
        if isinstance(item, Section):
            if depth == 0 and number:
                yield ""
            yield from _indented((item.title,), depth)
            yield from _lines(item.items, depth + 1)
        else:
            yield from _indented(item.lines if isinstance(item, Source) else item.splitlines(), depth)


def _indented(lines: tuple[str, ...] | list[str], depth: int) -> Iterator[str]:
    return (f"{_INDENT * depth}{line}".rstrip() for line in lines)
