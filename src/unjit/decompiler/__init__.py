"""Code objects to source, proved to mean the same. Knows nothing of torch.

`pipeline` is the whole on one screen. From code to source it goes through `lift`, the `passes` on the graph,
`structuring`, the passes on the tree, `render` and `recompiling` to an `answer`; `ir` is what they all work on.
"""

from __future__ import annotations

from unjit.decompiler.answer.result import Decompiled, Synthetic, Verdict
from unjit.decompiler.answer.verdicts import Part, verdicts
from unjit.decompiler.code_behind import code_of
from unjit.decompiler.decompile import decompile
from unjit.decompiler.render.definitions.units import laid_out
from unjit.decompiler.stages import PASSES, after

__all__ = [
    "PASSES",
    "Decompiled",
    "Part",
    "Synthetic",
    "Verdict",
    "after",
    "code_of",
    "decompile",
    "laid_out",
    "verdicts",
]
