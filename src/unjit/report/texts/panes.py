"""The texts of all compiles as data for the page: what each row is and comes from, and, apart, the texts themselves."""

from __future__ import annotations

import itertools
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from unjit.model import Capture, known_or
from unjit.model.captured.pieces import number_in
from unjit.report.blocks import block
from unjit.report.ids import Ids
from unjit.report.texts.compile_texts import Shown, entry_of, texts_of
from unjit.report.texts.links import Row


@dataclass(frozen=True)
class Panes:
    """`links` is one block about all compiles; `texts` has a block for each compile, by its id."""

    links: Markup
    texts: dict[str, Markup]
    shown: dict[str, list[Shown]]


class _Numbers:
    """Gives each string a number, since tags repeat."""

    def __init__(self) -> None:
        self.of: defaultdict[str, int] = defaultdict(itertools.count().__next__)

    def all(self, texts: Iterable[str]) -> list[int]:
        return [self.of[text] for text in texts]


def panes(capture: Capture, ids: Ids) -> Panes:
    """Every text of every compile."""
    functions = capture.report.by_key()
    shown = {
        ids.compile(one): texts_of(one, entry_of(one, functions.get(one.function)), ids) for one in capture.compiles
    }
    tags = _Numbers()
    compiles = [
        {
            "id": ids.compile(one),
            "outcome": known_or(one.compile.outcome, "unknown"),
            "texts": [_text(text, tags) for text in shown[ids.compile(one)]],
        }
        for one in capture.compiles
    ]
    links = block({"tags": list(tags.of), "compiles": compiles})
    return Panes(links, {key: block({text.name: text.text for text in texts}) for key, texts in shown.items()}, shown)


def _text(text: Shown, tags: _Numbers) -> dict[str, Any]:
    rows = [_row(row, tags) for row in text.rows]
    parts = {"stage": text.stage, "piece": number_in(text.name), "part": text.part}
    return {"name": text.name, "suffix": text.suffix, "says": text.says, "rows": rows} | parts


def _row(row: Row, tags: _Numbers) -> list[Any]:
    (name,) = tags.all([row.id]) if row.id is not None else (-1,)
    return [row.start, row.end, name, tags.all(row.is_), tags.all(row.from_)]
