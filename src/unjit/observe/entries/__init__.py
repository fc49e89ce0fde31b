"""One live cache entry to the model's: its generated code, its graphs and, from `observe.guards`, its guards.

Begin with `entry`, which joins the parts.
"""

from __future__ import annotations
