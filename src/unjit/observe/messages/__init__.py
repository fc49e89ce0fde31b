"""What torch says in long texts, taken apart: breaks, guards that failed, places, and the records of its trace.

Begin with `breaks`. What is not recognised is kept whole, as the reason.
"""

from __future__ import annotations
