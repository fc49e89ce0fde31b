"""A report as plain text."""

from __future__ import annotations

from collections.abc import Iterator

from unjit.model import Guards, Maybe, Report
from unjit.render.functions import report_items
from unjit.render.guards import guards_section
from unjit.render.outline import Item, Section, Source

_INDENT = "  "


def text(report: Report, *, scaffolding: bool = False) -> str:
    """The whole report. `scaffolding` also shows the lines of generated code that only serve torch's profiler."""
    return "\n".join(_lines(report_items(report, scaffolding=scaffolding), 0))


def guards_text(guards: Maybe[Guards]) -> str:
    """The guards of one entry alone."""
    return "\n".join(_lines((guards_section(guards),), 0))


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
