"""What Dynamo does with a call, once it is known which entries fit."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from inspect import CO_GENERATOR
from types import CodeType
from typing import Final

from unjit.model import CallOutcome, EntryAnswer, Maybe, Message, Unknown
from unjit.observe.status.reasons import NOT_IN_PLACE, NOT_REMEMBERED
from unjit.observe.status.still_looked_at import Attention
from unjit.torch_private.cache import settings
from unjit.torch_private.cache.history import was_delayed
from unjit.torch_private.calling.callers import Caller

Outcome = tuple[Maybe[CallOutcome], str]


@dataclass(frozen=True, slots=True)
class Situation:
    """All that decides about a call."""

    code: CodeType
    disabled: str | None  # why Dynamo is switched off for the function; None if it is not
    caller: Caller
    entries: tuple[EntryAnswer, ...]
    counted: int  # entries that count against the limit for this call
    attention: Attention
    forgotten: bool  # Dynamo looked at it, and there is neither an entry nor a compile that is remembered
    failed: str | None  # how the last compile failed, where there is no entry
    in_place: bool = False  # whether the call is of a module that was compiled in place

    @property
    def fitting(self) -> EntryAnswer | None:
        """The entry that would run."""
        first = next(self._that_fit(), None)
        return None if first is None or isinstance(first.barred, Unknown) else first

    @property
    def doubtful(self) -> EntryAnswer | None:
        """An entry that would run if Dynamo looks at it, which is not known."""
        first = next(self._that_fit(), None)
        return first if first is not None and isinstance(first.barred, Unknown) else None

    def _that_fit(self) -> Iterator[EntryAnswer]:
        return (e for e in self.entries if e.fits is True and (e.barred is None or isinstance(e.barred, Unknown)))

    @property
    def limit_reached(self) -> int | None:
        """The limit of entries that a compile would exceed now; None if it would not."""
        limit = settings.recompile_limit() if self.caller.limit is None else self.caller.limit
        for number, most in ((self.counted, limit), (len(self.entries), settings.accumulated_limit())):
            if isinstance(most, int) and number >= most:
                return most
        return None

    @property
    def unfit(self) -> str:
        """The beginning of a sentence: that no entry fits."""
        many = f"None of its {len(self.entries)} entries fits"
        return many if self.entries[1:] else "Its entry does not fit" if self.entries else "It has no entries"


def outcome_of(situation: Situation) -> Outcome:
    """What a call would do, and the sentence that says it."""
    for rule in _RULES:
        found = rule(situation)
        if found is not None:
            return found
    sentence = f"{situation.unfit}, so the call would compile {'another' if situation.entries else 'it'}."
    if situation.caller.stance == "aot_eager_then_compile" and was_delayed(situation.code) is not True:
        sentence += f" {_stance(situation)} has the first call of each function compile it on aot_eager."
    if situation.failed is not None:
        sentence += f" The last compile failed ({situation.failed})."
    return "compiles", sentence


def _switched_off(situation: Situation) -> Outcome | None:
    if situation.disabled is not None:
        return "runs uncompiled", "torch.compiler.disable switched Dynamo off for it."
    if situation.caller.stance == "force_eager":
        return "runs uncompiled", f"{_stance(situation)} switches Dynamo off."
    return None


def _given_up(situation: Situation) -> Outcome | None:
    """Without fullgraph=True a call runs the original from then on; with it, torch may raise, or did not give up."""
    attention, fullgraph = situation.attention, situation.caller.fullgraph
    known, why = attention.is_given_up, attention.why
    if known is False:
        return None
    if fullgraph is False or (known is True and fullgraph is not True):
        asked = ", and no entry is asked" if situation.entries else ""
        return "runs uncompiled", f"{why}: the original runs{asked}."
    if known is True:
        return _runs_original(situation, f"{why}: the original runs")
    if fullgraph is True:
        return None
    return known, f"{why}, and the original runs, unless that was of a call with fullgraph=True, which would go on."


def _runs_original(situation: Situation, sentence: str) -> Outcome:
    """Newer versions of torch let a call with fullgraph=True end in an error where nothing compiled has run in it."""
    if situation.caller.fullgraph is not True or not settings.raises_without_compiled_code():
        return "runs uncompiled", f"{sentence}."
    sentence += ", and then torch raises for fullgraph=True, unless something that it calls is compiled."
    return Unknown(Message(sentence)), sentence


def _of_a_generator(situation: Situation) -> Outcome | None:
    """On Python 3.10 its code begins after the call, where Dynamo does not look for it."""
    if not situation.code.co_flags & CO_GENERATOR:
        return None
    is_refused = sys.version_info >= (3, 11) or settings.raises_without_compiled_code()
    if situation.caller.fullgraph is True and is_refused:
        return "raises", "Dynamo compiles no generators, which fullgraph=True makes an error."
    return "runs uncompiled", "Dynamo compiles no generators: the original runs."


def _forgotten(situation: Situation) -> Outcome | None:
    if not situation.forgotten:
        return None
    sentence = f"{NOT_REMEMBERED}: where it found no tensors, the original runs."
    return Unknown(Message(sentence)), sentence


def _by_fewer_guards(situation: Situation) -> Outcome | None:
    if not situation.caller.skips_guards:
        return None
    stance = "torch.compiler.set_stance(skip_guard_eval_unsafe=True)"
    if not situation.entries:
        return "raises", f"It has no entries, and {stance} makes a compile an error."
    sentence = (
        f"{stance} has Dynamo ask only those guards that tell its entries apart: which entry runs is not known, and "
        "where none fits, that is an error."
    )
    return Unknown(Message(sentence)), sentence


def _fits(situation: Situation) -> Outcome | None:
    fitting = situation.fitting
    if fitting is None:
        return None
    if not fitting.failed:
        return "runs an entry", f"It would run {fitting.name}."
    failing = f"though {len(fitting.failed)} of its guards fail{'s' * (len(fitting.failed) == 1)}"
    rule = "this torch asks none on a module whose dicts have not changed, which a tensor changed in place leaves alone"
    return "runs an entry", f"It would run {fitting.name}, {failing}: {rule}."


def _doubtful(situation: Situation) -> Outcome | None:
    entry = situation.doubtful
    if entry is None:
        return None
    assert isinstance(entry.barred, Unknown)
    sentence = f"{entry.name.capitalize()} fits, if it is of this call's backend."
    return entry.barred, f"{sentence} That is not known: {entry.barred.reason}."


def _never_begins(situation: Situation) -> Outcome | None:
    rule = None if situation.entries else settings.skip_rule(situation.code)
    if rule is None:
        return None
    after = f": {NOT_IN_PLACE}" if situation.in_place else "."
    return "runs uncompiled", f"Dynamo never begins a compile at it ({rule}){after}"


def _delayed(situation: Situation) -> Outcome | None:
    """Under this stance Dynamo compiles nothing at the first call, which fullgraph=True does not mind."""
    if situation.caller.stance != "eager_then_compile" or situation.attention.is_limited:
        return None
    delayed, rule = was_delayed(situation.code), f"{_stance(situation)} runs the first call of each function uncompiled"
    if isinstance(delayed, Unknown):
        return delayed, f"{situation.unfit}, and {rule}; whether this is the first is not known."
    return None if delayed else ("runs uncompiled", f"{situation.unfit}, and {rule}.")


def _by_mode(situation: Situation) -> Outcome | None:
    if not settings.is_under_dispatch_mode():
        return None
    sentence = f"{situation.unfit}, and Dynamo compiles nothing under a TorchDispatchMode: the original runs"
    return _runs_original(situation, sentence)


def _by_stance(situation: Situation) -> Outcome | None:
    if situation.caller.stance == "eager_on_recompile":
        return "runs uncompiled", f"{situation.unfit}, and {_stance(situation)} compiles nothing more."
    if situation.caller.stance == "fail_on_recompile":
        return "raises", f"{situation.unfit}, and {_stance(situation)} makes a compile an error."
    return None


def _by_limit(situation: Situation) -> Outcome | None:
    if situation.attention.is_limited:
        return _runs_original(situation, f"{situation.unfit} and the limit was reached: it would run uncompiled")
    if situation.limit_reached is None:
        return None
    reached = f"{situation.unfit} and the limit of {situation.limit_reached} is reached"
    if situation.caller.fullgraph is True:
        return "raises", f"{reached}: with fullgraph=True that is an error."
    if settings.raises_at_limit():
        return "raises", f"{reached}, which torch._dynamo.config.fail_on_recompile_limit_hit makes an error."
    return "runs uncompiled", f"{reached}: it would run uncompiled."


def _by_setting(situation: Situation) -> Outcome | None:
    if not situation.entries or not settings.raises_on_recompile():
        return None
    return "raises", f"{situation.unfit}, and torch._dynamo.config.error_on_recompile makes a recompile an error."


def _stance(situation: Situation) -> str:
    return f'torch.compiler.set_stance("{situation.caller.stance}")'


_RULES: Final[tuple[Callable[[Situation], Outcome | None], ...]] = (
    _switched_off,
    _never_begins,
    _given_up,
    _by_fewer_guards,
    _fits,
    _doubtful,
    _delayed,
    _by_mode,
    _by_stance,
    _by_limit,
    _by_setting,
    _of_a_generator,
    _forgotten,
)
