"""One entry asked about a call: whether its guards hold, and which do not."""

from __future__ import annotations

import functools
from types import FunctionType
from typing import Any

from unjit.guards.evaluate import Finding, failing
from unjit.model import EntryAnswer, FailedCondition, Generated, Maybe, Message, Term, Unknown, known_or
from unjit.observe.guards.failed import asker, failed_condition, finding_with_names, may_be_skipped
from unjit.observe.guards.reading import live_guards
from unjit.observe.messages.full_paths import full_path
from unjit.observe.targets.behind_wrapper import NamesBehind, names_behind
from unjit.torch_private.cache import history
from unjit.torch_private.cache.entries import RawEntry
from unjit.torch_private.guard_trees.answers import passes, verbose_answer


def asked_about(
    index: int, raw: RawEntry, function: FunctionType, frame: dict[str, Any], barred: Maybe[Message] | None = None
) -> tuple[EntryAnswer, list[Finding]]:
    """What an entry says to a call: Dynamo's answer, and if it is no, each guard that fails.

    `barred` is why the call does not ask it, whatever its guards say.
    """
    manager = raw.guard_manager
    answer = verbose_answer(manager, frame)
    names = names_behind(function, frame)
    findings = [] if answer.holds else _findings(manager, raw, function, frame, names)
    failed = tuple(map(failed_condition, findings))
    if not answer.holds and not failed:  # a guard that unjit cannot ask: torch's own words must do
        failed = tuple(_told(text if names is None else names(text)) for text in answer.failed)
    fits = answer.holds or (may_be_skipped(findings) and passes(manager, frame))
    return EntryAnswer(index, raw.compile_id, raw.backend, fits, failed, barred), findings


def _findings(
    manager: Any, raw: RawEntry, function: FunctionType, frame: dict[str, Any], names: NamesBehind | None
) -> list[Finding]:
    seen = history.seen_codes()
    files = {function.__code__.co_filename, *(() if isinstance(seen, Unknown) else (code.co_filename for code in seen))}
    guards, leaves = live_guards(manager, function.__code__, functools.partial(full_path, files=files), names)
    found = failing(guards, frame, known_or(raw.globals, function.__globals__), asker(guards, leaves))
    return found if names is None else [finding_with_names(one, names) for one in found]


def _told(text: str) -> FailedCondition:
    unknown = Unknown(Message("torch does not tell"))
    subject = Unknown(Message("torch tells it in words alone"))
    return FailedCondition(Term("TOLD"), subject, Generated(text), unknown, unknown, unknown)
