"""Names, code and words of others in a Markdown text: none of their signs is taken for markup."""

from __future__ import annotations

import re

from unjit.render.forms.printable import on_one_line

# Not an underscore within a word, a star between blanks, or a bracket after which there is no address.
_SIGNS = re.compile(r"[\\`]|(?<![^\W_])_+|_+(?![^\W_])|(?<!\s)\*|\*(?!\s)|\](?=[(\[:])")
_TICKS = re.compile("`+")


def words(text: str) -> str:
    """Text that reads as it is."""
    plain = on_one_line(text).replace("&", "&amp;").replace("<", "&lt;")  # what would be taken for a tag
    return _SIGNS.sub(lambda found: "".join(f"\\{sign}" for sign in found[0]), plain)


def code(text: str) -> str:
    """A span of code, between as many ticks as it takes."""
    line = on_one_line(text)
    ticks = "`" * (1 + max(map(len, _TICKS.findall(line)), default=0))
    room = " " if line.startswith("`") or line.endswith("`") else ""
    return f"{ticks}{room}{line}{room}{ticks}"
