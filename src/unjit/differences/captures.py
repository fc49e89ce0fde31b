"""Two captures: what changed in functions, compiles, breaks, entries, guards, code, graphs and kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator

from unjit.differences.compiles import compile_changes, entry_changes, line
from unjit.differences.pairing import Pair, compiles_of, pairs
from unjit.differences.renames import renames
from unjit.differences.steady import steady
from unjit.model import (
    Capture,
    CapturedCompile,
    CaptureDifference,
    Change,
    Entry,
    FilePath,
    Function,
    Generated,
    Maybe,
    Message,
    Term,
    TimeDifference,
    Unknown,
)


def of_captures(first: Capture, second: Capture, *, names: tuple[str, str], within: str = "") -> CaptureDifference:
    """What differs between the captures of two processes; `within` begins the paths."""
    one, other = steady(first, second), steady(second, first)
    found = pairs(one.report.functions, other.report.functions)
    met = [change for pair in found for change in _function(pair, one, other, within)]
    return CaptureDifference(
        first=FilePath(names[0]),
        second=FilePath(names[1]),
        changes=tuple(change for change in met if not _reasons(change)),
        times=tuple(time for pair in found for time in _times(pair, one, other, within)),
        notes=(*renames(found, one, other), *_notes(one, other), *_not_compared(met)),
    )


def _reasons(change: Change) -> Iterable[tuple[str, Unknown]]:
    """Why a change could not be compared, by the side that is unknown; nothing if one side has no such thing."""
    if change.first is None or change.second is None:
        return []
    sides = (("first", change.first), ("second", change.second))
    return [(which, fact) for which, fact in sides if isinstance(fact, Unknown)]


def _not_compared(changes: list[Change]) -> Iterator[Message]:
    lacking = {(change.topic, which, fact, change.path) for change in changes for which, fact in _reasons(change)}
    found = Counter((topic, which, fact) for topic, which, fact, _ in sorted(lacking, key=str))
    for (topic, which, fact), number in found.items():
        yield Message(f"{topic} not compared: {number}, {fact} in the {which}")


def _function(pair: Pair, one: Capture, other: Capture, within: str) -> Iterator[Change]:
    mine, yours = pair
    known = mine or yours
    assert known is not None, "a pair has at least one"
    path = f"{within}{known.key}"
    if mine is None or yours is None:
        yield Change("functions", Term(path), _state(mine), _state(yours))
        return
    if mine.status.state != yours.status.state:
        yield Change("functions", Term(path), _known_state(mine), _known_state(yours))
    for number, (left, right) in _compiles(pair, one, other).items():
        yield from compile_changes(f"{path}/compile_{number}", left, right)
    made = _numbers_of_compiles(mine, one), _numbers_of_compiles(yours, other)
    for name in dict.fromkeys([*made[0], *made[1]]):
        yield from entry_changes(f"{path}/{name}", made[0].get(name), made[1].get(name))


def _state(function: Function | None) -> Generated | None:
    if function is None:
        return None
    entries = f"entries: {len(function.entries)}"
    return line(f"{function.status.state}, {entries}")


def _known_state(function: Function) -> Maybe[Generated] | None:
    state = function.status.state
    return state if isinstance(state, Unknown) else _state(function)


def _compiles(pair: Pair, one: Capture, other: Capture) -> dict[int, tuple[CapturedCompile | None, ...]]:
    """The compiles of a function in both captures, paired by number; one of a pair may be missing."""
    sides = [
        {found.number: found for found in compiles_of(function, capture)}
        for function, capture in zip(pair, (one, other), strict=True)
    ]
    return {number: tuple(side.get(number) for side in sides) for number in sorted({*sides[0], *sides[1]})}


def _numbers_of_compiles(function: Function, capture: Capture) -> dict[str, Entry]:
    """The entries of a function, by the compiles that made them: the order in which they are tried is another."""
    numbers = {one.compile.compile_id: one.number for one in compiles_of(function, capture)}
    found, older = {}, 0
    for entry in function.entries:
        if entry.compile_id in numbers:
            found[f"compile_{numbers[entry.compile_id]}"] = entry
        else:
            found[f"older_entry_{older}"] = entry
            older += 1
    return found


def _times(pair: Pair, one: Capture, other: Capture, within: str) -> Iterator[TimeDifference]:
    for number, (left, right) in _compiles(pair, one, other).items():
        known = left or right
        assert known is not None, "a number comes from one of the two"
        yield TimeDifference(
            Term(f"{within}{known.function}/compile_{number}"),
            None if left is None else left.compile.seconds,
            None if right is None else right.compile.seconds,
        )


def _notes(one: Capture, other: Capture) -> Iterator[Message]:
    for what, mine, yours in (
        ("torch", one.report.torch_version, other.report.torch_version),
        ("Python", one.report.python_version, other.report.python_version),
    ):
        if mine != yours:
            yield Message(f"{what} {mine} in the first, {yours} in the second")
    for which, capture in (("first", one), ("second", other)):
        if not capture.finished:
            yield Message(f"the {which} was not finished: what is known at the end of a run is missing in it")
        yield from (Message(f"the {which} lacks: {loss}") for loss in capture.report.losses)
    for which, capture in (("first", one), ("second", other)):
        left_out = [text for found in capture.compiles for text in found.artifacts if isinstance(text.text, Unknown)]
        if left_out:
            yield Message(
                f"{len(left_out)} texts of the {which} were left out of it ({left_out[0].text}) and not compared"
            )
