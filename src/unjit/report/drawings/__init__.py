"""What is drawn in the page. Each drawing is a module here, with a script and a style sheet of the same name beside it.

The module has `data(capture, ids)`, which makes a JSON value of the model, pure and small. The script exports
`draw(element, data, {select, listen})`, which fills an empty element. `select({kind, id})` says what the user chose,
`listen(heard)` calls `heard({kind, id})` whenever something is chosen anywhere on the page; ids are those of
`unjit.report.ids`. A drawing is not drawn before its section comes into sight. The colours are variables of
style/page.css, which knows light and dark.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final

from unjit.model import Capture
from unjit.report.ids import Ids


@dataclass(frozen=True)
class Drawing:
    """A section of the page whose content is drawn from data."""

    name: str  # of its script, and of its section in links
    question: str  # its heading
    says: str  # one sentence below the heading: what is to be seen
    data: Callable[[Capture, Ids], Any]


DRAWINGS: Final[tuple[Drawing, ...]] = ()
"""In the order of the page."""
