"""What broke and what was compiled again, in lines, of compiles that are told of one after the other."""

from __future__ import annotations

import itertools
import re
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass

from unjit.model import Compile, CudaGraphSkip, FailedGuard, GraphBreak, Message, Name, Place, Unknown, known_or
from unjit.render.forms.outline import count, fact, listed
from unjit.render.forms.places import where
from unjit.render.functions.compiles import (
    advice_on,
    advice_on_error,
    advice_on_skip,
    around,
    error_of,
    skipped_rest,
    without_callers,
)

_MOST_CALLERS = 3  # that are told of one break
_NUMBER = r"\b\d+\b"
_VALUE = re.compile(rf"{_NUMBER}|(?<=== )(['\"]).*\1$")  # a number, or the text that something is compared with
_MOST_ALIKE = 2  # entries that did not fit, each told in a line of its own
_MOST_NAMED = 6  # others that are named one by one where they are not in a row


@dataclass(frozen=True, slots=True)
class _Failure:
    """What ended compiles of a function, with the lines where it came up and what to do about it."""

    function: Name
    error: str
    lines: tuple[Place, ...]  # the innermost, and the program's own that led to it
    advice: tuple[str, str] | None


class Happened:
    """Keeps each break once, and what is said of the compiles: not the compiles themselves."""

    def __init__(self) -> None:
        self._met: dict[GraphBreak, list[str]] = {}  # with the numbers of the compiles that met it
        self._callers: dict[GraphBreak, dict[Place, None]] = {}  # the program's own lines that led to it, in order
        self._advice: dict[GraphBreak, Message | None] = {}
        self._again: list[str] = []
        self._failed: dict[_Failure, list[str]] = {}  # the same
        self._skips: dict[tuple[Name, CudaGraphSkip], dict[str, None]] = {}  # the same, each once

    def add(self, function: Name, compile_: Compile) -> None:
        """One compile of a function, by the function's key."""
        for found in known_or(compile_.breaks, ()):
            met, caller = without_callers(found), found.caller
            self._met.setdefault(met, []).append(fact(compile_.compile_id))
            self._callers.setdefault(met, {}).update({} if caller is None else {caller: None})
            self._advice.setdefault(met, advice_on(found))
        if compile_.outcome == "failed":
            above = () if compile_.failed_caller is None else (compile_.failed_caller,)
            lines = (*compile_.failed_at[-1:], *above)
            failure = _Failure(function, error_of(compile_), lines, advice_on_error(compile_))
            self._failed.setdefault(failure, []).append(fact(compile_.compile_id))
        for skip in compile_.cuda_graph_skips:
            self._skips.setdefault((function, skip), {}).setdefault(fact(compile_.compile_id))
        if compile_.failed_guards:
            self._again += _recompile(function, compile_)

    def break_lines(self) -> Iterator[str]:
        """Each graph break once, with the compiles that met it, and torch's hint or what helps more."""
        for found, compiles in self._met.items():
            yield f"  {found.reason}  [{', '.join(compiles)}]"
            yield f"    at {where(found.place)}"
            callers = list(self._callers[found])
            for number, caller in enumerate(callers[:_MOST_CALLERS]):  # of other compiles: none has called another
                yield f"    {'and' if number else 'called'} from {where(caller)}"
            if len(callers) > _MOST_CALLERS:
                yield f"    and from {count(len(callers) - _MOST_CALLERS, 'other line')}"
            yield from (f"    {sentence}" for sentence in skipped_rest(found))
            if advice := self._advice[found]:
                yield _told("hint" if advice == found.hint else "to do", advice)

    def failure_lines(self) -> Iterator[str]:
        """Each error that ended a compile, once for each function, with the compiles and the line where it came up."""
        for one, compiles in self._failed.items():
            yield f"  {one.function}  [{', '.join(compiles)}]: {textwrap.shorten(one.error, 300, placeholder=' …')}"
            yield from (f"    {led} {where(line)}" for led, line in zip(("at", "called from"), one.lines, strict=False))
            if one.advice is not None:
                yield _told(*one.advice)

    def skip_lines(self) -> Iterator[str]:
        """Why graphs run without CUDA graphs, each reason at each line once."""
        for (function, skip), compiles in self._skips.items():
            yield f"  {function}  [{', '.join(compiles)}]: {skip.reason}"
            if not isinstance(skip.place, Unknown):
                yield f"    at {where(skip.place)}"
            if advice := advice_on_skip(skip):
                yield _told("to do", advice)

    def recompile_lines(self) -> list[str]:
        """Each recompile with the guards that failed, one line for each entry that did not fit, or several alike."""
        return self._again


def _told(word: str, advice: str) -> str:
    """Advice in a line: of a hint of torch's less, as it says much at once."""
    return f"    {word}: {_first_sentences(advice, 160 if word == 'hint' else 300)}"


def _first_sentences(text: str, most: int) -> str:
    """Those that fit into so many characters; of a first one that does not, up to 300."""
    all_of_it = " ".join(text.split())
    ends = [found.start() for found in re.finditer(r"(?<=[.!?])(?<!e\.g\.)(?<!i\.e\.)(?= [A-Z`])|$", all_of_it)]
    kept = max((end for end in ends if end <= most), default=ends[0])
    told = textwrap.shorten(all_of_it[:kept], 300, placeholder=" …")
    return told if kept == len(all_of_it) or told.endswith("…") else f"{told} …"


def _recompile(function: Name, compile_: Compile) -> Iterator[str]:
    guards = compile_.failed_guards
    told = f": {guards}" if isinstance(guards, Unknown) else ""
    yield "  ".join([f"  {function}", f"[{fact(compile_.compile_id)}]{told}", *around([compile_]), *came_to(compile_)])
    for one in () if isinstance(guards, Unknown) else alike(guards):
        yield from map(_failed, one.guards)
        if one.others:
            yield f"    {one.others}"


def came_to(compile_: Compile) -> Iterator[str]:
    """What became of a compile that made no entry."""
    if compile_.is_refused:
        yield "refused: the recompile limit was reached"
    elif compile_.outcome == "failed":
        yield "failed"
    elif compile_.outcome == "skipped":
        yield "given up, the original ran"


@dataclass(frozen=True, slots=True)
class Alike:
    """Guards next to each other that say the same but for a value, as where a size grows call by call."""

    guards: tuple[FailedGuard, ...]  # those that are told one by one
    others: str  # what is said of the rest; empty where there is none


def alike(guards: tuple[FailedGuard, ...]) -> Iterator[Alike]:
    """The guards that failed at a compile, in the order in which its entries were tried, those alike together."""
    for _, group in itertools.groupby(guards, lambda guard: (_VALUE.sub("0", guard.condition), guard.cause)):
        found = tuple(group)
        few = len(found) <= _MOST_ALIKE
        yield Alike(found if few else found[:1], "" if few else _others(found))


def _others(alike: tuple[FailedGuard, ...]) -> str:
    others = [fact(guard.entry) for guard in alike[1:]]
    several = f"{', '.join(others[:-1])} and {others[-1]}" if len(others) <= _MOST_NAMED else listed(others)
    entries = f"{others[0]} to {others[-1]}" if _in_a_row(others) else several
    return f"{entries} did not fit: the same{_difference(alike)}"


def _in_a_row(entries: list[str]) -> bool:
    """Whether three or more follow each other, as `0/4`, `0/3`, `0/2`: an entry that ran comes before older ones."""
    numbers = [int(entry.rpartition("/")[2]) for entry in entries if entry.rpartition("/")[2].isdecimal()]
    steps = {one - other for one, other in itertools.pairwise(numbers)}
    return len(entries) > 2 and len(numbers) == len(entries) and steps in ({1}, {-1})


def _difference(alike: tuple[FailedGuard, ...]) -> str:
    conditions = {re.sub(_NUMBER, "0", guard.condition) for guard in alike}
    if len({guard.condition for guard in alike}) == 1:
        return ""
    return " with other numbers" if len(conditions) == 1 else " with other values"


def _failed(guard: FailedGuard) -> str:
    place = "" if guard.cause is None or isinstance(guard.cause, Unknown) else f"  ({where(guard.cause)})"
    return f"    {fact(guard.entry)} did not fit: {guard.told}{place}"
