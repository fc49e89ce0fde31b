"""Running programs and their tests from decompiled source: what passes natively has to pass so as well.

Begin with `hook`; `store` and `stored` do it for modules that unjit itself needs.
"""

from __future__ import annotations

from unjit.testing.hook import RoundTrip, round_trip
from unjit.testing.store import save

__all__ = ["RoundTrip", "round_trip", "save"]
