"""The texts that torch makes of a compile, read: which line a node came from, which operations a buffer.

Begin with `graph_lines`. The texts are those that a capture has as files; nothing live is asked.
"""

from __future__ import annotations
