"""One function in words, and a whole report."""

from __future__ import annotations

from collections.abc import Iterator

from unjit.model import Function, Report, Unknown
from unjit.model.explained.functions import AHEAD
from unjit.render.forms.outline import Item, Section, count, fact
from unjit.render.forms.places import defined
from unjit.render.functions.compiles import compile_items
from unjit.render.functions.entries import View, entry_section
from unjit.render.functions.entry_counts import entries_counted, out_of_use
from unjit.render.functions.relevance import entry_in_short, how_many_can_run, told_in_short
from unjit.render.functions.summary import summary_line


def report_items(report: Report) -> tuple[Item, ...]:
    """The functions that were asked for first, then those that they lead to; an overview before if there are many."""
    items: list[Item] = []
    if len(report.roots) > 1:
        lines = tuple(summary_line(report.function(key)) for key in report.roots)
        items.append(Section(f"{count(len(lines), 'function')}:", lines))
    view = View(set(), set())
    items += [function_section(function, report, view) for function in report.functions]
    if report.losses:
        items.append(Section("What could not be read:", tuple(map(str, report.losses))))
    return tuple(items)


def function_section(function: Function, report: Report, view: View) -> Section:
    """One function with its entries."""
    compiles = function.compiles
    items: list[Item] = [defined(function.place)]
    if any(entry.kind != AHEAD for entry in function.entries) and function.resume is None:
        whose = "of a module after its compile(), or " if function.qualname.endswith(".forward") else ""
        items.append(
            f"Only calls {whose}through what torch.compile returned use its entries; otherwise it runs as written."
        )
    if function.status.detail is not None:
        items.append(str(function.status.detail))
    if function.status.advice is not None:
        items.append(f"What you can do: {function.status.advice}")
    short = told_in_short(function.entries)
    items += [
        entry_in_short(entry, len(function.entries))
        if entry.index in short
        else entry_section(entry, len(function.entries), function.compile_of(entry), report, view)
        for entry in function.entries
    ]
    if isinstance(compiles, Unknown):
        items.append(f"Its compiles are {compiles}.")
    else:
        items += _compiles_without_entries(function, view)
    return Section(_headline(function), tuple(items))


def _headline(function: Function) -> str:
    what = f"the rest of {function.resume.of}, a resume function" if function.resume is not None else "a function"
    if not function.entries:
        return f"{function.key} is {what} with no cache entries ({fact(function.status.state)})."
    number, own = entries_counted(entry.kind for entry in function.entries), how_many_can_run(function.entries)
    cached = sum(entry.kind != AHEAD for entry in function.entries)
    by = "optimised by Dynamo" if cached else "compiled by aot_compile"
    order = ", tried in this order" if cached > 1 else ""
    if gone := out_of_use(function.entries):
        order = f", of which {gone} {'is' if gone == 1 else 'are'} no longer used"
    return f"{function.key} is {what} {by}. It has {number}{order}.{own}"


def _compiles_without_entries(function: Function, view: View) -> Iterator[Item]:
    """Compiles that failed or whose entries are gone."""
    assert isinstance(function.compiles, tuple)
    alive = {entry.compile_id for entry in function.entries}
    gone = tuple(found for found in function.compiles if found.compile_id not in alive)
    if not gone:
        return
    parts: tuple[Item, ...] = tuple(
        Section(f"compile {fact(found.compile_id)}: {fact(found.outcome)}", tuple(compile_items(found, view.told)))
        for found in gone
    )
    yield Section(f"{count(len(gone), 'compile')} left no entry:", parts)
