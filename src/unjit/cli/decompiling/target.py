"""What a request to decompile names, and the refusal of one that names nothing."""

from __future__ import annotations

from dataclasses import dataclass


class BadRequest(Exception):
    """The request names nothing that can be decompiled; the message is one sentence for the user."""


@dataclass(frozen=True)
class Target:
    """What to decompile, and the text of the whole file it was compiled from where that is at hand."""

    name: str
    code: object
    source: str | None = None
