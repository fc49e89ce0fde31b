"""`unjit.capture`: everything that torch makes of a program, as it makes it."""

from __future__ import annotations
