"""Where a compiled function and eager part: the answer of `unjit.compare`."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from unjit.model.places import Place
from unjit.model.serialise import to_plain
from unjit.model.texts import Expression, Message, Name, Term
from unjit.model.unknown import Maybe

COMPARISON_SCHEMA_VERSION = 1
Outcome: TypeAlias = Literal["same", "differs", "failed"]


@dataclass(frozen=True, slots=True)
class Difference:
    """One value that is not as eager has it."""

    where: Expression  # result[0], gradient of args[1], self.weight after the call, …
    says: Message


@dataclass(frozen=True, slots=True)
class GraphDifference:
    """The first graph whose compiled form gives other values than its captured form, on the same inputs."""

    graph: Name
    call: int  # which call of a graph in this run, from 0
    lines: tuple[Place, ...]  # of the user's program, that the graph was captured from
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class BackendTrial:
    """One backend against eager."""

    backend: Term
    outcome: Outcome
    differences: tuple[Difference, ...]
    first_graph: Maybe[GraphDifference] | None  # None where all graphs agree
    graphs: int  # how many calls of graphs were compared
    error: Message | None  # what it raised, where eager did not


@dataclass(frozen=True, slots=True)
class Comparison:
    """Eager twice, then each backend, on the same inputs and the same random state."""

    function: Name
    unsteady: tuple[Difference, ...]  # how two runs of eager differ; empty for a deterministic program
    reference: Maybe[Message]  # how eager compares with the same program in float64
    trials: tuple[BackendTrial, ...]

    @property
    def first(self) -> BackendTrial | None:
        """The first backend that is not the same as eager."""
        return next((trial for trial in self.trials if trial.outcome != "same"), None)

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries and lists; an unknown fact is `{"unknown": reason}`."""
        return {"schema": COMPARISON_SCHEMA_VERSION, **to_plain(self)}

    def to_json(self, indent: int | None = 2) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)
