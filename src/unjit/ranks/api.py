"""`unjit.merge`: the ranks that wrote into one directory, together."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

from unjit.directory import layout
from unjit.directory.files import DiskFiles
from unjit.directory.loader import read_capture
from unjit.errors import UnjitError
from unjit.model import SCHEMA_VERSION, Message, Parting, RankDifference, Ranks
from unjit.model.words.wording import in_words
from unjit.ranks.merge import merge_ranks
from unjit.render.forms.notebook import ShownInFull
from unjit.render.side_by_side.ranks import ranks_index, ranks_text


def merge(directory: str | os.PathLike[str]) -> Merged:
    """Put the captures of several ranks side by side, and write what differs between them.

    `directory` is what `unjit run --out` named under torchrun, or what `unjit ingest` made from the logs of several
    ranks. Writes `ranks.json`, `ranks.md` and `report.html`, and `index.md` if only ranks wrote. The program is not
    run, and torch not imported. Raises UnjitError, in one sentence, if there are no ranks, or files cannot be written.
    """
    top = Path(directory)
    found = merge_ranks(top)
    files = DiskFiles(top)
    text = json.dumps({"schema": SCHEMA_VERSION, **found.to_dict()}, indent=1, ensure_ascii=False)
    files.write(layout.RANKS, f"{text}\n")
    files.write(layout.RANKS_TEXT, ranks_text(found))
    if files.read(layout.INDEX) is None:
        files.write(layout.INDEX_TEXT, ranks_index(found))
    if files.losses:
        raise UnjitError(f"{top}: {files.losses[0]}")
    return Merged(found, top, _page(files, found))


def _page(files: DiskFiles, found: Ranks) -> tuple[Message, ...]:
    """Write report.html, with the ranks in it; if that fails, all else is there."""
    try:
        from unjit.report.page import report_page

        files.write(layout.PAGE, report_page(read_capture(files, "this capture"), found))
    except Exception as error:  # a fault in the page must not cost the other files
        return (Message(f"{layout.PAGE} could not be made: {in_words(error)}"),)
    return tuple(map(Message, files.losses))


class Merged(ShownInFull):
    """Several ranks together. `.data` is all as data (`unjit.model.Ranks`), `str()` the text of ranks.md."""

    def __init__(self, data: Ranks, directory: Path, lost: tuple[Message, ...] = ()) -> None:
        self.data = data
        self.directory = directory
        self._lost = lost

    @property
    def differences(self) -> tuple[RankDifference, ...]:
        """What some ranks made differently from others."""
        return self.data.differences

    @property
    def partings(self) -> tuple[Parting, ...]:
        """Where ranks begin to issue different collectives."""
        return self.data.partings

    @property
    def losses(self) -> tuple[Message, ...]:
        """What could not be read or written, and why."""
        return (*self.data.losses, *self._lost)

    def to_dict(self) -> dict[str, Any]:
        """The whole in plain dictionaries, lists, strings and numbers."""
        return self.data.to_dict()

    def __str__(self) -> str:
        return ranks_text(self.data)

    def __repr__(self) -> str:
        counts = f"{len(self.data.ranks)} ranks, {len(self.differences)} differences, {len(self.partings)} partings"
        return f"<unjit.merge: {counts}>"
