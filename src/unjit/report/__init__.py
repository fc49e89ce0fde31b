"""One page of a capture, for a browser: `report.html`.

The page is one file that needs no server and no network. `page` makes it from a `model.Capture` alone; `templates`,
`style` and `script` are what it is made of, `drawings` what is drawn in it, `vendored` libraries of others.
"""

from __future__ import annotations

from unjit.report.differences import differences_page
from unjit.report.inline import Page
from unjit.report.page import report_page

__all__ = ["Page", "differences_page", "report_page"]
