"""Running programs and their tests from decompiled source: whatever passes natively passes so as well."""

from __future__ import annotations

from unjit.testing.hook import RoundTrip, round_trip
from unjit.testing.store import save

__all__ = ["RoundTrip", "round_trip", "save"]
