"""What the records of torch's trace say besides texts: a reader for each kind, into the model.

Begin with `shapes` or `kernels`. Which record is read by which is decided in `collecting.building`.
"""

from __future__ import annotations
