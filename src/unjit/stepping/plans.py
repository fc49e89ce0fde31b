"""Where to stop next, when nothing else stops first."""

from __future__ import annotations

from dataclasses import dataclass
from types import FrameType

from unjit.stepping.listing import Listing


class Plan:
    """Stops at the next instruction of any frame, exceptions aside."""

    def stops(self, frame: FrameType, offset: int, listing: Listing) -> bool:
        """Whether to stop before the instruction at `offset`."""
        return True

    def after(self, frame: FrameType) -> Plan:
        """The plan when a frame has ended."""
        return self

    def stops_at_exceptions(self) -> bool:
        """Whether to stop where an exception is raised."""
        return False


class Step(Plan):
    """The next instruction, wherever it is."""


@dataclass
class Next(Plan):
    """The next instruction of a frame, or of whom it returns to."""

    frame: FrameType

    def stops(self, frame: FrameType, offset: int, listing: Listing) -> bool:
        """In this frame only."""
        return frame is self.frame

    def after(self, frame: FrameType) -> Plan:
        """Once it has ended, anywhere."""
        return Step() if frame is self.frame else self


@dataclass
class Return(Next):
    """When a frame has ended."""

    def stops(self, frame: FrameType, offset: int, listing: Listing) -> bool:
        """Not before."""
        return False


@dataclass
class Until(Next):
    """A line of a frame that is not above `line`, or the instruction at `target`."""

    line: int | None = None
    target: int | None = None

    def stops(self, frame: FrameType, offset: int, listing: Listing) -> bool:
        """In this frame only."""
        if frame is not self.frame:
            return False
        if self.target is not None:
            return offset == self.target
        return self.line is not None and listing.lines.get(offset, 0) >= self.line


class Continue(Plan):
    """At breakpoints only."""

    def stops(self, frame: FrameType, offset: int, listing: Listing) -> bool:
        """Never by itself."""
        return False


class ToException(Continue):
    """Where an exception is raised."""

    def stops_at_exceptions(self) -> bool:
        """Yes."""
        return True
