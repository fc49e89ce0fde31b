"""A backend that compiles as another one does, and compares each call of a graph with the captured graph."""

from __future__ import annotations

import copy
from typing import Any

from unjit.comparison.inside.graph_values import place_of
from unjit.comparison.inside.lowering import lowering_difference
from unjit.comparison.inside.side_by_side import side_by_side
from unjit.comparison.restoring.randomness import RandomState, drew_alike
from unjit.comparison.runs.ranks import TALKS, Talk
from unjit.comparison.values.narrow import narrowest_in, narrowest_of
from unjit.model import GraphDifference, LoweringDifference, Maybe, Message, Name, Place, Unknown
from unjit.model.words.wording import in_words
from unjit.torch_private.cache.backends import Compiler, inductor_settings
from unjit.torch_private.compiled_graphs.graphs import keep_input_sources


class ComparingBackend:
    """Passed to `torch.compile` in place of `compiler`; `first` is the first graph that parted, when it has run.

    With `look_inside`, and where Inductor compiles, it is told after which of Inductor's steps. `may_raise` says that
    the program itself raises, `talks` that it talks to other ranks: then every graph is run as often, also after the
    first that parts.
    """

    def __init__(self, name: str, compiler: Compiler, *, look_inside: bool, may_raise: bool, talks: bool) -> None:
        self.__name__ = f"{name} under comparison {id(self):x}"  # no other backend's: its entries are found by it
        self.compiler = compiler
        self._settings = inductor_settings(compiler) if look_inside else None
        self._may_raise = may_raise
        self._talks = talks
        self.calls = 0
        self.graphs = 0
        self.first: Maybe[GraphDifference] | None = None
        self.narrowest: str | None = None  # the type that a graph computes in, where that is half as exact

    def __call__(self, graph: Any, example_inputs: list[Any]) -> Any:
        """Compile a graph; Dynamo calls this."""
        captured = _copied(graph)  # a compiler may change the graph that it is given
        compiled = self.compiler(graph, example_inputs)
        narrow = narrowest_in(captured)
        self.narrowest = narrowest_of((self.narrowest, narrow))
        name = Name(f"graph {self.graphs}")
        self.graphs += 1

        def run(*inputs: Any) -> Any:
            if self.first is None or self._talks:
                found = self._compared(name, captured, compiled, inputs, narrow)
                self.first = found if self.first is None else self.first
            self.calls += 1
            return compiled(*inputs)

        return run

    def _compared(
        self, name: Name, captured: Any, compiled: Any, inputs: tuple[Any, ...], narrow: str | None
    ) -> Maybe[GraphDifference] | None:
        """What parts here, or None. Leaves inputs and random state as they were."""
        before, talk = RandomState.now(), Talk()
        try:
            told = side_by_side(captured, compiled, inputs, may_raise=self._may_raise, narrowest=narrow)
        except Exception as error:
            return Unknown(Message(f"{name} could not be run by itself: {in_words(error)}"))
        finally:
            before.put_back()
        if _checkpoints(captured) and not drew_alike(before, before, told.found.random):
            return Unknown(Message(f"as captured, {name} draws other random numbers when its checkpoint recomputes"))
        if not told.differences:
            return None
        inside = self._inside(captured, inputs, talks=talk.was_heard())
        lines, differences = tuple(lines_of(captured)), tuple(told.differences)
        return GraphDifference(name, self.calls, lines, differences, inside, told.no_reference)

    def _inside(self, captured: Any, inputs: tuple[Any, ...], *, talks: bool) -> Maybe[LoweringDifference] | None:
        if self._settings is None:
            return None
        return TALKS if talks else lowering_difference(captured, inputs, self._settings)


def _copied(graph: Any) -> Any:
    """A copy with the same tensors: a graph may hold parameters, which the program changes later."""
    held = [*graph.parameters(), *graph.buffers()]
    copied = copy.deepcopy(graph, {id(tensor): tensor for tensor in held})
    keep_input_sources(graph, copied)
    return copied


def _checkpoints(graph: Any) -> bool:
    """Whether a part of it is computed again in its backward, for which the compilers keep the random state."""
    inner = (part for part in graph.modules() if hasattr(part, "graph"))
    return any(str(node.target) == "tag_activation_checkpoint" for part in inner for node in part.graph.nodes)


def lines_of(graph: Any) -> list[Place]:
    """The user's lines that a graph was captured from, each once, in order."""
    found = {}
    for node in graph.graph.nodes:
        place = place_of(node)
        if place is not None:
            found[place.file, place.line] = place
    return list(found.values())
