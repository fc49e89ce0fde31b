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
from unjit.report.drawings import flow, graphs, time
from unjit.report.ids import Ids


@dataclass(frozen=True)
class Drawing:
    """A section of the page whose content is drawn from data."""

    name: str  # of its script, and of its section in links
    question: str  # its heading
    says: str  # one sentence below the heading: what is to be seen
    data: Callable[[Capture, Ids], Any]


DRAWINGS: Final[tuple[Drawing, ...]] = (
    Drawing(
        "flow",
        "What happens when a function is called?",
        "Each chart begins with your code. Dynamo keeps entries for it: compiled code, and guards under which that code"
        " may run. A call takes the first entry whose guards all hold. Where a graph breaks, a resume function goes on"
        " with the rest of your code, and has entries of its own.",
        flow.data,
    ),
    Drawing(
        "graphs",
        "What is in the graphs?",
        "The operations on tensors that Dynamo found in your code, and what became of them on the way to kernels.",
        graphs.data,
    ),
    Drawing(
        "time",
        "Where did the time of compiling go?",
        "Each bar is a phase of a compile, those within it stand below. trace.json has the same for Perfetto.",
        time.data,
    ),
)
"""In the order of the page."""
