"""What `unjit doctor` tells: what is installed, whether it works, and what to do.

Begin with `features`, which asks the probes, then `trial`, which compiles the toy example.
"""

from __future__ import annotations
