"""Stepping through what torch.compile made with an ordinary debugger.

Begin with `session`. `codes` and `graphs` put code and graphs on pages, `stand_ins` what was compiled before the block,
`stages` runs graphs in place of kernels.
"""

from __future__ import annotations

from unjit.debugging.session import Debugging, debug

__all__ = ["Debugging", "debug"]
