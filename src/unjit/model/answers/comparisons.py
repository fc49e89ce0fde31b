"""The answer of `unjit.compare`: where a compiled function computes something else than eager."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from unjit.model.places import Place
from unjit.model.plain.serialise import to_plain
from unjit.model.texts import Expression, Message, Name, Term
from unjit.model.unknown import Maybe, Unknown

COMPARISON_SCHEMA_VERSION = 6
Outcome: TypeAlias = Literal["same", "differs", "failed", "unknown"]
# What Inductor is given, by its first passes, AOTAutograd and decompositions; its passes on that; the kernels of that;
# the wrapper that calls them.
LoweringStep: TypeAlias = Literal["graph", "passes", "kernel", "wrapper"]
# When what is compared was compiled: for the comparison; for calls that the program has made before; by aot_compile.
Made: TypeAlias = Literal["for the call", "earlier", "ahead of time"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that is not as eager has it."""

    where: Expression  # result[0], gradient of args[1], self.weight after the call, …
    says: Message


@dataclass(frozen=True, slots=True)
class LoweringDifference:
    """The first of Inductor's steps after which a graph gives other values, on the same inputs."""

    step: LoweringStep
    half: Term | None  # "forward", "backward" or "inference"; None for the step "graph" without a kernel
    says: Message
    kernel: Term | None = None  # the first that differs; for the step "graph", the first that gives nan, if it is nan
    buffer: Term | None = None  # of the kernel
    nodes: tuple[Name, ...] = ()  # of the graph after all passes: the one whose value it is, then those fused with it
    place: Place | None = None  # the user's line of the first of the nodes
    uncompared: tuple[Term, ...] = ()  # kernels before it of which not every buffer could be compared


@dataclass(frozen=True, slots=True)
class GraphDifference:
    """The first graph whose compiled form gives other values than its captured form, on the same inputs."""

    graph: Name
    call: int  # which call of a graph in this run, from 0
    lines: tuple[Place, ...]  # of the user's program, that the graph was captured from
    differences: tuple[Difference, ...]
    inside: Maybe[LoweringDifference] | None  # None where Inductor had no part in it, or a backend before it differs
    no_reference: Message | None  # why there is no run of the graph in float64, which tells what is rounding


@dataclass(frozen=True, slots=True)
class BackendTrial:
    """One backend against eager."""

    backend: Term
    outcome: Outcome
    differences: tuple[Difference, ...]
    first_graph: Maybe[GraphDifference] | None  # None where all graphs agree
    graphs: int  # how many calls of graphs were compared
    error: Message | None  # what it raised, where eager did not; or why it is unknown whether it agrees
    made: Made = "for the call"


@dataclass(frozen=True, slots=True)
class Comparison:
    """Eager twice, then each backend, on the same inputs and the same random state; last what was compiled before.

    Of that, what `aot_compile` made always has a trial; what calls have left in Dynamo's cache only where it differs.
    """

    function: Name
    unsteady: tuple[Difference, ...]  # how two runs of eager differ; empty for a deterministic program
    reference: Maybe[Message]  # how eager compares with the same program in float64
    trials: tuple[BackendTrial, ...]
    raised: Message | None = None  # in eager: of a backend that does so too, nothing else could be compared

    @property
    def first(self) -> BackendTrial | None:
        """The first backend that is not the same as eager."""
        return next((trial for trial in self.trials if trial.outcome not in ("same", "unknown")), None)

    @property
    def whole(self) -> bool:
        """Whether of every backend it is known if it agrees."""
        return all(trial.outcome != "unknown" for trial in self.trials)

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists; an unknown fact is `{"unknown": reason}`."""
        return {"schema": COMPARISON_SCHEMA_VERSION, **to_plain(self)}

    def to_json(self, indent: int | None = 2) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)


@dataclass(frozen=True, slots=True)
class CallComparison:
    """One call that a program made of what it had compiled, compared on its own inputs."""

    function: Name
    place: Maybe[Place]  # where the function begins
    call: int  # which of its calls, from 0
    answer: Maybe[Comparison]


@dataclass(frozen=True, slots=True)
class ProgramComparison:
    """The compared calls of a program, in the order in which it made them."""

    calls: tuple[CallComparison, ...]
    uncompared: Maybe[int]  # how many more calls there were
    problems: tuple[Message, ...]  # what kept calls from being compared
    ended: Message | None  # how the program failed; None where it did not

    @property
    def first(self) -> CallComparison | None:
        """The first call in which a backend differs from eager, or eager from itself."""
        known = ((call, call.answer) for call in self.calls if not isinstance(call.answer, Unknown))
        return next((call for call, answer in known if answer.first is not None or answer.unsteady), None)

    @property
    def same(self) -> bool:
        """Whether there were calls, every one was compared, and all agree."""
        whole = all(not isinstance(call.answer, Unknown) and call.answer.whole for call in self.calls)
        return bool(self.calls) and whole and not self.problems and self.first is None

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists; an unknown fact is `{"unknown": reason}`."""
        return {"schema": COMPARISON_SCHEMA_VERSION, **to_plain(self)}

    def to_json(self, indent: int | None = 2) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)
