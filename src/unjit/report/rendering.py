"""The templates of the pages, with everything that they are given escaped."""

from __future__ import annotations

import functools
from importlib import metadata
from pathlib import Path
from typing import Final
from urllib.parse import quote

from jinja2 import ChoiceLoader, Environment, ModuleLoader, PackageLoader, StrictUndefined

from unjit.model import Unknown
from unjit.report.compiled import CompiledTemplates
from unjit.report.sections.calls import below, ending, more

TEMPLATES: Final = PackageLoader("unjit.report")


def compiled_folder() -> str:
    """The folder in which a wheel has the same templates as Python: what one jinja made, no other may read."""
    try:
        return f"compiled/jinja_{metadata.version('jinja2')}"
    except metadata.PackageNotFoundError:  # it is here all the same, in an archive that says nothing of it
        return "compiled/jinja"


@functools.cache
def environment() -> Environment:
    """Where templates are found, and what they know."""
    found = Environment(
        loader=ChoiceLoader([ModuleLoader(Path(__file__).parent / compiled_folder()), TEMPLATES]),
        autoescape=True,
        undefined=StrictUndefined,
        bytecode_cache=CompiledTemplates(),
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.tests["unknown"] = lambda value: isinstance(value, Unknown)
    found.filters.update(below=below, ending=ending, more=more)
    found.filters["id"] = in_a_link
    return found


def rendered(template: str, **values: object) -> str:
    """The page that a template makes of these values: names of files may hold bytes that are no characters."""
    return environment().get_template(template).render(**values).encode("utf-8", "backslashreplace").decode()


def in_a_link(text: str) -> str:
    """The id of a part of a page, as a link to it may have it."""
    return quote(text, safe="=/:.-_~", errors="backslashreplace")
