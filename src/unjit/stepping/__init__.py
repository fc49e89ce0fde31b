"""Stepping through bytecode: instruction and source line side by side, with the stack."""

from __future__ import annotations

from unjit.stepping.session import step

__all__ = ["step"]
