"""What Dynamo has now: the reader behind `unjit.explain`.

Begin with `report`, which finds the functions and reads each with its entries; `one_line` is the same for a repr.
"""

from __future__ import annotations
