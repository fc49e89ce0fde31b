"""Compile ids that are the same in each run of the same program.

Dynamo counts frames in the order in which threads arrive, over all of a process and anew after each reset. In the files
of a capture the frames are numbered in the order of the index instead; run.json has torch's own numbers.

What was compiled before the capture began has none of these numbers, and its own may be one of them: it changes places
with the compile that gets it. So no two have one number, there and back.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
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
    Unknown,
)

_WORD: Final = re.compile(r"(?:!(?P<autograd>\d+)/)?(?P<frame>\d+)/(?P<compile>\d+)")  # as a CompileId prints


_OLDER: Final = Unknown(Message("an entry made before the capture began, and gone by its end"))


def stable_ids(capture: Capture) -> dict[CompileId, CompileId]:
    """The stable id for each of torch's."""
    frames = {function.key: at for at, function in enumerate(capture.report.functions)}
    torch_ids = {one.path: one.compile_id for one in (capture.run.compiles if capture.run else ())}
    return {
        torch_ids[one.path]: CompileId(frames[one.function], one.number)
        for one in capture.compiles
        if one.path in torch_ids and one.function in frames
    }


def with_ids(capture: Capture, new: Mapping[CompileId, CompileId]) -> Capture:
    """The capture with these ids in place of its own; one that is not named stays."""
    ids = Ids(new)
    functions = tuple(_function(function, ids) for function in capture.report.functions)
    compiles = tuple(ids.in_compile(one) for one in capture.compiles)
    return replace(capture, report=replace(capture.report, functions=functions), compiles=compiles)


class Ids:
    """New ids by the old ones, and by the words that recompile reasons have for them."""

    def __init__(self, new: Mapping[CompileId, CompileId]) -> None:
        given = set(new.values())
        taken = sorted(given.difference(new), key=_order)
        left = sorted((old for old in new if old not in given), key=_order)
        self._new = {**new, **dict(zip(taken, left, strict=True))}

    def in_compile(self, captured: CapturedCompile) -> CapturedCompile:
        """A compile with the new ids."""
        return replace(captured, compile=_compile(captured.compile, self))

    def in_entry(self, entry: Entry) -> Entry:
        """An entry with the new ids."""
        return replace(entry, compile_id=self.of(entry.compile_id))

    def of(self, compile_id: Maybe[CompileId]) -> Maybe[CompileId]:
        """The new id; an id that is not named stays."""
        return compile_id if isinstance(compile_id, Unknown) else self._new.get(compile_id, compile_id)

    def named(self, word: Maybe[Name], beside: Maybe[CompileId]) -> Maybe[Name]:
        """The entry that did not fit is named without resets: it is of the same life of Dynamo as the compile.

        One of an earlier life that no compile of the capture made may be called as another is by now: then its name is
        left out.
        """
        if isinstance(word, Unknown) or isinstance(beside, Unknown):
            return word
        match = _WORD.fullmatch(word)
        if match is None:
            return word
        autograd = None if match["autograd"] is None else int(match["autograd"])
        meant = CompileId(int(match["frame"]), int(match["compile"]), autograd, beside.resets)
        found = self._new.get(meant)
        if found is None:
            return _OLDER if replace(meant, resets=0) in self._new else word
        return Name(str(replace(found, resets=0)))


def _order(compile_id: CompileId) -> tuple[int, int, int, int]:
    autograd = -1 if compile_id.autograd is None else compile_id.autograd
    return compile_id.resets, compile_id.frame, compile_id.compile, autograd


def _function(function: Function, ids: Ids) -> Function:
    compiles = function.compiles
    return replace(
        function,
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
