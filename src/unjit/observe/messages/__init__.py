"""What torch says in long texts, taken apart: breaks, guards that failed, places, and the records of its trace.

Begin with `breaks`. A text that is not recognised is kept whole, as it is in no other place.
"""

from __future__ import annotations
