"""One function in one line."""

from __future__ import annotations

from pathlib import PurePath

from unjit.model import Function, Unknown
from unjit.render.compiles import breaks_of
from unjit.render.outline import count, fact


def summary_line(function: Function) -> str:
    """`toy  d.py:3  2 cache entries, 2 graphs, 1 graph break, 2 resume functions`."""
    where = f"{PurePath(function.place.file).name}:{fact(function.place.line)}"
    return f"{function.key}  {where}  {', '.join(_facts(function))}"


def _facts(function: Function) -> list[str]:
    if not function.entries:
        return [f"no cache entries: {state(function)}"]
    graphs = sum(len(entry.graphs) for entry in function.entries)
    facts = [count(len(function.entries), "cache entry", "cache entries"), count(graphs, "graph")]
    if isinstance(function.compiles, Unknown):
        facts.append(f"breaks {function.compiles}")
    elif breaks := breaks_of(function.compiles):
        facts.append(count(breaks, "graph break"))
    resumes = {key for entry in function.entries for key in entry.resume_functions}
    if resumes:
        facts.append(count(len(resumes), "resume function"))
    if function.status.state != "compiled":
        facts.append(state(function))
    return facts


def state(function: Function) -> str:
    """What Dynamo does with it, with the reason."""
    status = function.status
    detail = f": {status.detail}" if status.detail is not None else ""
    return f"{fact(status.state)}{detail}"
