"""What Dynamo does with a function, and the reason when there is nothing to show."""

from __future__ import annotations

from dataclasses import dataclass
from inspect import CO_GENERATOR
from types import CodeType
from typing import Final

from unjit.model import Maybe, Message, Name, State, Status, Unknown, headline
from unjit.model.explained.compiles import hits_limit
from unjit.model.words.sources import as_written
from unjit.model.words.wording import object_gone
from unjit.observe.status.giving_up import AT_A_BREAK, ends_at_a_break, gives_up
from unjit.observe.status.returning import only_returns
from unjit.observe.status.still_looked_at import Attention
from unjit.torch_private.cache import history, settings
from unjit.torch_private.cache.entries import RawEntry
from unjit.torch_private.cache.history import RawCompile
from unjit.torch_private.cache.targets import is_of_an_operator

NOT_REMEMBERED = "Dynamo looked at it and made no entry; torch does not remember why"
NOT_IN_PLACE = (
    "module.compile() compiles no forward of torch's own in this torch, only parts with a forward of yours, each by"
    " itself. Call what torch.compile(module) returns."
)
_SHARED = "All that torch wraps share it: a compile or an entry that it tells of may be another's."
_LEFT_ALONE = (
    "If a call has no tensor or module among its arguments and variables, Dynamo leaves it alone from then on;"
    " it does not look into plain objects, such as dataclasses."
)
_LOOK_AGAIN = "torch._dynamo.reset() makes Dynamo look again."
_NOTHING_IN_A_CALL = (
    "A call in which there are no tensor operations ends it for all others: find out before the call whether there are "
    "any, outside of what is compiled, or let that call compute something too."
)
_NEVER = (
    "Dynamo has not looked at it since this process started, or since torch._dynamo.reset().",
    "Call what torch.compile returned. What compiled functions alone call is traced as a part of them: explain those.",
)
_MOST_PARTS = 5  # that are named
_NO_TENSORS = (
    "Dynamo traced it and found no tensor operations, so there is nothing to compile and the original runs.",
    "Nothing, if it never has tensors. Calls with tensors run uncompiled too, until torch._dynamo.reset().",
)
_NOTHING_MADE = (
    "Dynamo made nothing of it, and the original runs: it found no tensor operations, or a graph break in a loop.",
    (
        "Calls with tensors run uncompiled too, until torch._dynamo.reset(). If it broke, put what computes there into "
        "a function, which is then compiled by itself. `unjit run` tells which it was: torch does not remember."
    ),
)
_GENERATOR = (
    "Dynamo compiles no generators: the original runs.",
    "Compile what it calls, or what calls it: called from a compiled function it is traced as a part of that.",
)
_ONLY_RETURNS = "It only returns: Dynamo has nothing to compile in it, and the original runs."
_REMOVED = (
    "Dynamo compiled it, but no entry is left: the values that an entry depended on are gone, or it was reset.",
    "Call it again, then ask again.",
)
COMPILED_AHEAD: Final = Status(
    "compiled",
    Message("aot_compile compiled it: what that returned runs it, calls of the function do not."),
    None,
)


@dataclass(frozen=True, slots=True)
class WayIn:
    """How a call of a function gets to Dynamo, where that never begins a compile at its own code."""

    through: Name | None = None  # the wrapper of torch's that calls it, where Dynamo has begun at that
    is_wrapped: bool = False  # whether there is such a wrapper
    in_place: bool = False  # whether it is the forward of a module that was compiled in place, without such a wrapper
    apart: tuple[str, ...] = ()  # the parts of the module that are compiled by themselves, and have no entries here

    def beside(self, other: WayIn) -> WayIn:
        """Both ways, where a function is the target of several questions."""
        is_wrapped, in_place = self.is_wrapped or other.is_wrapped, self.in_place or other.in_place
        apart = tuple(dict.fromkeys((*self.apart, *other.apart)))
        return WayIn(self.through or other.through, is_wrapped=is_wrapped, in_place=in_place, apart=apart)


def _parts_apart(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _MOST_PARTS} more" if len(names) > _MOST_PARTS else ""
    told = ", ".join(names[:_MOST_PARTS])
    return f"These of its parts are compiled by themselves: {told}{more}. Explain each: module.{names[0]}."


def status_with_entries(code: CodeType, entries: list[RawEntry], attention: Attention) -> Status:
    """For a function that has entries, which Dynamo may ask no more."""
    if attention.is_given_up is not False:
        return _given_up(len(entries), attention)
    invalid = [entry.invalid for entry in entries if entry.invalid is not None]
    if len(invalid) == len(entries):
        why = as_written(invalid[0])
        return _status(
            "invalidated", f"No entry is left: {object_gone(why) or why}", "The next call compiles it again."
        )
    if attention.is_limited:
        return _limited(len(entries))
    # With more entries than the limit is now, another one held when they were made, or they count for several objects.
    if len(entries) - len(invalid) == settings.recompile_limit() and not is_of_an_operator(code):
        detail = f"It has {len(entries)} entries, which is the limit: a call that fits none of them {_at_limit()}"
        detail += ", unless torch.compile was given another limit."
        advice = f"See below why it recompiled; {settings.recompile_limit_name()} raises the limit."
        return _status("recompile limit", detail, advice)
    return Status("compiled", None, None)


def _at_limit() -> str:
    if settings.raises_at_limit():
        return "raises (torch._dynamo.config.fail_on_recompile_limit_hit)"
    return "runs uncompiled, or raises where it is made with fullgraph=True"


def status_without_entries(
    code: CodeType, disabled: str | None, last: RawCompile | None, attention: Attention, way: WayIn
) -> Status:
    """For a function that has none: the reason, from the most certain sign to the least."""
    if disabled is not None:
        why = f" ({disabled})" if disabled else ""
        return _status("skipped", f"torch.compiler.disable switched Dynamo off for it{why}.", "Remove it to compile.")
    if last is not None and not (attention.is_given_up is True and attention.compile is None):
        return _after(last, attention.is_given_up)
    seen = history.was_seen(code)
    rule = settings.skip_rule(code)
    if rule is not None:
        return _never_begun(rule, way, settings.is_followed(code))
    if code.co_flags & CO_GENERATOR:
        return _status("skipped", *_GENERATOR)
    if seen is False or (isinstance(seen, Unknown) and "not imported" in seen.reason):
        return _status("never ran", _NEVER[0], _parts_apart(way.apart) if way.apart else _NEVER[1])
    if isinstance(seen, Unknown):
        return Status(seen, None, Message("Call the function that torch.compile returned, then ask again."))
    if attention.is_given_up is True and only_returns(code):
        return Status("skipped", Message(_ONLY_RETURNS), None)
    if attention.is_given_up is True:
        return _status("skipped", f"{attention.why}: the original runs.", f"{_LEFT_ALONE} {_LOOK_AGAIN}")
    return Status(Unknown(Message(NOT_REMEMBERED)), None, Message(_LEFT_ALONE))


def _never_begun(rule: str, way: WayIn, is_followed: bool) -> Status:
    """For a function at which Dynamo never begins, by a rule of its own. Some of them it does not follow either."""
    if way.is_wrapped and way.through is None:
        return _status("never ran", *_NEVER)
    followed = "; it is traced as a part of what calls it" if is_followed else ""
    detail = f"Dynamo never begins a compile at it ({rule}){followed}."
    if way.through is not None:
        advice = f"See {way.through} below, which calls it. {_SHARED}"
        return _status("skipped", detail, f"{advice} {NOT_IN_PLACE}" if way.in_place else advice)
    return _status("skipped", detail, NOT_IN_PLACE if way.in_place else "Explain the function that calls it.")


def _given_up(entries: int, attention: Attention) -> Status:
    entry = "its entry no longer runs" if entries == 1 else f"its {entries} entries no longer run"
    detail = f"{attention.why}. From then on the original runs, and {entry}."
    advice = _LOOK_AGAIN if attention.compile is None else f"{_of_the_compile(attention.compile)} {_LOOK_AGAIN}"
    if attention.is_given_up is True:
        return _status("skipped", detail, advice)
    doubt = "if that compile was of a call with fullgraph=True, that raised, and nothing is given up"
    return Status(Unknown(Message(doubt)), Message(f"{detail} But {doubt}."), Message(advice))


def _of_the_compile(compile_: RawCompile) -> str:
    return _NOTHING_IN_A_CALL if compile_.error is None else "See below for that compile."


def _limited(entries: int) -> Status:
    has = "It has 1 entry" if entries == 1 else f"It has {entries} entries"
    detail = f"{has} and reached the limit: a call that fits none of them runs uncompiled."
    advice = f"See below why it recompiled; {settings.recompile_limit_name()} raises the limit, which counts"
    return _status("recompile limit", detail, f"{advice} from torch._dynamo.reset() on.")


def _after(last: RawCompile, is_given_up: Maybe[bool]) -> Status:
    if last.error is not None:
        if hits_limit(last.error):
            return _status("recompile limit", headline(last.error), "See below why it recompiled.")
        if ends_at_a_break(last, is_given_up):
            return _status("skipped", *AT_A_BREAK)
        detail = f"The last compile failed: {headline(last.error)}"
        if gives_up(last) is False or is_given_up is False:
            return _status("failed", detail, "The error came out of the call; the next call compiles it again.")
        place = " See below for the place." if last.error_place else ""
        if is_given_up is True:
            return _status("failed", detail, f"The original runs, uncompiled.{place} {_LOOK_AGAIN}")
        advice = "With fullgraph=True the call raised; without, the original runs uncompiled."
        return _status("failed", detail, advice + place)
    if not last.has_code:
        detail = "Dynamo made no code for it: it found no tensor operations, or gave the frame up. The original runs."
        return _status("skipped", detail, "See below for its graph breaks, if there were any.")
    if last.has_guards:
        return _status("compiled", *_REMOVED)
    return _status("skipped", *(_NO_TENSORS if history.notes_breaks_in_loops() else _NOTHING_MADE))


def _status(state: State, detail: str, advice: str) -> Status:
    return Status(state, Message(detail), Message(advice))
