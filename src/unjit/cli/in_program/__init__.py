"""The part of `unjit run` and `unjit compare` that runs in the user's program.

`starting/boot` calls `begin` when the program imports torch and `conclude` at its end. What `comparing` sends through a
pipe there, it reads in the command as well.
"""

from __future__ import annotations
