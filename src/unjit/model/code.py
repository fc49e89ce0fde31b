"""Code that Dynamo generated, as source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from unjit.model.texts import Generated, Message, Name
from unjit.model.unknown import Maybe

Verdict = Literal["identical", "equivalent", "opaque"]


@dataclass(frozen=True, slots=True)
class PlainCode:
    """Generated code without what only serves torch's profiler, proved against the bytecode without it."""

    source: Generated
    verdict: Verdict
    left_out: int  # instructions


@dataclass(frozen=True, slots=True)
class Code:
    """A code object as source, with how far the source is proved.

    `source` is always valid Python; when the verdict is `opaque` it embeds the code and shows its instructions.
    `scaffolding` are the lines of `source`, counted from 1, that only serve torch's profiler. `plain` is the source of
    the same bytecode with the instructions that serve the profiler left out, where that can be done cleanly; Unknown
    where trying to failed.
    """

    name: Name
    source: Generated
    verdict: Verdict
    reason: Message | None  # why it is opaque
    scaffolding: tuple[int, ...]
    instructions: int
    disassembly: Generated
    plain: Maybe[PlainCode] | None = None
