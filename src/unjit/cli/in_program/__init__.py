"""The part of `unjit run` and `unjit compare` that runs in the user's program; nothing here is for the commands alone.

`starting/boot` calls `begin` when the program imports torch and `conclude` at its end.
"""

from __future__ import annotations
