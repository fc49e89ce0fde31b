"""Standard output of the commands: all of it is written, or the user is told why not.

What the encoding of the terminal does not have is shown as an escape. Whoever has seen enough, as in
`unjit show out | head`, may stop reading.
"""

from __future__ import annotations

import contextlib
import errno
import io
import json
import os
import re
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

from unjit.errors import UnjitError

UNWRITTEN = 2
SEEN_ENOUGH = 128 + 13  # as a shell tells of a tool that SIGPIPE has ended

_BEYOND_ASCII = re.compile(r"[^\x00-\x7f]")


class Unwritten(Exception):
    """Standard output took no more. No OSError: those of files have answers of their own."""

    def __init__(self, error: OSError) -> None:
        super().__init__(f"cannot write to standard output: {error.strerror or error}")
        self.has_no_reader = isinstance(error, BrokenPipeError)


def say(text: str, end: str = "\n") -> None:
    """Print it. Raises Unwritten."""
    if sys.stdout is None:
        raise Unwritten(OSError(None, "it is closed"))
    try:
        sys.stdout.write(text + end)
    except OSError as error:
        raise Unwritten(error) from None


def say_json(text: str, file: str = "-") -> None:
    """Write JSON text to a file, or where that is `-` print it. Raises Unwritten, and UnjitError of a file."""
    if file == "-":
        say(json_in(getattr(sys.stdout, "encoding", None), text), end="")
    else:
        with writing(file):
            Path(file).write_text(text, encoding="utf-8", errors="backslashreplace")


def check_writable(file: str) -> None:
    """Before work whose answer is to go to a file: raises UnjitError if that cannot be written, as far as one can see.

    Nothing is opened: that would leave an empty file where the work fails, and wait for a reader of a pipe.
    """
    path = Path(file)
    with writing(file):
        if path.is_dir():
            raise OSError(errno.EISDIR, os.strerror(errno.EISDIR))
        place = path if path.exists() else path.parent
        if not (place.exists() and os.access(place, os.W_OK)):
            missing = errno.EACCES if place.exists() else errno.ENOENT
            raise OSError(missing, os.strerror(missing))
        if place is not path and not place.is_dir():
            raise OSError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))


@contextlib.contextmanager
def writing(file: str | Path) -> Iterator[None]:
    """A block that writes a file. Raises UnjitError if that cannot be done."""
    try:
        yield
    except OSError as error:
        raise UnjitError(f"cannot write {file}: {error.strerror or error}") from None


def json_in(encoding: str | None, text: str) -> str:
    """JSON text, with JSON's own escapes where the encoding lacks one of its characters."""
    try:
        text.encode(encoding or "utf-8")
    except UnicodeEncodeError:
        return _BEYOND_ASCII.sub(lambda found: json.dumps(found[0])[1:-1], text)
    return text


def writing_all(answer: Callable[[], int]) -> int:
    """The exit status of a command when what it printed has been written, or when the user has been told why not."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors in ("strict", "surrogateescape"):
            stream.reconfigure(errors="backslashreplace")
    try:
        try:
            return answer()
        finally:  # also after argparse, which prints help and exits
            _flush()
    except Unwritten as unwritten:
        if sys.stdout is not None:  # Python flushes once more at its exit
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        if unwritten.has_no_reader:
            return SEEN_ENOUGH
        print(f"unjit: {unwritten}", file=sys.stderr)
        return UNWRITTEN


def _flush() -> None:
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        raise Unwritten(error) from None
