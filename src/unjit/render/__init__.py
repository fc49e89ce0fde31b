"""Reports as text and pages. Reads the model and nothing else."""

from __future__ import annotations

from unjit.render.checkup import checkup_text
from unjit.render.comparison import comparison_text
from unjit.render.program_comparison import program_comparison_text
from unjit.render.summary import summary_line
from unjit.render.text import guards_text, text

__all__ = ["checkup_text", "comparison_text", "guards_text", "program_comparison_text", "summary_line", "text"]
