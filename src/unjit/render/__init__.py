"""Reports as text and pages. Reads the model and nothing else."""

from __future__ import annotations

from unjit.render.summary import summary_line
from unjit.render.text import text

__all__ = ["summary_line", "text"]
