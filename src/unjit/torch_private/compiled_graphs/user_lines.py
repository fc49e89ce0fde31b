"""Which lines of the program called the code of torch's that a graph names.

The text of a graph has one line for each operation, the innermost. For what a function of torch's issued, as
collectives are, that is a line of torch's. The graph itself has the whole stack.
"""

from __future__ import annotations

import os
import re
import sys
from pathlib import Path

from unjit.model import Unknown
from unjit.torch_private.probes.rank_probes import TRANSLATOR

Line = tuple[str, int, str, str]  # file, line, function, code
_FRAME = re.compile(r'^ *File "(.+)", line (\d+), in (.+)\n *(.*)', re.MULTILINE)


def user_lines() -> dict[tuple[str, int], list[Line]]:
    """For each line of torch's own in the graph that this thread has just captured: the program's that led there."""
    translator = TRANSLATOR.call()
    graph = None if isinstance(translator, Unknown) else getattr(getattr(translator, "output", None), "graph", None)
    torch = f"{Path(str(sys.modules['torch'].__file__)).parent}{os.sep}"
    found: dict[tuple[str, int], list[Line]] = {}
    for stack in dict.fromkeys(node.stack_trace for node in getattr(graph, "nodes", ())):
        lines = [(file, int(line), function, code) for file, line, function, code in _FRAME.findall(stack or "")]
        callers = [line for line in lines if not line[0].startswith(torch)]
        if lines and callers and callers[-1] is not lines[-1]:
            known = found.setdefault(lines[-1][:2], [])
            known.extend([callers[-1]] if callers[-1] not in known else [])
    return found
