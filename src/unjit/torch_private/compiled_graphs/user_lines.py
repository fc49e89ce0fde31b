"""Which lines of the program called the code of torch's that a graph names.

The text of a graph has one line for each operation, the innermost. For what a function of torch's issued, as
collectives are, that is a line of torch's. The graph itself has the whole stack.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from unjit.model import Maybe, Place, Unknown
from unjit.model.words.stack_text import places_in
from unjit.torch_private.probes.rank_probes import TRANSLATOR


def user_lines() -> dict[Place, list[Place]]:
    """For each line of torch's own in the graph that this thread has just captured: the program's that led there."""
    translator = TRANSLATOR.call()
    graph = None if isinstance(translator, Unknown) else getattr(getattr(translator, "output", None), "graph", None)
    torch = f"{Path(str(sys.modules['torch'].__file__)).parent}{os.sep}"
    found: dict[Place, list[Place]] = {}
    of_line: dict[tuple[str, Maybe[int]], Place] = {}  # several functions can be written on one
    for stack in dict.fromkeys(node.stack_trace for node in getattr(graph, "nodes", ())):
        lines = places_in(stack or "")
        callers = [line for line in lines if not line.file.startswith(torch)]
        if lines and callers and callers[-1] is not lines[-1]:
            called = of_line.setdefault((lines[-1].file, lines[-1].line), lines[-1])
            known = found.setdefault(called, [])
            known.extend([callers[-1]] if callers[-1] not in known else [])
    return found
