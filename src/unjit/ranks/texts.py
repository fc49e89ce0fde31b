"""The files of many ranks, of which most are equal: each text is kept, and read, once.

A text is known by a number. Equal numbers mean equal texts, so what all ranks have alike costs one look each.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path
from typing import Any, Final

from unjit.model import SCHEMA_VERSION, from_plain

# What is of one rank by its nature, the device it computes on; and names that torch numbers over the whole process.
_OWN: Final = re.compile(
    r"(cuda:|xpu:|hpu:|index=|device=|DeviceGuard\(|set_device\(|get_raw_stream\(|\bstream|__builtins_dict___)\d+"
    r"|(__compiled_fn_)\d+\w*|(__(?:resume|comprehension_\w+?)_at_\d+)_\w+|(_c)\d+/\d+|(AOT ID: \[').*?(?='\])"
)
_NUMBER: Final = re.compile(r"\d+(?:\.\d+)?(?:e[+-]?\d+)?")
_GROUP: Final = re.compile(r"(c10d_functional\S*\(.*)'([^']+)'\)")


class Texts:
    """Texts by number, and what they are without what each rank has of its own."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._numbers: dict[bytes, int] = {}
        self._plain: dict[int, str] = {}
        self._values: dict[tuple[int, type], Any] = {}
        self.groups: dict[str, str] = {}  # what process groups are called by graphs, and what for

    def add(self, data: bytes) -> int:
        """The number of a text."""
        digest = blake2b(data, digest_size=16).digest()
        if digest not in self._numbers:
            self._numbers[digest] = len(self._texts)
            self._texts.append(data.decode("utf-8", "replace"))
        return self._numbers[digest]

    def read(self, path: Path) -> int | None:
        """The number of a file's text; None if it cannot be read."""
        try:
            return self.add(path.read_bytes())
        except OSError:
            return None

    def text(self, number: int) -> str:
        return self._texts[number]

    def plain(self, number: int) -> str:
        """The text without devices, names of groups, torch's counters, and comments, which say where it came from."""
        if number not in self._plain:
            self._plain[number] = self.stripped(self._texts[number].splitlines())
        return self._plain[number]

    def stripped(self, lines: Iterable[str]) -> str:
        """Lines without what each rank has of its own; see `plain`."""
        bare = (line.rstrip() for line in lines)
        kept = "\n".join(line for line in bare if line and not line.lstrip().startswith("# "))
        if "c10d_functional" in kept:
            kept = _GROUP.sub(lambda match: f"{match[1]}'<{self.groups.get(match[2], match[2])}>')", kept)
        return _OWN.sub(lambda match: match[match.lastindex or 0], kept)

    def value(self, number: int, kind: type) -> Any:
        """A value of the model from its JSON; ValueError if it is no such thing."""
        if (number, kind) not in self._values:
            data = json.loads(self._texts[number])
            if not isinstance(data, dict) or data.pop("schema", None) != SCHEMA_VERSION:
                raise ValueError(f"another schema; this unjit reads schema {SCHEMA_VERSION}")
            self._values[number, kind] = from_plain(kind, data)
        return self._values[number, kind]


def without_numbers(text: str) -> str:
    """A text with every number left out."""
    return _NUMBER.sub("#", text)
