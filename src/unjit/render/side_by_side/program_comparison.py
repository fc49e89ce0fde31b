"""The answer of `unjit compare` as text."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import groupby
from typing import Final

from unjit.model import CallComparison, Comparison, ProgramComparison, Unknown
from unjit.render.forms.outline import count
from unjit.render.forms.places import where
from unjit.render.side_by_side.comparison import NO_GRAPH, called_no_graph, comparison_lines

_PROGRAM: Final = "unjit: the program"


def program_comparison_text(found: ProgramComparison) -> str:
    """Each function with what its calls gave, the first that differs of each in full; in the last line the verdict."""
    return "\n".join(_lines(found))


def _lines(found: ProgramComparison) -> Iterator[str]:
    yield from (f"unjit: {problem}" for problem in found.problems)
    if found.ended is not None:
        yield f"{_PROGRAM} ended {found.ended}"
    if not found.calls:
        yield "unjit: nothing was compared: no call of a compiled function was seen"
        return
    rest = _rest(found)
    yield f"unjit: compared {count(len(found.calls), 'call')} of compiled functions{rest}"
    yield from (line for call in _in_order(found) for line in call)
    yield _verdict(found)


def _rest(found: ProgramComparison) -> str:
    if isinstance(found.uncompared, Unknown) or found.uncompared == 0:
        return ""
    return f"; {found.uncompared:,} more {'was' if found.uncompared == 1 else 'were'} not (--calls N compares more)"


def _in_order(found: ProgramComparison) -> Iterator[list[str]]:
    """One line for calls of a function that follow each other and agree; its first that differs is told in full."""
    firsts: dict[object, CallComparison] = {}
    for call in found.calls:
        if _parts(call):
            firsts.setdefault((call.function, call.place), call)
    told_in_full = {id(call) for call in firsts.values()}

    def alike(call: CallComparison) -> tuple[object, ...]:
        return call.function, call.place, _summary(call), id(call) in told_in_full

    for _, calls in groupby(found.calls, alike):
        same = list(calls)
        one, other = same[0].call + 1, same[-1].call + 1
        numbers = f"call {one}" if one == other else f"calls {one} to {other}"
        place = "" if isinstance(same[0].place, Unknown) else f" ({where(same[0].place)})"
        yield [f"  {same[0].function}{place}, {numbers}: {_summary(same[0])}"]
        if id(same[0]) in told_in_full and not isinstance(same[0].answer, Unknown):
            yield [f"  {line}" for line in comparison_lines(same[0].answer)]


def _parts(call: CallComparison) -> bool:
    answer = call.answer
    return not isinstance(answer, Unknown) and (answer.first is not None or bool(answer.unsteady))


def _summary(call: CallComparison) -> str:
    answer = call.answer
    if isinstance(answer, Unknown):
        return f"could not be compared: {answer.reason}"
    if answer.unsteady:
        return "eager differs from itself"
    if answer.first is not None:
        return _parting(answer)
    known = [trial for trial in answer.trials if trial.outcome != "unknown"]
    names = ", ".join(f"{trial.backend}{'' if trial.graphs else ' (without a graph)'}" for trial in known)
    rest = "".join(f"; unknown in {trial.backend}: {trial.error}" for trial in answer.trials if trial not in known)
    return f"the same in {names}{rest}"


def _parting(answer: Comparison) -> str:
    told = [f"{trial.backend} {trial.outcome}" for trial in answer.trials if trial.outcome != "same"]
    return ", ".join(told)


def _verdict(found: ProgramComparison) -> str:
    first = found.first
    if first is None or isinstance(first.answer, Unknown):
        whole = all(not isinstance(call.answer, Unknown) and call.answer.whole for call in found.calls)
        answers = [call.answer for call in found.calls if not isinstance(call.answer, Unknown)]
        bare = NO_GRAPH if answers and all(map(called_no_graph, answers)) else ""
        rest = "" if whole else " Not every call could be compared."
        return f"All that was compared agrees with eager.{bare}{rest}"
    at = f"{first.function}, call {first.call + 1}"
    if first.answer.unsteady:
        return f"The program is not deterministic: in {at}, eager does not agree with itself."
    assert first.answer.first is not None
    return f"The first that does not agree with eager: {first.answer.first.backend}, in {at}."
