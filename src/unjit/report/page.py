"""The page of a capture as one string of HTML."""

from __future__ import annotations

import functools
from typing import Final

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup

from unjit.model import Capture
from unjit.report.blocks import block
from unjit.report.bundle import bundle, policy, read
from unjit.report.drawings import DRAWINGS
from unjit.report.ids import Ids

_STYLES: Final = ("style/page.css",)


def report_page(capture: Capture) -> str:
    """One HTML file about a capture: no request leaves it, and nothing of the user's program runs in it."""
    ids = Ids(capture)
    drawings = [
        {"name": one.name, "question": one.question, "says": one.says, "block": block(one.data(capture, ids))}
        for one in DRAWINGS
    ]
    script, style = _script(), _style()
    return (
        _environment()
        .get_template("page.html")
        .render(
            title="What torch.compile did",
            policy=policy(script, style),
            script=Markup(script),  # noqa: S704 (our own files)
            style=Markup(style),  # noqa: S704
            drawings=drawings,
        )
    )


@functools.cache
def _environment() -> Environment:
    return Environment(
        loader=PackageLoader("unjit.report"), autoescape=True, undefined=StrictUndefined, trim_blocks=True
    )


def _script() -> str:
    return bundle(*(f"drawings/{one.name}.js" for one in DRAWINGS), "script/main.js")


@functools.cache
def _style() -> str:
    return "".join(map(read, (*_STYLES, *(f"drawings/{one.name}.css" for one in DRAWINGS))))
