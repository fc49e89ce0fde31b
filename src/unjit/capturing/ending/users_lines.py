"""Guards that did not hold, at the lines of the program that the records of a capture tell of."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from unjit.capturing.collecting.building import Building
from unjit.capturing.collecting.collector import Collector
from unjit.capturing.reading.shapes import place_of
from unjit.model import CompileId, Report
from unjit.observe.listening.size_records import SIZE_RECORDS, SizeRecord, size_record
from unjit.observe.recorded.users_lines import EntryKey, entry_of
from unjit.observe.recorded.users_lines import with_users_lines as lines_found


def with_users_lines(report: Report, collector: Collector, of: Mapping[CompileId, Building]) -> Report:
    """The report with the lines of the program that a compile tells of; where several are possible it stays torch's."""
    buildings = {entry_of(compile_id): building for compile_id, building in of.items()}

    def records(entry: EntryKey) -> Iterator[SizeRecord]:
        for kind, record in buildings[entry].facts if entry in buildings else ():
            if kind in SIZE_RECORDS:
                yield size_record(kind, record)

    found = lines_found(report.functions, records, lambda frame: place_of(frame, collector.file_name))
    return replace(report, functions=found)
