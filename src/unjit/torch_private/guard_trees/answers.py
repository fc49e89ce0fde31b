"""What Dynamo's guards say to a frame."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

from unjit.errors import Unsupported
from unjit.model import Maybe, Unknown, first_unknown
from unjit.torch_private.installing.asking import a_condition_asks
from unjit.torch_private.probes import guard_probes as probes
from unjit.torch_private.probes.probe import needed

# The guards that are being asked are locked, and those of others are told another state than that of the call.
_WITHIN: Final = "a condition of an entry must not ask for guards: torch is asking some, and would wait for ever"


@dataclass(frozen=True, slots=True)
class Answer:
    """Whether guards hold, and what torch says about the first that does not."""

    holds: bool
    failed: tuple[str, ...]


def answer_of(root: Any, frame: Any) -> Maybe[Answer]:
    """The answer of a tree of guards to a frame's locals.

    Asks in the way that torch itself uses to explain a recompile: no failure is counted, no order changed, and nothing
    is skipped because it held before.
    """
    found = root if isinstance(root, Unknown) else probes.CHECK_VERBOSE.call_on(root, frame)
    if isinstance(found, Unknown):
        return found
    holds, parts = probes.ANSWER_HOLDS.of(found), probes.ANSWER_PARTS.of(found)
    return first_unknown(holds, parts) or Answer(bool(holds), tuple(map(str, parts)))


def verbose_answer(guard_manager: Any, frame: dict[str, Any]) -> Answer:
    """The answer of an entry's guards. Raises Unsupported where this torch does not tell it, and within a condition."""
    if a_condition_asks():
        raise Unsupported(_WITHIN)
    return needed(answer_of(probes.GUARD_ROOT.of(guard_manager), frame))


def passes(guard_manager: Any, frame: dict[str, Any]) -> bool:
    """Whether Dynamo's own check, which skips what has not changed, passes this frame. A failing guard counts that."""
    return probes.CHECK.call_on(probes.GUARD_ROOT.of(guard_manager), frame) is True


def may_skip(guard_manager: Any) -> bool:
    """Whether a call may pass by guards on what has not changed, as far as torch's own marks of that tell."""
    waiting = _below(probes.GUARD_ROOT.of(guard_manager))
    while waiting:
        node = waiting.pop()
        if probes.SKIPPED_IF_UNCHANGED.call_on(node) is not False:
            return True
        waiting += _below(node)
    return False


def _below(node: Any) -> list[Any]:
    found = probes.NODE_CHILDREN.call_on(node)
    return [] if isinstance(found, Unknown) else list(found)
