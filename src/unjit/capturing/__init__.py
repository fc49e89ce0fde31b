"""`unjit.capture`: everything that torch makes of a program, as it makes it.

Begin with `api`, which a program calls, and `session`, which holds together what is read in the folders: `collecting`
and `reading` while torch compiles, `ending` at the end, `job` where there are several processes.
"""

from __future__ import annotations
