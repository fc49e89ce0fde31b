"""Inductor's kernels beside the graph that they were made from: each buffer that a wrapper fills, in its order."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import PurePath
from typing import Any, Final

from unjit.comparison.inside.graph_values import Values, exact_values, place_of, same_values, values_of
from unjit.comparison.inside.observed_wrapper import observed
from unjit.comparison.inside.unspecified import specified
from unjit.comparison.restoring.randomness import RandomState
from unjit.comparison.runs.copying import copied
from unjit.comparison.runs.ranks import Talk
from unjit.comparison.runs.room import check_room_for_run
from unjit.comparison.values.differences import difference, parted
from unjit.comparison.values.leaves import tensors
from unjit.comparison.values.narrow import narrowest_in
from unjit.comparison.values.without_values import check_values
from unjit.errors import UnjitError
from unjit.model import Difference, Place, Unknown
from unjit.torch_private.compiled_graphs.buffers import Held
from unjit.torch_private.compiled_graphs.stages import Lowered
from unjit.torch_private.compiled_graphs.wrappers import called_with

_UNLIKE: Final = ""  # in place of a difference: the buffer holds the value of no single node
_NAMED: Final = 3  # so many are named, of kernels that may be at fault as well


@dataclass(frozen=True)
class Suspect:
    """A kernel that filled a buffer with another value than its node has in the graph, or with nan."""

    kernel: str
    buffer: str
    node: str  # of the graph, whose value the buffer holds
    fused: tuple[str, ...]  # the other nodes that were made part of it
    place: Place | None  # the user's line
    says: str
    unseen: tuple[str, ...]  # kernels before it of which not every buffer could be compared

    def __str__(self) -> str:
        fused = f" (fused with {', '.join(self.fused)})" if self.fused else ""
        place = "" if self.place is None else f", {PurePath(self.place.file).name}:{self.place.line}"
        return f"{self.kernel}, in {self.buffer}, which holds {self.node}{fused}{place}: {self.says}{self._doubt}"

    @property
    def _doubt(self) -> str:
        """What else may be at fault."""
        if not self.unseen:
            return ""
        more = f" and {len(self.unseen) - _NAMED} more" if len(self.unseen) > _NAMED else ""
        before = f"{', '.join(self.unseen[-_NAMED:])}{more}"
        return f"; it may have got them from {before} before it, of which not every buffer could be compared"


@dataclass(frozen=True)
class KernelComparison:
    """How the buffers of one run compare with the graph's values on the same inputs."""

    graph: str  # "f, compile 0, forward"
    kernels: int
    compared: int  # buffers
    unmatched: int  # buffers that hold no node's value by itself
    differs: Suspect | None  # the first kernel that does
    nan: Suspect | None  # the first that gives nan, as the graph does
    returned: tuple[Difference, ...]  # how what the wrapper gave and changed differs
    unseen: tuple[str, ...]  # kernels of which not every buffer could be compared

    @property
    def first(self) -> Suspect | None:
        """The first kernel that differs, or that gives nan before any other differs."""
        return self.nan or self.differs

    def __str__(self) -> str:
        if self.nan is not None and self.differs is None:
            return f"{self.graph}: the first kernel that gives nan is {self.nan}"
        if self.first is not None:
            return f"{self.graph}: the first kernel that differs is {self.first}"
        told = f"{self.graph}: {self._agreeing()}"
        if not self.returned:
            return told if self.compared else f"{told}; what comes of them is what the graph computes"
        return (
            f"{told}; yet what comes of them differs: {self.returned[0].where} {against_graph(self.returned[0].says)}"
        )

    def _agreeing(self) -> str:
        apart = "it holds" if self.unmatched == 1 else "they hold"
        rest = f"; {self.unmatched} not compared, as {apart} no node's value" if self.unmatched else ""
        kernels = _counted(self.kernels, "kernel")
        if not self.compared:
            return f"no buffer of {kernels} could be compared by itself"
        return f"{_counted(self.compared, 'buffer')} of {kernels} {_verb(self.compared)} what the graph computes{rest}"


def _counted(number: int, one: str) -> str:
    return f"{number:,} {one}{'' if number == 1 else 's'}"


def _verb(number: int) -> str:
    return "holds" if number == 1 else "hold"


@dataclass
class _Ran:
    """A kernel that ran, with copies of the buffers that it filled."""

    kernel: str
    filled: dict[str, Any] = field(default_factory=dict)
    only_began: bool = False  # a buffer, which a later kernel changed before it held its node's value
    unfinished: set[str] = field(default_factory=set)  # given to later kernels, of which none changed anything


class _Watch:
    """What the observed wrapper tells of: each buffer is copied after the kernel that gives it its node's value.

    That is the first one that is given it, or where the node's value is made in place, the last one that changes it.
    """

    def __init__(self, held: Mapping[str, Held]) -> None:
        self.held = held
        self.ran: list[_Ran] = []
        self.known: dict[str, _Ran | None] = {}  # buffers, and the kernel that last changed them
        self.began: dict[str, _Ran | None] = {}  # and the one that filled them first

    def __call__(self, kernel: str | None, buffers: Mapping[str, Any]) -> None:
        if kernel is not None:
            self.ran.append(_Ran(kernel))
        current = self.ran[-1] if self.ran else None
        for buffer, value in buffers.items():
            if not hasattr(value, "clone"):
                continue
            if buffer not in self.known:
                self.known[buffer] = self.began[buffer] = current
                if current is not None:
                    current.filled[buffer] = value.clone()
            elif buffer in self.held and self.held[buffer].finished_later and current is not None:
                self._go_on(buffer, value, current)

    def _go_on(self, buffer: str, value: Any, current: _Ran) -> None:
        before = self.known[buffer]
        if before is None or before is current:
            return
        if same_values(before.filled[buffer], value):
            if before is self.began[buffer]:
                before.unfinished.add(buffer)
            return
        del before.filled[buffer]
        before.only_began = True
        current.filled[buffer] = value.clone()
        self.known[buffer] = current


class GraphFailed(Exception):
    """A graph cannot run where its kernels do: what Inductor makes of one need not run as Python, nor fit in memory."""


def compare(lowered: Lowered, name: str, inputs: Sequence[Any]) -> KernelComparison:
    """Run the kernels and the graph on copies of the inputs, from the same random state, and compare what they hold.

    Only where something differs the graph runs in float64, too, and not one that talks to other ranks. Raises what the
    wrapper raises, and GraphFailed.
    """
    before, talk = RandomState.now(), Talk()
    wanted = {held.node for held in lowered.held.values() if held.node is not None}
    try:
        _check_can_run(inputs)
        given = copied(list(inputs))
        ran, result = _kernels_run(lowered, list(given))
        talks = talk.was_heard()
        found = Values({}, given, specified(lowered.graph, result), RandomState.now())
        before.put_back()
        expected = _graph_run(lowered, inputs, wanted)

        def judged(exact: Values | None) -> KernelComparison:
            reference = {} if exact is None else dict(exact.outcome(inputs).values)
            narrowest = None if exact is None else narrowest_in(lowered.graph)
            returned = parted(expected.outcome(inputs), found.outcome(inputs, expected), reference, narrowest)
            told = _compared(lowered, ran, expected.nodes, {} if exact is None else exact.nodes, narrowest)
            return replace(told, graph=name, returned=tuple(returned))

        told = judged(None)
        if not talks and (told.returned or told.unmatched or told.differs is not None):
            told = judged(exact_values(lowered.graph, inputs, wanted, before, expected))
        return told
    finally:
        before.put_back()


def _check_can_run(inputs: Sequence[Any]) -> None:
    given = list(tensors(list(inputs), "inputs"))
    try:
        check_values(given)
        check_room_for_run([tensor for _, tensor in given], in_float64=False)
    except UnjitError as error:
        raise GraphFailed(str(error)) from error


def try_graph(lowered: Lowered, inputs: Sequence[Any]) -> bool:
    """Run the graph on copies of the inputs; True. Random numbers are drawn as if it had not. Raises GraphFailed."""
    before = RandomState.now()
    try:
        _check_can_run(inputs)
        _graph_run(lowered, inputs, ())
    finally:
        before.put_back()
    return True


def _kernels_run(lowered: Lowered, inputs: list[Any]) -> tuple[list[_Ran], Any]:
    assert not isinstance(lowered.wrapper, Unknown)
    watch = _Watch(lowered.held)
    result = called_with(lowered.called, lowered.wrapper, observed(lowered.wrapper, watch))(inputs)
    return watch.ran, result


def _graph_run(lowered: Lowered, inputs: Sequence[Any], wanted: Collection[str]) -> Values:
    try:
        return values_of(lowered.graph, inputs, wanted)
    except Exception as error:
        says = str(error).partition("\n")[0]  # torch tells the node, and where it comes from, after it
        raise GraphFailed(f"its graph, run as Python, raised {type(error).__name__}: {says}") from error


def _compared(
    lowered: Lowered, ran: list[_Ran], values: Mapping[str, Any], exact: Mapping[str, Any], narrowest: str | None
) -> KernelComparison:
    matched = unmatched = 0
    differs: Suspect | None = None
    nan: Suspect | None = None
    unseen: list[str] = []
    for each in ran:
        whole = bool(each.filled) and not each.only_began
        for buffer, found in each.filled.items():
            node = (lowered.held[buffer].node if buffer in lowered.held else None) or ""
            expected = values.get(node)
            says = _UNLIKE if expected is None else _parted(expected, found, exact.get(node), narrowest)
            if says == _UNLIKE or (says is not None and buffer in each.unfinished):  # by which kernel is not known
                unmatched += 1
                whole = False
                continue
            matched += 1
            if says is not None and differs is None:
                differs = _suspect(lowered, each.kernel, buffer, against_graph(says), unseen)
            elif (says := _nans(found)) is not None and differs is None and nan is None:
                nan = _suspect(lowered, each.kernel, buffer, says, unseen)
        if not whole:
            unseen.append(each.kernel)
    return KernelComparison("", len(ran), matched, unmatched, differs, nan, (), tuple(dict.fromkeys(unseen)))


def _parted(expected: Any, found: Any, exact: Any, narrowest: str | None) -> str | None:
    """How a buffer differs from its node's value; None if it does not."""
    if expected.numel() != found.numel():
        return _UNLIKE
    return difference(expected, found.reshape(expected.shape), exact, narrowest)


def _suspect(lowered: Lowered, kernel: str, buffer: str, says: str, unseen: Sequence[str]) -> Suspect:
    node = lowered.held[buffer].node
    assert node is not None
    others = tuple(name for name in lowered.held[buffer].fused if name != node)
    found = next((each for each in lowered.graph.graph.nodes if each.name == node), None)
    return Suspect(kernel, buffer, node, others, place_of(found), says, tuple(dict.fromkeys(unseen)))


def _nans(found: Any) -> str | None:
    count = int(found.isnan().sum()) if found.is_floating_point() else 0
    return f"{count} of {found.numel()} values are nan, as in the graph" if count else None


def against_graph(says: str, expected: str = "in the graph") -> str:
    """How a value differs, where what was expected is a graph's."""
    return says.replace("in eager", expected)
