"""Texts in which a debugger steps: of generated code and of graphs, with the line of each instruction.

Begin with `page`; `codes` and `graphs` make one.
"""

from __future__ import annotations

from unjit.pages.codes import code_page
from unjit.pages.disassembly import disassembly_page
from unjit.pages.graphs import graph_page
from unjit.pages.page import Page

__all__ = ["Page", "code_page", "disassembly_page", "graph_page"]
