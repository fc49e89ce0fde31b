"""The names of texts where a compile has several graphs of a kind, as when a backend cuts its graph into pieces.

The second inference graph is `inference_1`, and what is made of it `inference_1_output_code`; the second of another
text has its number at the end, `aot_metadata_1`.
"""

from __future__ import annotations

import re
from typing import Final

_HALF: Final = re.compile(r"(forward|backward|inference)(?:_\d+)?(?=_|$)")
_NUMBER: Final = re.compile(r"_\d+$")


def half_of(name: str) -> str | None:
    """The graph that a text is about: `forward_1` for forward_1_output_code; None where it is about no half."""
    found = _HALF.match(name)
    return found[0] if found else None


def without_number(name: str) -> str:
    """What the same text of the first piece is called: `inference_output_code` for inference_1_output_code."""
    half = _HALF.match(name)
    return half[1] + name[half.end() :] if half else _NUMBER.sub("", name)


def number_in(name: str) -> str:
    """The number of the piece: `1` for inference_1_output_code and for aot_metadata_1, none for those of the first."""
    found = _HALF.match(name)
    number = _NUMBER.search(found[0] if found else name)
    return number[0][1:] if number else ""
