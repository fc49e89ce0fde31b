"""Tables in Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator


def table(header: list[str], rows: Iterable[list[str]]) -> Iterator[str]:
    """Its lines."""
    yield f"| {' | '.join(header)} |"
    yield f"|{' --- |' * len(header)}"
    for cells in rows:
        yield f"| {' | '.join(text.replace('|', chr(92) + '|') for text in cells)} |"
