"""Code objects to source, proved to mean the same. Knows nothing of torch."""

from __future__ import annotations

from unjit.decompiler.decompile import decompile
from unjit.decompiler.result import Decompiled, Synthetic, Verdict

__all__ = ["Decompiled", "Synthetic", "Verdict", "decompile"]
