"""What torch records of sizes while it compiles: that one may vary, what it took for granted of it, that it is fixed.

Each record is about symbols, and has the stack of the program.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, TypeAlias

SIZE_RECORDS: Final = (
    "create_symbol",
    "create_unbacked_symbol",
    "guard_added_fast",
    "guard_added",
    "symbolic_shape_specialization",
)
Stack: TypeAlias = Sequence[Mapping[str, Any]]  # frames in torch's words
_EQUAL: Final = re.compile(r"Eq\(([a-z]\w*), ([a-z]\w*)\)")  # two symbols: what is a number has a record of its own


@dataclass(frozen=True, slots=True)
class SizeRecord:
    """One record, as far as the lines of the program in it are of use."""

    stack: Stack
    symbols: tuple[str, ...]  # several: they are equal
    sources: tuple[str, ...]  # the program's values that the symbol stands for, in torch's words: L['x'].size()[0]
    is_number: bool  # from here on it is one number


def size_record(kind: str, record: Mapping[str, Any]) -> SizeRecord:
    """What a record of one of `SIZE_RECORDS` says."""
    stack = record.get("user_stack") or ()
    if "expr" in record:
        equal = _EQUAL.fullmatch(str(record["expr"]))
        return SizeRecord(stack, () if equal is None else equal.groups(), (), is_number=False)
    source = record.get("source")
    sources = tuple(map(str, record.get("sources") or (() if source is None else (source,))))
    return SizeRecord(stack, (str(record.get("symbol")),), sources, kind == "symbolic_shape_specialization")
