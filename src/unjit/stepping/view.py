"""Instructions beside the source that they belong to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from unjit.model.words.unique_names import short_names
from unjit.stepping.breakpoints import Breakpoint, Offset
from unjit.stepping.listing import Listing

_COLUMN = 64  # where the source begins


def instruction_line(listing: Listing, offset: int, *, mark: str = "->", source: bool = True) -> str:
    """`-> 56 LOAD_FAST a                | 5  y = f(a)`."""
    found = listing.instructions.get(offset)
    what = "?" if found is None else f"{found.opname} {found.argrepr or ('' if found.arg is None else found.arg)}"
    left = f"{mark:>2} {offset:4} {short_names(what)}"
    if not source or offset not in listing.lines:
        return left.rstrip()
    left = left if len(left) <= _COLUMN else f"{left[: _COLUMN - 1]}…"
    return f"{left:{_COLUMN}} | {listing.lines[offset]:3}  {short_names(listing.text_at(offset))}"


def listing_lines(
    listing: Listing, offset: int, around: int | None, breakpoints: Sequence[Breakpoint]
) -> Iterator[str]:
    """The instructions around one, or all: each source line is shown once, beside the first of its instructions."""
    offsets = list(listing.instructions)
    here = offsets.index(offset) if offset in listing.instructions else 0
    first, last = (0, len(offsets)) if around is None else (max(here - around, 0), here + around + 1)
    places = (found.place for found in breakpoints)
    broken = {place.offset for place in places if isinstance(place, Offset) and place.code is listing.code}
    before: int | None = None
    for each in offsets[first:last]:
        mark = "->" if each == offset else "B" if each in broken else ""
        line = listing.lines.get(each)
        yield instruction_line(listing, each, mark=mark, source=line != before)
        before = line


def handler_line(listing: Listing, offset: int) -> str:
    """Where an exception would go."""
    found = listing.handler_at(offset)
    if found is None:
        return "  an exception here leaves the function"
    handler, target = found
    line = listing.lines.get(target)
    kept = f"the lowest {handler.depth} values of the stack kept" if handler.depth else "the stack emptied"
    return f"  an exception here goes to @{target}" + (f", line {line}" if line else "") + f", with {kept}"
