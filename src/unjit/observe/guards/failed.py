"""A guard that does not hold, as data, and who is asked where a guard has no check in Python."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any, Final

from unjit.guards.evaluate import Ask, Finding
from unjit.model import Constant, Expression, FailedCondition, Guard, Guards, Unknown
from unjit.model.words.sources import as_written

_OF_TORCH: Final = Expression("torch")  # what guards on the root are about: torch's own state


def failed_condition(finding: Finding) -> FailedCondition:
    """A guard that fails as data: what it asks for and what is there instead, in the user's words."""
    guard = finding.guard
    expected, actual = (Constant(as_written(text)) for text in (finding.expected, finding.actual))
    subject = _OF_TORCH if guard.source == "L" else guard.subject  # a variable of the program's may be called L
    return FailedCondition(guard.kind, subject, guard.condition, expected, actual, guard.cause)


def finding_with_names(finding: Finding, renamed: Callable[[str], str]) -> Finding:
    """The finding with both sides in these names; its guard has them already, from where it was read."""
    expected, actual = (renamed(as_written(text)) for text in (finding.expected, finding.actual))
    return replace(finding, expected=expected, actual=actual)


def may_be_skipped(findings: Sequence[Finding]) -> bool:
    """Whether a call may pass all the same, by what the failing guards are about.

    Older versions of torch skip the guards on a module whose dicts are as they were when these last held, and a tensor
    that was changed in place leaves them so.
    """
    return bool(findings) and all(one.guard.kind == "TENSOR_MATCH" and _is_held(one.guard) for one in findings)


def _is_held(guard: Guard) -> bool:
    return not isinstance(guard.subject, Unknown) and not guard.subject.isidentifier()


def asker(guards: Guards, leaves: list[Any]) -> Ask:
    """Asks torch's own objects for the guards, which are in the same order; those that it has none for hold."""
    by_guard = {id(guard): leaf for guard, leaf in zip(guards, leaves, strict=True)}

    def ask(guard: Guard, value: Any) -> bool:
        leaf = by_guard[id(guard)]
        return True if leaf is None else bool(leaf(value))

    return ask
