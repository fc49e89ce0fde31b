"""`unjit.why`: which entry a call would run, and what keeps the others from fitting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from types import CodeType, FunctionType
from typing import Any

from unjit.api.asked_entries import asked_about
from unjit.api.why_ahead import answer_ahead
from unjit.errors import BadCall, Unsupported
from unjit.guards.advice import advice_for
from unjit.guards.distance import distance
from unjit.guards.evaluate import Finding
from unjit.model import (
    CallAnswer,
    CallOutcome,
    EntryAnswer,
    FailedCondition,
    Maybe,
    Message,
    Name,
    Term,
    Unknown,
    first_unknown,
    known_or,
)
from unjit.observe.entries.entry import open_entry
from unjit.observe.faults import known
from unjit.observe.functions.names import identifier
from unjit.observe.functions.sources import first_place
from unjit.observe.status.call_outcomes import Situation, outcome_of
from unjit.observe.status.giving_up import failure
from unjit.observe.status.history import History
from unjit.observe.status.still_looked_at import Attention, attention_to
from unjit.observe.targets.frames import as_passed, call_ahead, frame_of, gathering, hooks_ahead
from unjit.observe.targets.resolving import called_through, compiled_behind, resolve, users_name
from unjit.render.forms.notebook import ShownInFull
from unjit.render.forms.outline import fact, listed
from unjit.render.forms.places import file_name
from unjit.render.functions.answers import answer_text
from unjit.torch_private.cache import history, settings
from unjit.torch_private.cache.ahead_of_time import entries_of_ahead
from unjit.torch_private.cache.entries import RawEntry, entries_of, has_entries
from unjit.torch_private.cache.targets import compiled_call, is_compiled, is_torchs_wrapper
from unjit.torch_private.calling.callers import Caller, caller_of, same_matched_objects

_NEAREST = 1  # entries whose failing guards are advised on
_OF_ANOTHER = Message("it belongs to another torch.compile call, with another backend, options or region")
_NOT_ASKED = Message("since the original runs")


def why(function: Any, /, *args: Any, **kwargs: Any) -> Why:
    """What a call of `function` with these arguments would do under torch.compile, and why.

    `function` is a function, compiled function, method, module, partial or callable instance. The answer says which
    entry would run; for each other entry every guard that fails, with expected and actual value and the user's line; if
    none fits, what happens instead, and what to change. It holds for this moment: guards look at torch's settings too.

    Nothing is compiled or run by asking, and nothing changed but torch's counts of guards that failed. Raises BadCall
    if the arguments do not fit, BadTarget if the function has no Python code, Unsupported if this torch does not tell
    its entries.
    """
    if entries_of_ahead(function):
        return Why(answer_ahead(function, args, kwargs))
    asked, function = function, compiled_behind(function)
    resolved = resolve(function)
    ahead = _ahead(asked, function)
    entered, frame = _frame(function, args, kwargs, ahead)
    entries = entries_of(entered.__code__)
    if isinstance(entries, Unknown):
        raise Unsupported(f"cannot tell what a call would do: {entries.reason}")
    caller = caller_of(compiled_call(function))
    alive = [(index, raw) for index, raw in enumerate(entries) if raw.invalid is None]
    found = [asked_about(index, raw, entered, frame, _barred(raw, caller)) for index, raw in alive]
    counted = [raw for _, raw in alive if raw.kind != "precompiled" and same_matched_objects(raw.guard_manager, frame)]
    answers = tuple(answer for answer, _ in found)
    past = _past(entered.__code__, entries, caller)
    situation = Situation(
        entered.__code__, resolved.disabled, caller, answers, len(counted), *past, in_place=resolved.in_place
    )
    outcome, detail = outcome_of(situation)
    detail += _about_which_calls(function, entered, ahead, outcome)
    first = situation.fitting if outcome == "runs an entry" else None
    if first is not None and caller.guard_filter is not None:
        detail += _fewer_guards(caller.guard_filter)
    if first is not None:
        detail += _calls_at_breaks(entered.__code__, entries[first.index])
    wanted = first is None and _may_change(situation, outcome)
    advice = _advice(situation, found, gathering(entered.__code__)) if wanted else ()
    shown = _left_alone(situation) if outcome == "runs uncompiled" else situation.entries
    return Why(
        CallAnswer(
            function=Name(users_name(resolved)),
            place=first_place(entered.__code__),
            outcome=outcome,
            entry=None if first is None else first.index,
            detail=Message(detail),
            entries=shown,
            advice=tuple(Message(as_passed(entered.__code__, one)) for one in advice),
            not_known=tuple(_resumes(entries, first, resolved.qualname)),
        )
    )


class Why(ShownInFull):
    """The answer: `str()` is the text for people, `.data` all of it as frozen data."""

    def __init__(self, data: CallAnswer) -> None:
        self.data = data

    @property
    def entry(self) -> int | None:
        """The index of the entry that would run, in the order of `unjit.explain`; None if none fits."""
        return self.data.entry

    @property
    def outcome(self) -> Maybe[CallOutcome]:
        """`runs an entry`, `compiles`, `runs uncompiled` or `raises`.

        `Unknown` where an entry fits and torch (before 2.10) does not tell which backend it is of, with several in use.
        """
        return self.data.outcome

    def failed(self, index: int) -> tuple[FailedCondition, ...]:
        """Every guard of this entry that fails; KeyError if there is no such entry."""
        return {entry.index: entry.failed for entry in self.data.entries}[index]

    def __str__(self) -> str:
        return answer_text(self.data)

    def __repr__(self) -> str:
        named = (f"runs {entry.name}" for entry in self.data.entries if entry.index == self.entry)
        return f"<unjit.why {self.data.function}: {next(named, self.outcome)}>"


def _ahead(asked: Any, function: Any) -> str | None:
    """What a call of `asked` runs before it enters `function`, which it leads to; None if nothing."""
    if function is not asked and not is_torchs_wrapper(function):
        return "its decorator"
    return call_ahead(function)


def _about_which_calls(function: Any, entered: FunctionType, ahead: str | None, outcome: Maybe[CallOutcome]) -> str:
    """A sentence on the calls that the answer is about, where these are not simply those of `function`."""
    if ahead is not None:
        call = f"the call of {entered.__qualname__} by {ahead}"
        return f" This is about {call}, if that passes on what it gets and changes no setting, such as the grad mode."
    if hooks := hooks_ahead(function, entered):
        return _past_hooks(hooks)
    if not is_compiled(function) and outcome != "runs uncompiled":
        return " This is about calls of what torch.compile returned: a call of the original runs it as written."
    return ""


def _may_change(situation: Situation, outcome: Maybe[CallOutcome]) -> bool:
    """Whether advice can help: not where Dynamo is switched off, or has given the function up."""
    given_up = situation.attention.is_given_up is not False and outcome != "compiles"
    off = situation.disabled is not None or situation.caller.stance == "force_eager"
    return not (situation.doubtful or given_up or off)


def _frame(
    function: Any, args: tuple[Any, ...], kwargs: dict[str, Any], ahead: str | None
) -> tuple[FunctionType, dict[str, Any]]:
    try:
        return frame_of(called_through(function) or function, args, kwargs)
    except BadCall as error:
        if ahead is None:
            raise
        whose = ahead[0].upper() + ahead[1:]
        raise BadCall(f"{error}. {whose} stands before it: pass what that passes on") from None


def _past(code: CodeType, entries: list[RawEntry], caller: Caller) -> tuple[Attention, bool, str | None]:
    """What came of earlier calls: whether Dynamo still looks at `code`, has forgotten it, and how it failed last."""
    known, region = History.now([]), known_or(caller.region, None)
    attention = attention_to(code, entries, known, region)
    last = None if entries else known.last(code)
    is_forgotten = not entries and history.was_seen(code) is True and last is None
    return attention, is_forgotten and attention.now != "looks at it", None if last is None else failure(last)


def _past_hooks(hooks: int) -> str:
    ahead, leave = ("A hook runs", "it leaves") if hooks == 1 else (f"{hooks} hooks run", "they leave")
    kept = "arguments and module as they are, as those of FSDP do not"
    return f" {ahead} ahead of its forward: this holds where {leave} {kept}."


def _fewer_guards(by: Term) -> str:
    kept = "what those would have told goes unnoticed, and code runs that may no longer fit"
    return f" This torch.compile call leaves guards out (guard_filter_fn: {by}): {kept}."


def _barred(raw: RawEntry, caller: Caller) -> Maybe[Message] | None:
    may = caller.may_use(raw.live_backend, raw.region)
    return may if isinstance(may, Unknown) else None if may else _OF_ANOTHER


def _left_alone(situation: Situation) -> tuple[EntryAnswer, ...]:
    """The entries of a function of which the original runs: one that fits says why Dynamo does not look at it."""
    return tuple(replace(e, barred=_NOT_ASKED) if e.fits is True else e for e in situation.entries)


def _advice(
    situation: Situation, asked: list[tuple[EntryAnswer, list[Finding]]], gathered: dict[str, str]
) -> Iterator[str]:
    """What to change so that the entry fits that is nearest to it: the one with the fewest failing guards."""
    nearest = sorted((findings for _, findings in asked if findings), key=distance)[:_NEAREST]
    for findings in nearest:
        yield from advice_for(findings, (one for _, of_entry in asked for one in of_entry), gathered)
    of_the_call = "the recompile_limit that torch.compile was given"
    limit = settings.recompile_limit_name() if situation.caller.limit is None else of_the_call
    raised = f"Raise {limit} if so many entries are wanted"
    if situation.attention.is_limited:
        yield f"{raised}, and call torch._dynamo.reset(): nothing more is compiled of it before."
    elif situation.limit_reached is not None:
        yield f"{raised}."


def _calls_at_breaks(code: CodeType, raw: RawEntry) -> str:
    """A sentence on what may compile though the entry runs: what is called where a graph broke within that."""
    compiles = known("its breaks", lambda: History.now([]).of(code, [open_entry(raw).facts()]))
    made = [one for one in known_or(compiles, ()) if one.compile_id == raw.compile_id]
    lost = first_unknown(compiles, *(one.breaks for one in made))
    if lost is not None:
        return f" Whether it calls what may compile by itself is unknown: {lost.reason}."
    breaks = [found for one in made for found in known_or(one.breaks, ())]
    places = [place for found in breaks if (place := found.called_at) is not None]
    if not places:
        return ""
    lines = tuple(dict.fromkeys(f"{file_name(place)}:{fact(place.line)}" for place in places))
    return f" This says nothing of what it calls at {listed(lines)}, where its graph broke: that may compile by itself."


def _resumes(entries: list[RawEntry], first: EntryAnswer | None, known_as: str | None) -> Iterator[Name]:
    """The resume functions of the entry that would run, those that have entries, by their names in an explanation."""
    if first is None:
        return
    codes = (code for _, code in open_entry(entries[first.index]).resumes)
    yield from dict.fromkeys(Name(identifier(code, known_as)) for code in codes if has_entries(code) is not False)
