"""Sizes that Dynamo let vary and that the program needs as one number: the lines that need them."""

from __future__ import annotations

from collections.abc import Iterable

from unjit.observe.listening.size_records import SizeRecord, Stack


def fixed_sizes(records: Iterable[SizeRecord]) -> dict[str, Stack]:
    """By what is one number from then on, in torch's words, the stack of the program that made it one.

    Where two symbols are found equal, what makes a number of one makes it of both: torch tells it of one alone.
    """
    sources: dict[str, set[str]] = {}
    equal: dict[str, set[str]] = {}
    fixed: dict[str, Stack] = {}
    for record in records:
        for symbol in record.symbols:
            sources.setdefault(symbol, set()).update(record.sources)
            equal.setdefault(symbol, {symbol}).update(record.symbols)
            if record.is_number and record.stack:
                fixed.setdefault(symbol, record.stack)
    found = {source: stack for symbol, stack in fixed.items() for source in sources[symbol]}
    for symbol, stack in fixed.items():
        for other in sorted(_all_equal(symbol, equal) - fixed.keys()):
            for source in sorted(sources[other]):
                found.setdefault(source, stack)
    return found


def _all_equal(symbol: str, equal: dict[str, set[str]]) -> set[str]:
    found, due = {symbol}, [symbol]
    while due:
        others = equal.get(due.pop(), set()) - found
        found |= others
        due += others
    return found
