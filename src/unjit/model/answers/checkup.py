"""The answer of `unjit doctor`: what is installed, which parts of unjit work with it, what a trial showed."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from unjit.model.plain.serialise import to_plain
from unjit.model.texts import Expression, Host, Message, Term
from unjit.model.unknown import Maybe

CHECKUP_SCHEMA_VERSION = 1


Standing: TypeAlias = Literal["works", "partly", "missing"]


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was looked at."""

    name: Term
    state: Standing
    says: Message
    advice: Message | None  # what to do about it; None where there is nothing to do


@dataclass(frozen=True, slots=True)
class Hook:
    """A private name of torch that unjit reads."""

    name: Expression
    purpose: Message
    loss: Message | None  # what is lost, because this torch does not have it; None if it does


@dataclass(frozen=True, slots=True)
class Checkup:
    """Everything that was looked at."""

    unjit_version: Term
    python_version: Term
    torch_version: Maybe[Term]
    platform: Host
    parts: tuple[Finding, ...]  # what is installed
    features: tuple[Finding, ...]  # which parts of unjit work with it
    trials: tuple[Finding, ...]  # the toy example, once for each backend
    hooks: tuple[Hook, ...]  # none where torch cannot be imported

    @property
    def well(self) -> bool:
        """Whether nothing is missing."""
        return all(found.state == "works" for found in (*self.parts, *self.features, *self.trials))

    def to_dict(self) -> dict[str, Any]:
        """Plain dictionaries, lists and strings; an unknown fact is `{"unknown": reason}`."""
        return {"schema": CHECKUP_SCHEMA_VERSION, "well": self.well, **to_plain(self)}

    def to_json(self, indent: int | None = 2) -> str:
        """`to_dict` as JSON text."""
        return json.dumps(self.to_dict(), indent=indent, ensure_ascii=False)
