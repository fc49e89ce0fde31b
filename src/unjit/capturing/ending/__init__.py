"""What is done when a capture ends: all that was collected is joined to one `Capture`, and the page is written.

Begin with `assemble`.
"""

from __future__ import annotations
