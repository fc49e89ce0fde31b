"""The page of a capture as one string of HTML."""

from __future__ import annotations

import functools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final

from markupsafe import Markup

from unjit.findings import concerns
from unjit.model import Capture, Concern
from unjit.report.blocks import block
from unjit.report.bundle import bundle, policy, read
from unjit.report.drawings import DRAWINGS
from unjit.report.ids import Ids
from unjit.report.rendering import rendered
from unjit.report.sections.calls import calls_view
from unjit.report.sections.guards import guarded_entries
from unjit.report.sections.happenings import Happenings, happenings
from unjit.report.sections.kept import MOST_KEPT, kept_by_graph, not_known_by_graph
from unjit.report.sections.notes import notes
from unjit.report.sections.overview import overview
from unjit.report.sections.times import times
from unjit.report.texts.panes import panes
from unjit.report.texts.sources import ShownLines, files

if TYPE_CHECKING:
    from unjit.model import Ranks
    from unjit.report.sections.ranks import RanksView

_STYLES: Final = ("style/page.css", "style/code.css", "style/calls.css", "style/print.css", "drawings/parts/parts.css")


_OF_RANKS: Final = ("overview", "ranks", "about")  # the sections of a page that is about ranks alone


def report_page(capture: Capture, ranks: Ranks | None = None) -> str:
    """One HTML file about a capture: no request leaves it, and nothing of the user's program runs in it.

    `ranks` are those that wrote beside it, where they have been put side by side.
    """
    ids = Ids(capture)
    is_of_ranks_alone = ranks is not None and not capture.report.functions and not capture.compiles
    found = happenings(capture.report)
    shown = panes(capture, ids)
    said = notes(capture, ids, shown, found)
    entries = guarded_entries(capture, ids)
    listed = files(capture, ids, shown, said)
    sections = _sections(found, len(entries), ranks)
    kept = kept_by_graph(capture)
    return _render(
        title="What torch.compile did",
        subtitle=f"torch {capture.report.torch_version}, Python {capture.report.python_version}",
        capture=capture,
        ranks=None if ranks is None else _ranks_view(ranks),
        is_of_ranks_alone=is_of_ranks_alone,
        ids=ids,
        overview=overview(capture, found),
        concerns=[Acting(one, _link(one, found)) for one in concerns(capture)],
        found=found,
        calls=calls_view(capture),
        files=listed,
        shown_lines=ShownLines(listed),
        panes=shown,
        sources=block({ids.file(source.file): source.text for source in capture.sources}),
        entries=entries,
        times=times(capture),
        kept=kept[:MOST_KEPT],
        kept_more=len(kept[MOST_KEPT:]),
        kept_unknown=not_known_by_graph(capture),
        drawings=[
            {"name": one.name, "question": one.question, "says": one.says, "block": block(one.data(capture, ids))}
            for one in DRAWINGS
        ],
        sections=[one for one in sections if not is_of_ranks_alone or one.name in _OF_RANKS],
    )


def _ranks_view(ranks: Ranks) -> RanksView:
    from unjit.report.sections.ranks import ranks_view

    return ranks_view(ranks)


@dataclass(frozen=True)
class Section:
    """A part of the page: the question that it answers, and how many things it tells of, where that says something."""

    name: str
    short: str
    number: int | None = None


@dataclass(frozen=True)
class Acting:
    """Something worth acting on, and where on the page it is told in full."""

    of: Concern
    link: str


def _link(concern: Concern, found: Happenings) -> str:
    if concern.kind in ("graph break", "break in a loop"):
        same = (one for one in found.breaks if (one.found.reason, one.found.place) == (concern.what, concern.place))
        return next((one.id for one in same), "breaks")
    if concern.kind == "recompile":
        return next((one.id for one in found.recompiles if one.function.key == concern.function), "recompiles")
    return f"function={concern.function}"


def _sections(found: Happenings, entries: int, ranks: Ranks | None) -> list[Section]:
    """What the page has, for its list of contents, in the order of the page."""
    time = [Section(one.name, one.question) for one in DRAWINGS if one.name == "time"]
    drawn = [Section(one.name, one.question) for one in DRAWINGS if one.name != "time"]
    return [
        Section("overview", "Did it compile what I think?"),
        *([] if ranks is None else [Section("ranks", "Where do ranks differ?", _differing(ranks))]),
        Section("breaks", "What broke?", len(found.breaks)),
        Section("recompiles", "What recompiled?", len(found.recompiles)),
        Section("slow", "What was slow?"),
        *time,
        Section("kept", "What waits for the backward?"),
        Section("calls", "Where did compiles begin?"),
        Section("source", "What became of each line?"),
        *drawn,
        Section("guards", "When may it be used again?", entries),
        Section("about", "What is not known?"),
    ]


def _differing(ranks: Ranks) -> int:
    return len(ranks.partings) + sum(one.grade == "other" for one in ranks.differences)


def _render(**values: object) -> str:
    script, style = _script(), _style()
    own = {"script": Markup(script), "style": Markup(style)}  # noqa: S704 (our own files)
    return rendered("page.html", policy=policy(script, style), **own, **values)


def _script() -> str:
    return bundle(*(f"drawings/{one.name}.js" for one in DRAWINGS), "script/main.js")


@functools.cache
def _style() -> str:
    return "".join(map(read, (*_STYLES, *(f"drawings/{one.name}.css" for one in DRAWINGS))))
