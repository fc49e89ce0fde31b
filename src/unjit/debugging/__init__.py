"""Stepping through what torch.compile made with an ordinary debugger."""

from __future__ import annotations

from unjit.debugging.session import Debugging, debug

__all__ = ["Debugging", "debug"]
