"""The templates of the pages, with everything that they are given escaped."""

from __future__ import annotations

import functools
from urllib.parse import quote

from jinja2 import Environment, PackageLoader, StrictUndefined

from unjit.model import Unknown
from unjit.report.calls import below, ending, more


@functools.cache
def environment() -> Environment:
    """Where templates are found, and what they know."""
    found = Environment(
        loader=PackageLoader("unjit.report"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.tests["unknown"] = lambda value: isinstance(value, Unknown)
    found.filters.update(below=below, ending=ending, more=more)
    found.filters["id"] = lambda text: quote(text, safe="=/:.-_~", errors="backslashreplace")
    return found
