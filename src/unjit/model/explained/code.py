"""Code that Dynamo generated, as source."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from unjit.model.plain.brief import Brief
from unjit.model.texts import Generated, Message, Name
from unjit.model.unknown import Maybe

Verdict = Literal["identical", "equivalent", "opaque"]


@dataclass(frozen=True, slots=True, repr=False)
class Code(Brief):
    """A code object as source, with how far the source is proved.

    `source` is always valid Python; when the verdict is `opaque` it embeds the code and shows its instructions. Where
    Dynamo's code also serves torch's profiler, the instructions that do are left out of the source and of what it is
    proved against, unless they were asked for or cannot be told from the rest: `left_out` is how many, Unknown where
    trying to failed. `instructions` and `disassembly` are of the whole.
    """

    name: Name
    source: Generated
    verdict: Verdict
    reason: Message | None  # why it is opaque
    left_out: Maybe[int]
    instructions: int
    disassembly: Generated
