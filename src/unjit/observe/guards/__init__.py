"""The guards of a cache entry to the model's: what each asks, of what, why it is there and what it costs.

Begin with `reading`, which walks Dynamo's tree; `printed` takes apart the text that torch has for a guard.
"""

from __future__ import annotations
