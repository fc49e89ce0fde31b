"""Inductor's logs as texts of the compile that they were written in."""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Final

from unjit.model.words.wording import in_words
from unjit.torch_private.following.inductor_logs import KINDS
from unjit.torch_private.following.unseen_handler import UnseenHandler

_HEADS: Final = ("BEFORE FUSION\n", "AFTER FUSION\n")


class InductorLogs(UnseenHandler):
    """A handler that passes on the kind and the text of each record."""

    def __init__(self, take: Callable[[str, str], None]) -> None:
        super().__init__(logging.DEBUG)
        self._take = take

    def emit(self, record: logging.LogRecord) -> None:
        """Never raises: `take` does not."""
        kind = KINDS.get(record.name)
        if kind is None:
            return
        try:
            text = record.getMessage()
        except Exception as error:  # what a node of torch's cannot tell of itself
            text = f"torch could not say: {in_words(error)}"
        for head in _HEADS:
            text = text.removeprefix(head)
        self._take(kind, text)
