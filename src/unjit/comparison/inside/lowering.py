"""The first of Inductor's steps after which a graph gives other values: what it was given, its passes, its kernels.

The graph is compiled once more, without torch's caches. Then each half runs in three forms on the same inputs: as
Inductor was given it, as its passes left it, and as kernels.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

from unjit.comparison.inside.graph_values import exact_values, place_of, values_of
from unjit.comparison.inside.kernels import KernelComparison, Suspect, against_graph, compare
from unjit.comparison.inside.side_by_side import side_by_side
from unjit.comparison.restoring.randomness import RandomState
from unjit.comparison.runs.copying import copied
from unjit.comparison.values.differences import difference, parted_beyond_rounding
from unjit.comparison.values.narrow import narrowest_in
from unjit.model import Difference, LoweringDifference, LoweringStep, Maybe, Message, Name, Term, Unknown
from unjit.model.words.wording import in_words
from unjit.torch_private.compiled_graphs.stages import Lowered, compile_again, why_not_seeded_alike

Found = Maybe[LoweringDifference] | None
_AGREES: Final = Unknown(Message("compiled once more, without torch's caches, it does not part"))


def lowering_difference(graph: Any, inputs: Sequence[Any], settings: Mapping[str, Any]) -> Maybe[LoweringDifference]:
    """Where, inside Inductor, a captured graph parts; `settings` are Inductor's, as the program gave them.

    Unknown where it cannot be told. Leaves inputs and random state as they were.
    """
    before = RandomState.now()
    halves = _Halves()
    try:
        made = compile_again(graph, copied(list(inputs)), "post_grad", halves.runner, settings)
        told = side_by_side(graph, made, inputs, may_raise=True, narrowest=narrowest_in(graph))
    except Exception as error:
        return _unknown(error)
    finally:
        before.put_back()
    if halves.found is not None:
        return halves.found
    if told.found.error is not None:
        return _unknown(told.found.error)
    return _given(told.differences, halves.nan) if told.differences else _AGREES


def _unknown(error: BaseException) -> Unknown:
    return Unknown(Message(f"compiled once more, {in_words(error)}"))


class _Halves:
    """The halves of one graph, each compared when it first runs, until one parts."""

    def __init__(self) -> None:
        self.found: Found = None
        self.nan: tuple[Lowered, Suspect] | None = None  # the first kernel that gives nan, as the graph does

    def runner(self, lowered: Lowered) -> Callable[..., Any]:
        """What runs in place of the kernels."""

        def run(*inputs: Any) -> Any:
            if self.found is None:
                self.found = self._compared(lowered, inputs)
            return lowered.graph(*inputs)

        return run

    def _compared(self, lowered: Lowered, inputs: Sequence[Any]) -> Found:
        reason = why_not_seeded_alike(lowered.graph)
        if reason is None and isinstance(lowered.wrapper, Unknown):
            reason = lowered.wrapper.reason
        if reason is not None:
            return Unknown(reason)
        try:
            told = _of_passes(lowered, inputs)
            return self._of_kernels(lowered, compare(lowered, "", inputs)) if told is None else told
        except Exception as error:
            return _unknown(error)

    def _of_kernels(self, lowered: Lowered, told: KernelComparison) -> Found:
        if told.nan is not None and self.nan is None:
            self.nan = lowered, told.nan
        if told.differs is not None:
            return _of_suspect("kernel", lowered, told.differs, told.differs.says)
        if told.returned:
            says = Message(f"{told.returned[0].where} {against_graph(told.returned[0].says)}")
            unseen = tuple(map(Term, told.unseen))
            return LoweringDifference("wrapper", Term(lowered.stage), says, uncompared=unseen)
        return None


def _of_suspect(step: LoweringStep, lowered: Lowered, suspect: Suspect, says: str) -> LoweringDifference:
    return LoweringDifference(
        step,
        Term(lowered.stage),
        Message(says),
        Term(suspect.kernel),
        Term(suspect.buffer),
        tuple(map(Name, (suspect.node, *suspect.fused))),
        suspect.place,
        tuple(map(Term, suspect.unseen)),
    )


def _given(told: Sequence[Difference], nan: tuple[Lowered, Suspect] | None) -> LoweringDifference:
    """What Inductor was given parts already, and all that follows agrees with it."""
    says = f"{told[0].where} {told[0].says}"
    if nan is not None and any("are nan" in each.says for each in told):
        return _of_suspect("graph", *nan, says)
    return LoweringDifference("graph", None, Message(says))


def _of_passes(lowered: Lowered, inputs: Sequence[Any]) -> LoweringDifference | None:
    """Whether the passes changed what the graph computes; if so, the first node whose value is another one."""
    before = RandomState.now()
    names = {node.name for node in lowered.graph.graph.nodes}
    try:
        expected = values_of(lowered.given, inputs, ())
        before.put_back()
        found = values_of(lowered.graph, inputs, ())

        def reference() -> Mapping[str, Any]:
            exact = exact_values(lowered.given, inputs, (), before, expected)
            return {} if exact is None else dict(exact.outcome(inputs).values)

        narrowest = narrowest_in(lowered.given)
        told = parted_beyond_rounding(expected.outcome(inputs), found.outcome(inputs, expected), reference, narrowest)
        if not told:
            return None
        before.put_back()
        one = values_of(lowered.given, inputs, names).nodes
        before.put_back()
        other = values_of(lowered.graph, inputs, names).nodes
    finally:
        before.put_back()
    node, says = _first_node(lowered, one, other) or (None, f"{told[0].where} {told[0].says}")
    nodes = () if node is None else (Name(node.name),)
    message = Message(against_graph(says, "before them"))
    return LoweringDifference("passes", Term(lowered.stage), message, nodes=nodes, place=place_of(node))


def _first_node(lowered: Lowered, before: Mapping[str, Any], after: Mapping[str, Any]) -> tuple[Any, str] | None:
    for node in lowered.graph.graph.nodes:
        if node.name in before and node.name in after:
            says = difference(before[node.name], after[node.name])
            if says is not None:
                return node, says
    return None
