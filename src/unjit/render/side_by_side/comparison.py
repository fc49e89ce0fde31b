"""The answer of `unjit.compare` as text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from unjit.model import BackendTrial, Comparison, Difference, GraphDifference, LoweringDifference, Unknown, headline
from unjit.render.forms.outline import count
from unjit.render.forms.places import where

_SHOWN: Final = 5


def comparison_text(comparison: Comparison) -> str:
    """Which backends agree with eager, and where the first that does not differs from it."""
    return "\n".join([_title(comparison), *comparison_lines(comparison), _verdict(comparison)])


def _title(comparison: Comparison) -> str:
    backends = count(sum(trial.made != "earlier" for trial in comparison.trials), "backend")
    return f"{comparison.function}: eager and {backends}, on the same inputs and random state"


def comparison_lines(comparison: Comparison) -> Iterator[str]:
    """What each run gave."""
    if comparison.unsteady:
        yield "  eager    differs from itself: the program is not deterministic, and differences below may be its own"
        yield from _differences(comparison.unsteady)
    elif isinstance(comparison.reference, Unknown):
        yield f"  float64  {comparison.reference}"
    if comparison.raised is not None:
        yield f"  eager    raises {headline(comparison.raised)}"
    for trial in comparison.trials:
        yield from _trial(trial, steady=not comparison.unsteady)
    last = comparison.trials[-1]
    if last.made == "earlier" or (last is comparison.first and not comparison.unsteady):
        yield from (f"    {line}" for line in _MADE_BEFORE.get((last.made, last.outcome), ()))


def _verdict(comparison: Comparison) -> str:
    first = comparison.first
    if first is not None and first.outcome == "failed":
        return f"The first that does not agree with eager: {first.backend}."
    if comparison.unsteady:
        return "Nothing can be said about the backends: eager does not agree with itself."
    if first is not None:
        return f"The first that does not agree with eager: {first.backend}."
    if comparison.raised is not None:
        return "All raise what eager raises."
    if not comparison.whole:
        return "All that could be compared agrees with eager."
    return f"All agree with eager.{NO_GRAPH if called_no_graph(comparison) else ''}"


NO_GRAPH: Final = " No graph was called, so that no operation of torch's was compared as compiled."


def called_no_graph(comparison: Comparison) -> bool:
    """Whether every backend ran all that computes as eager does, as where Dynamo gave the function up."""
    without = all(not trial.graphs and not isinstance(trial.first_graph, Unknown) for trial in comparison.trials)
    return without and comparison.raised is None


_EARLIER: Final = (
    "it was compiled for an earlier call: for other sizes, or its guards do not ask about something that has changed",
    "since; after torch._dynamo.reset() calls compile anew",
)
# What to make of it where something that was compiled before the comparison is not as eager is.
_MADE_BEFORE: Final = {
    ("ahead of time", "differs"): (
        "what is compiled for this call agrees: this was made for other values, has read what changed since,",
        "or its backend is at fault",
    ),
    ("earlier", "differs"): _EARLIER,
    ("earlier", "failed"): _EARLIER,
}


def _trial(trial: BackendTrial, *, steady: bool) -> Iterator[str]:
    calls = count(trial.graphs, "graph call")
    compared = "" if isinstance(trial.first_graph, Unknown) else f" ({calls} compared)"
    told = {
        "same": f"the same{compared}",
        "differs": "differs",
        "failed": f"failed: {_error(trial)}",
        "unknown": f"unknown: {trial.error}",
    }
    yield f"  {trial.backend}: {told[trial.outcome]}"
    yield from _differences(trial.differences)
    if trial.made != "for the call":
        return
    if isinstance(trial.first_graph, Unknown):
        yield f"    whether its graphs differ: {trial.first_graph}"
    elif trial.first_graph is not None:
        yield from _graph(trial.first_graph)
    elif trial.outcome == "differs" and steady and not trial.graphs:
        yield "    no graph was called: the difference is in the code that Dynamo made of the program's"
    elif trial.outcome == "differs" and steady:
        or_sums = ", or in roundings that add up over them" if trial.graphs > 1 else ""
        what = f"in what Dynamo captured, or does around the graphs{or_sums}"  # code may ask whether it is compiled
        yield f"    each graph call agrees by itself: the difference is {what}"


def _error(trial: BackendTrial) -> str:
    """What it says first, as torch writes pages: `.data` has all."""
    return headline(str(trial.error))


def _graph(graph: GraphDifference) -> Iterator[str]:
    yield f"    first graph that differs: {graph.graph} (graph call {graph.call}), captured from"
    yield from (f"      {where(place)}" for place in graph.lines)
    yield from _differences(graph.differences, "      ")
    if graph.no_reference is not None:
        yield f"      held against no run in float64: {graph.no_reference}"
    if isinstance(graph.inside, Unknown):
        lines = [line for line in str(graph.inside).splitlines() if line.strip()]
        yield "\n          ".join([f"      first kernel that differs: {lines[0]}", *lines[1:]])
    elif graph.inside is not None:
        yield from _inside(graph.inside)


_STEPS: Final = {
    "graph": "what Inductor receives differs already, after its first passes, AOTAutograd and decompositions; "
    "what it makes of that agrees with it",
    "passes": "the kernels are not the first to differ: Inductor's passes change what the {half} computes",
    "kernel": "first kernel that differs: {kernel}",
    "wrapper": "no kernel that could be compared differs, but the result of the {half} does",
}


def _inside(found: LoweringDifference) -> Iterator[str]:
    """What Inductor did where it is at fault."""
    nodes = _nodes(found.nodes)
    at = f" of the {found.half}, in {found.buffer}, which holds {nodes}"
    told = _STEPS[found.step].format(half=found.half, kernel=found.kernel)
    if found.step == "kernel":
        told += at
    elif found.step == "passes" and nodes:
        told += f", first in {nodes}"
    yield f"      {told}"
    if found.step == "graph" and found.kernel is not None:
        yield f"        the first nan comes from {found.kernel}{at}"
    if found.place is not None:
        yield f"        {where(found.place)}"
    yield f"        {found.says}"
    if found.uncompared:
        yield f"        not every buffer could be compared of {', '.join(found.uncompared)}"


def _nodes(names: Sequence[str]) -> str:
    """The node whose value differs, and those fused with it."""
    fused = f" (fused with {', '.join(names[1:])})" if names[1:] else ""
    return f"{names[0]}{fused}" if names else ""


def _differences(found: Sequence[Difference], indent: str = "    ") -> Iterator[str]:
    yield from (f"{indent}{_said(difference)}" for difference in found[:_SHOWN])
    if len(found) > _SHOWN:
        yield f"{indent}and {count(len(found) - _SHOWN, 'more difference')}"


def _said(difference: Difference) -> str:
    """`result: 2 of 2 values differ`, but `result is missing`."""
    is_of_parts = difference.says[:1].isdigit() or difference.says.startswith("in ")
    return f"{difference.where}{':' if is_of_parts else ''} {difference.says}"
