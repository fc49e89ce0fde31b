"""What a call would do, in words."""

from __future__ import annotations

from collections.abc import Iterator

from unjit.model import CallAnswer, EntryAnswer, FailedCondition, Unknown
from unjit.render.forms.outline import count
from unjit.render.forms.places import cause

_MOST = 12  # failing guards shown for one entry


def answer_text(answer: CallAnswer) -> str:
    """The whole answer."""
    lines = [f"{answer.function}: {answer.detail}"]
    for entry in answer.entries:
        lines += _entry(entry, answer.entry)
    if answer.advice:
        lines += ["What to change:", *(f"  {sentence}" for sentence in answer.advice)]
    if answer.not_known:
        lines.append(f"Not known without running: which entries of {', '.join(answer.not_known)} would run after it.")
    return "\n".join(lines)


def _entry(entry: EntryAnswer, chosen: int | None) -> Iterator[str]:
    name = f"  {entry.name} ({'; '.join(_made_by(entry))})"
    if entry.barred is not None and not isinstance(entry.barred, Unknown):
        yield f"{name}: not looked at, {entry.barred}"
        return
    if isinstance(entry.fits, Unknown):
        yield f"{name}: {entry.fits}"
        return
    failing = f"{count(len(entry.failed), 'guard')} {'fails' if len(entry.failed) == 1 else 'fail'}"
    fitting = [_fitting(entry, chosen)] if entry.fits else []
    yield f"{name}: {', though '.join([*fitting, *[failing] * (not fitting or bool(entry.failed))])}"
    for condition in entry.failed[:_MOST]:
        yield f"    {condition_text(condition)}"
    if len(entry.failed) > _MOST:
        yield f"    and {count(len(entry.failed) - _MOST, 'other')}"


def _made_by(entry: EntryAnswer) -> Iterator[str]:
    """Why its compile is not known, if that is so, and the backend: without parentheses, as it stands in some."""
    if isinstance(entry.compile_id, Unknown):
        yield f"compile unknown: {entry.compile_id.reason}"
    yield f"backend unknown: {entry.backend.reason}" if isinstance(entry.backend, Unknown) else entry.backend


def _fitting(entry: EntryAnswer, chosen: int | None) -> str:
    if entry.index == chosen:
        return "runs"
    if chosen is None and entry.barred is None:
        return "fits"
    return "fits, if it is of this call's backend" if entry.barred is not None else "fits too, and comes later"


def condition_text(failed: FailedCondition) -> str:
    """What was expected, what is there instead, and the line that made Dynamo ask."""
    if isinstance(failed.expected, Unknown):
        return f"{failed.condition}{cause(failed.cause)}"
    if isinstance(failed.subject, Unknown):
        return f"{failed.condition}: {failed.actual}{cause(failed.cause)}"
    subject = "torch" if failed.subject == "" else failed.subject
    return f"{subject}: expected {failed.expected}, actual {failed.actual}{cause(failed.cause)}"
