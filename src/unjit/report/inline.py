"""A page as an object: its text, a file of it, and how a notebook shows it."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from markupsafe import escape

_HEIGHT: Final = "44rem"


@dataclass(frozen=True)
class Page:
    """One HTML file, as text."""

    html: str

    def write(self, path: str | os.PathLike[str]) -> Path:
        """Write the file; gives its path. OSError if that cannot be done."""
        target = Path(path)
        target.write_bytes(self.html.encode("utf-8", "backslashreplace"))
        return target

    def _repr_html_(self) -> str:
        """The page within another: it runs its own scripts, and can reach nothing of what is around it."""
        frame = f'style="border:0;width:100%;height:{_HEIGHT}" sandbox="allow-scripts allow-popups"'
        return f'<iframe title="What torch.compile did" {frame} srcdoc="{escape(self.html)}"></iframe>'

    def __repr__(self) -> str:
        return f"<page: {len(self.html):,} characters of HTML; .write(path) makes a file of it>"
