"""The format of torch's trace log, read as a stream: one record at a time is in memory.

A record is a line of a prefix (level and date, time, process, place in torch), and an object in JSON; then its payload,
each line after a tab. The object has the MD5 of the payload, so that a record which is not whole is known.
"""

from __future__ import annotations

import contextlib
import gzip
import hashlib
import json
import re
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, Final, cast

_PREFIX: Final = re.compile(rb"[VIWEC]\d{4} \d\d:\d\d:\d\d\.\d+ (?P<process>\d+) [^\]\n]*\] ")
_SHAPE: Final = b"V0000 00:00:00.000000"  # what a prefix begins with: digits, and what stands between them
_CUT: Final = "it ends in the middle of a record, which is left out"
_GZIP: Final = b"\x1f\x8b"


@dataclass(frozen=True, slots=True)
class LogRecord:
    """One record: it has what the recorder asks of those that torch's logger hands out."""

    process: int
    metadata: dict[str, Any]
    payload: str | None


@dataclass
class LogFile:
    """One log, plain or compressed. After `records` has come to its end, the rest says what was not read."""

    path: Path
    strange: int = 0  # lines that belong to no record
    damaged: int = 0  # records whose JSON does not parse, or whose payload is not the one that was written
    cut: str | None = None  # how it ends, if not with a whole record
    _last_was_damaged: bool = field(default=False, repr=False)

    def is_log(self) -> bool:
        """Whether it begins as a log does, as far as it goes; OSError if it cannot be read."""
        try:
            with self._open() as file:
                head = file.readline(4096)
        except (EOFError, zlib.error, gzip.BadGzipFile):
            return False
        return _PREFIX.match(head) is not None or (not head.endswith(b"\n") and _fits(head))

    def records(self) -> Iterator[LogRecord]:
        """The whole records, in their order. Raises OSError if the file is gone, and nothing for what is in it."""
        with self._open() as file:
            head: bytes | None = None
            payload: list[bytes] = []
            for line in self._lines(file):
                if line.startswith(b"\t") and head is not None:
                    payload.append(line[1:])
                elif _PREFIX.match(line):
                    yield from self._record(head, payload)
                    head, payload = line, []
                elif line.endswith(b"\n"):
                    self.strange += 1
                else:
                    self.cut = _CUT
            yield from self._record(head, payload)
        if self._last_was_damaged:
            self.damaged -= 1
            self.cut = self.cut or _CUT

    @contextlib.contextmanager
    def _open(self) -> Iterator[BinaryIO]:
        with self.path.open("rb") as file:
            packed = file.read(2) == _GZIP
            file.seek(0)
            yield cast(BinaryIO, gzip.GzipFile(fileobj=file)) if packed else file

    def _lines(self, file: BinaryIO) -> Iterable[bytes]:
        return self._unpacked(file) if isinstance(file, gzip.GzipFile) else file

    def _unpacked(self, file: gzip.GzipFile) -> Iterator[bytes]:
        try:
            yield from file
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            self.cut = f"it cannot be unpacked to its end ({error})"

    def _record(self, head: bytes | None, payload: list[bytes]) -> Iterator[LogRecord]:
        if head is None:
            return
        made = _read(head, b"".join(payload).removesuffix(b"\n") if payload else None)
        self._last_was_damaged = made is None
        if made is None:
            self.damaged += 1
        else:
            yield made


def _read(head: bytes, payload: bytes | None) -> LogRecord | None:
    """The record of these lines; None if something of it is missing."""
    match = _PREFIX.match(head)
    assert match is not None, "a record begins with a prefix"
    try:
        metadata = json.loads(head[match.end() :])
    except (ValueError, RecursionError):
        return None
    if not isinstance(metadata, dict) or not metadata:
        return None
    wanted = metadata.get("has_payload")
    if wanted is not None and _md5(payload) != wanted:
        payload = (payload or b"").replace(b"\r\n", b"\n").removesuffix(b"\r")  # a way over Windows may end lines so
        if _md5(payload) != wanted:
            return None
    text = None if payload is None else payload.decode("utf-8", "backslashreplace")
    return LogRecord(int(match["process"]), metadata, text)


def _md5(payload: bytes | None) -> str:
    return hashlib.md5(payload or b"", usedforsecurity=False).hexdigest()


def _fits(head: bytes) -> bool:
    """Whether a line that was cut off may have been the beginning of a prefix."""
    pairs = zip(head[1 : len(_SHAPE)], _SHAPE[1:], strict=False)
    return head[:1] in (b"", b"V", b"I", b"W", b"E", b"C") and all(
        chr(byte).isdigit() if chr(shape).isdigit() else byte == shape for byte, shape in pairs
    )
