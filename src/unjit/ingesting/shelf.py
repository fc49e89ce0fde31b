"""The compiles of a log, of which a few are in memory: those that its last records were of.

A log does not say when a compile is over: a backward is compiled when it first runs, which may be at the end. So a
compile that no record was of for a while is put away, in a spool, and taken down again when one is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import islice
from typing import Any, Final

from unjit.capturing.collecting.building import Building
from unjit.directory.spool import Spool
from unjit.ingesting.collecting import LogCollector
from unjit.model import Name
from unjit.observe.listening.recorded_compile import NUMBERS, CompileKey, compile_id_in
from unjit.observe.listening.recorder import Recorder

MOST: Final = 32  # in memory at once: as many forwards may be compiled before the first backward


@dataclass(slots=True)
class Shelved:
    """What stays in memory of a compile that was put away."""

    order: int  # among all compiles, as they began
    function: Name
    number: int
    place: int  # in the spool


class Shelf:
    """Takes compiles out of the recorder and the collector, and puts them back."""

    def __init__(self, recorder: Recorder, collector: LogCollector) -> None:
        self._recorder = recorder
        self._collector = collector
        self._spool: Spool[Building] = Spool(collector.files, collector.files, collector.stable, collector.program)
        self._shelved: dict[CompileKey, Shelved] = {}
        self._named: list[Any] = []  # what the last record calls its compile

    def make_ready(self, metadata: Mapping[str, Any]) -> None:
        """Bring the compile of the next record into memory, and put others away if there are too many."""
        named = [metadata.get(name) for name in NUMBERS]
        if named == self._named:
            return  # as the last record: it still is
        self._named = named
        compiles = self._collector.compiles
        key = self._key(metadata)
        if key in compiles:
            compiles[key] = compiles.pop(key)  # to the end: it is the last that was used
        elif key in self._shelved:
            self._take_down(key)
        if len(compiles) > MOST:
            self._put_away(len(compiles) - MOST, besides=key)

    def put_all_away(self) -> dict[CompileKey, Shelved]:
        """The log is over: put all compiles away, and give them in the order in which they began."""
        self._put_away(len(self._collector.compiles))
        found = dict(sorted(self._shelved.items(), key=lambda item: item[1].order))
        assert [one.order for one in found.values()] == list(range(len(found))), "each compile began once"
        return found

    def get(self, shelved: Shelved) -> Building:
        """A compile, to be looked at."""
        return self._spool.get(shelved.place)

    def _key(self, metadata: Mapping[str, Any]) -> CompileKey | None:
        """None if a record belongs to no compile, as far as one can tell."""
        try:
            key = len(self._recorder.runs) - 1, compile_id_in(metadata)
            hash(key)
        except (KeyError, TypeError):  # a number that is a list
            return None
        return key

    def _take_down(self, key: CompileKey) -> None:
        building = self.get(self._shelved[key])
        self._collector.compiles[key] = building
        run, compile_id = key
        self._recorder.runs[run][compile_id] = building.recorded

    def _put_away(self, number: int, besides: CompileKey | None = None) -> None:
        """So many of those in memory, the longest unused first; none that records wait for, and not `besides`."""
        awaited = self._collector.is_awaited
        unused = (key for key in self._collector.compiles if key != besides and not awaited(key))
        for key in list(islice(unused, number)):
            building = self._collector.compiles.pop(key)
            run, compile_id = key
            del self._recorder.runs[run][compile_id]
            place = self._spool.put(building)
            shelved = self._shelved.setdefault(key, Shelved(building.order, building.function, building.number, place))
            shelved.place = place
