"""Texts of the user's program on a terminal: what would command it is shown instead."""

from __future__ import annotations

import re

_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def printable(text: str) -> str:
    """The text with control characters, and those that turn the direction of writing, as escapes."""
    return _CONTROL.sub(lambda found: f"\\x{ord(found[0]):02x}", text)


def on_one_line(text: str) -> str:
    """The same, with its line breaks as escapes too."""
    return printable(text).replace("\n", "\\n")
