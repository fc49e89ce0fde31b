"""Code objects to source, proved to mean the same. Knows nothing of torch."""

from unjit.decompiler.decompile import decompile
from unjit.decompiler.result import Decompiled, Synthetic, Verdict

__all__ = ["Decompiled", "Synthetic", "Verdict", "decompile"]
