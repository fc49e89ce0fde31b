"""What was read from a log, as it is told to those who write it: one compile after the other comes from the shelf."""

from __future__ import annotations

import re
from array import array
from collections.abc import Sequence
from dataclasses import replace

from unjit.capturing.collecting.building import Building
from unjit.capturing.collecting.collector import Collector
from unjit.capturing.ending.assemble import captured, id_of, run_of
from unjit.directory.numbering import numbered
from unjit.directory.spool import Spool, Spooled
from unjit.ingesting.program import NOT_IN_LOG
from unjit.ingesting.report import LoggedFunction
from unjit.ingesting.shelf import Shelf, Shelved
from unjit.model import CompileRun, GraphBreak, Maybe, Name, Unknown, known_or
from unjit.observe.messages.full_paths import full_path, with_full_paths
from unjit.observe.recorded.compiles import read_compile
from unjit.render.captures.telling import Listener

_RESUME = re.compile(r"(?P<of>.+)_resumes_at_(?P<line>\d+)(?:_\d+)?")  # a key: a log knows the line where it was left


class Teller:
    """Tells of all compiles of a log that is over.

    Attributes, when it has told: `roots`, the keys of functions that are no resume functions, and `runs`, what is
    different in each run, of each compile in the order in which they began.
    """

    def __init__(self, shelf: Shelf, collector: Collector, resets: int) -> None:
        self._shelf = shelf
        self._collector = collector
        self._resets = resets
        self._functions: dict[Name, list[Shelved]] = {}
        shelved = shelf.put_all_away()
        for one in shelved.values():
            self._functions.setdefault(one.function, []).append(one)
        frames = {function: at for at, function in enumerate(self._functions)}
        ids = (
            (replace(compile_id, resets=resets - run), frames[one.function])
            for (run, compile_id), one in shelved.items()
        )
        self._ids = numbered(ids, len(frames))
        self._spool: Spool[CompileRun] = Spool(collector.files)
        self._places = array("q", bytes(8 * len(shelved)))
        self.roots: tuple[Name, ...] = ()
        resumes = filter(None, map(_RESUME.fullmatch, self._functions))
        self._left_at = {(resume["of"], int(resume["line"])) for resume in resumes}

    @property
    def runs(self) -> Sequence[CompileRun]:
        return Spooled(self._spool, self._places)

    def tell(self, *listeners: Listener) -> None:
        """Of each function, by its first compile, first the compiles."""
        for key, compiles in self._functions.items():
            function = LoggedFunction(key)
            for shelved in compiles:
                building = self._shelf.get(shelved)
                self._places[shelved.order] = self._spool.put(run_of(building, self._resets))
                self._tell_compile(building, function, listeners)
            rest = function.rest()
            if rest.resume is None:
                self.roots += (key,)
            for listener in listeners:
                listener.take_function(rest)

    def _full_path(self, tail: str) -> str:
        return full_path(tail, self._collector.named_files, here=False)

    def _with_rests(self, of: Name, breaks: Maybe[tuple[GraphBreak, ...]]) -> Maybe[tuple[GraphBreak, ...]]:
        """The breaks of a function; after one in a comprehension torch says that it skips the rest, and goes on."""
        if isinstance(breaks, Unknown):
            return breaks
        return tuple(replace(one, skips_rest=one.skips_rest and not self._has_rest(of, one)) for one in breaks)

    def _has_rest(self, of: Name, found: GraphBreak) -> bool:
        """Whether a resume function was compiled that begins where the function was left, as its name tells."""
        return any((of, place.line) in self._left_at for place in known_or(found.stack, ()))

    def _tell_compile(self, building: Building, function: LoggedFunction, listeners: tuple[Listener, ...]) -> None:
        compile_id = id_of(building, self._resets)
        known = with_full_paths(read_compile(building.recorded, compile_id, NOT_IN_LOG), self._full_path)
        known = replace(known, breaks=self._with_rests(function.key, known.breaks))
        compile_ = self._ids.in_compile(captured(building, self._collector, known))
        entries = tuple(map(self._ids.in_entry, function.add(building.recorded, compile_id)))
        for listener in listeners:
            listener.take_compile(compile_, entries)
