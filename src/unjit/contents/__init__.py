"""What there is to look at in a capture or an explanation, as a tree from functions down to kernels.

Begin with `node`; `captures` and `reports` make the tree, `select` finds nodes by their paths.
"""

from __future__ import annotations

from unjit.contents.captures import of_capture
from unjit.contents.describe import described
from unjit.contents.node import Node
from unjit.contents.reports import of_report
from unjit.contents.select import select

__all__ = ["Node", "described", "of_capture", "of_report", "select"]
