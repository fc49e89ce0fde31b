"""Compile ids that are the same in each run of the same program.

Dynamo counts frames in the order in which threads arrive, over all of a process and anew after each reset. In the files
of a capture the frames are numbered in the order of the index instead; run.json has torch's own numbers.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Final

from unjit.model import (
    Capture,
    CapturedCompile,
    Compile,
    CompileId,
    Entry,
    FailedGuard,
    Function,
    Maybe,
    Message,
    Name,
    Run,
    Status,
    Unknown,
)

_ID: Final = r"(?:!(?P<autograd>\d+)/)?(?P<frame>\d+)/(?P<compile>\d+)"  # as a CompileId prints
_WORD: Final = re.compile(_ID)
_GIVEN_UP: Final = re.compile(rf"(?<= gave it up \(compile ){_ID}(?: \((?P<resets>\d+) resets? ago\))?(?=, )")


def stable(capture: Capture) -> Capture:
    """The capture with ids that are the same in each run."""
    keys = [function.key for function in capture.report.functions]
    return with_ids(capture, stable_ids(keys, capture.compiles, capture.run))


def stable_ids(keys: Iterable[Name], compiles: Iterable[CapturedCompile], run: Run | None) -> Ids:
    """The stable ids for torch's, where these are all functions, in the order of the index.

    Without `run`, torch's own are not known, and the ids are stable already.
    """
    if run is None:
        return Ids({})
    frames = {key: at for at, key in enumerate(keys)}
    torch_ids = {one.path: one.compile_id for one in run.compiles}
    found = (
        (torch_ids[one.path], frames[one.function])
        for one in compiles
        if one.path in torch_ids and one.function in frames
    )
    return numbered(found, len(frames))


def numbered(compiles: Iterable[tuple[CompileId, int]], functions: int) -> Ids:
    """The stable ids for torch's, from each compile's and the place of its function among so many.

    A frame keeps torch's numbers, after those of the frames that the function had before a reset: compiles from before
    the capture are counted as well, as their entries may be alive, and named where one did not fit.
    """
    captured: dict[tuple[int, int, int], dict[int, CompileId]] = defaultdict(dict)  # of each frame, the oldest first
    for own, place in compiles:
        captured[place, -own.resets, own.frame][own.compile] = own
    new: dict[CompileId, CompileId] = {}
    numbered_before: Counter[int] = Counter()  # compiles of each function, in its older frames
    for (place, minus_resets, frame), of_frame in sorted(captured.items()):
        count = max(of_frame) + 1
        for number in range(count):
            own = of_frame.get(number) or CompileId(frame, number, resets=-minus_resets)
            new[own] = CompileId(place, numbered_before[place] + number, None if own.autograd is None else 0)
        numbered_before[place] += count
    return Ids(new, functions)


def with_ids(capture: Capture, ids: Ids) -> Capture:
    """The capture with these ids in place of its own."""
    functions = tuple(_function(function, ids) for function in capture.report.functions)
    compiles = tuple(ids.in_compile(one) for one in capture.compiles)
    return replace(capture, report=replace(capture.report, functions=functions), compiles=compiles)


class Ids:
    """New ids by the old ones, and by the words that recompile reasons have for them.

    An id that is not among them, of a function of which no compile was captured, has a frame that is moved by `apart`:
    to after those of all functions, or back.
    """

    def __init__(self, new: Mapping[CompileId, CompileId], apart: int = 0) -> None:
        self._new = new
        self._apart = apart

    def inverse(self) -> Ids:
        """The old ids by the new ones."""
        return Ids({new: old for old, new in self._new.items()}, -self._apart)

    def in_compile(self, captured: CapturedCompile) -> CapturedCompile:
        """A compile with the new ids."""
        return replace(captured, compile=_compile(captured.compile, self))

    def in_entry(self, entry: Entry) -> Entry:
        """An entry with the new ids."""
        return replace(entry, compile_id=self.of(entry.compile_id))

    def of(self, compile_id: Maybe[CompileId]) -> Maybe[CompileId]:
        """The new id."""
        if isinstance(compile_id, Unknown):
            return compile_id
        return self._new.get(compile_id) or replace(compile_id, frame=compile_id.frame + self._apart)

    def named(self, word: Maybe[Name], beside: Maybe[CompileId]) -> Maybe[Name]:
        """The entry that did not fit is named without resets: it is of the same life of Dynamo as the compile."""
        if isinstance(word, Unknown) or isinstance(beside, Unknown):
            return word
        match = _WORD.fullmatch(word)
        if match is None:
            return word
        found = self.of(_read(match, beside.resets))
        return word if isinstance(found, Unknown) else Name(str(replace(found, resets=0)))

    def in_status(self, status: Status) -> Status:
        """What Dynamo does with a function, with the new id of the compile at which it was given up."""
        if status.detail is None:
            return status
        told = _GIVEN_UP.sub(lambda match: str(self.of(_read(match, int(match["resets"] or 0)))), status.detail)
        return replace(status, detail=Message(told))


def _read(match: re.Match[str], resets: int) -> CompileId:
    autograd = None if match["autograd"] is None else int(match["autograd"])
    return CompileId(int(match["frame"]), int(match["compile"]), autograd, resets)


def _function(function: Function, ids: Ids) -> Function:
    compiles = function.compiles
    return replace(
        function,
        status=ids.in_status(function.status),
        entries=tuple(map(ids.in_entry, function.entries)),
        compiles=compiles if isinstance(compiles, Unknown) else tuple(_compile(one, ids) for one in compiles),
    )


def _compile(compile_: Compile, ids: Ids) -> Compile:
    failed = compile_.failed_guards
    return replace(
        compile_,
        compile_id=ids.of(compile_.compile_id),
        failed_guards=failed if isinstance(failed, Unknown) else tuple(_failed(one, compile_, ids) for one in failed),
    )


def _failed(failed: FailedGuard, compile_: Compile, ids: Ids) -> FailedGuard:
    return replace(failed, entry=ids.named(failed.entry, compile_.compile_id))
