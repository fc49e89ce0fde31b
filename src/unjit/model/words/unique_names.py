"""The names that torch makes unique in the world, and what is left of them within one program.

Graphs are called `__compiled_fn_3_8744d1d7_2e08_4265_a447_06cf14189343` since torch 2.8, and in that release resume
functions `__resume_at_94_7_d12ef212_…`. The number before the random part tells them apart within a process.
"""

from __future__ import annotations

import re
from typing import Final

STEMS: Final = ("compiled_fn_", "__resume_at_")  # a text without any of these has no such name
RANDOM_PART: Final = re.compile(r"_(?<=\d_)[0-9a-f]{8}(?:[_-][0-9a-f]{4}){3}[_-][0-9a-f]{12}\b")


def short_names(text: str) -> str:
    """A text with such names in it, without their random parts."""
    return RANDOM_PART.sub("", text) if any(stem in text for stem in STEMS) else text
