"""What differs: between two cache entries, and between two captures.

Begin with `entries` or `captures`; `pairing` says which function is which.
"""

from __future__ import annotations

from unjit.differences.captures import of_captures
from unjit.differences.entries import of_entries

__all__ = ["of_captures", "of_entries"]
