"""What the recorder noted, read into the model when the program has ended: the reader behind `unjit run`.

Begin with `report`, which joins it with what is alive then; the others read one compile, or what is gone.
"""

from __future__ import annotations
