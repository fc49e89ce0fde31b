"""A report for a notebook: the same content as the text, foldable."""

from __future__ import annotations

from html import escape

from unjit.model import Report
from unjit.render.forms.outline import Item, Section, Source
from unjit.render.functions.function import report_items

_OPEN_DEPTH = 2  # functions and their entries are open, what is inside them folded
_STYLE = "margin:0 0 0 1.2em"


def html(report: Report) -> str:
    """A fragment of HTML without scripts; everything from the report is escaped."""
    body = "".join(_item(item, 0) for item in report_items(report))
    return f'<div class="unjit">{body}</div>'


def _item(item: Item, depth: int) -> str:
    if isinstance(item, Section):
        inner = "".join(_item(part, depth + 1) for part in item.items)
        is_open = " open" if depth < _OPEN_DEPTH else ""
        return f'<details{is_open}><summary>{escape(item.title)}</summary><div style="{_STYLE}">{inner}</div></details>'
    if isinstance(item, Source):
        return f"<pre>{escape(chr(10).join(item.lines))}</pre>"
    return f"<p>{escape(item)}</p>"
