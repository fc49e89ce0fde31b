"""Where the files of a capture go: into a directory, or, where none was asked for, into memory.

Writing is atomic: whoever looks sees a whole file or none. Nothing raises: what could not be written is a loss, and is
kept in memory, so that the session has it all the same.
"""

from __future__ import annotations

import io
import os
import tempfile
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import BinaryIO, Final, Protocol

from unjit.directory.free import Taken

Pieces = Callable[[], Iterable[str]]  # of a text, from its beginning at each call
_BUFFER: Final = 1 << 16  # characters of small pieces that are written at once
_MOST_LOSSES: Final = 20
_AND_MORE: Final = "more files could not be written or moved, which are not listed"
_GIVE_UP_AFTER: Final = 50  # failures in a row: a full disk is not asked a thousand times


class Files(Protocol):
    """Texts by their paths from the top, with `/` between the parts."""

    losses: list[str]

    def write(self, path: str, text: str) -> None:
        """Make or replace a file."""

    def write_pieces(self, path: str, pieces: Pieces) -> None:
        """The same, of a text that need not be in memory as a whole."""

    def scratch(self) -> BinaryIO:
        """A file without a name, for what is not needed any more when the files are written."""

    def append(self, path: str, line: str) -> None:
        """Add a line to a file, or make it."""

    def read(self, path: str) -> str | None:
        """The text of a file; None if it is not there or cannot be read."""

    def rename(self, path: str, new_path: str) -> None:
        """Move a file."""

    def remove(self, path: str) -> None:
        """Remove a file; one that is not there is no loss."""

    def folders(self, path: str) -> list[str]:
        """The names of the folders in a folder, sorted."""


class MemoryFiles:
    """Files that exist as long as the object does."""

    def __init__(self) -> None:
        self.losses: list[str] = []
        self._texts: dict[str, str] = {}

    def write(self, path: str, text: str) -> None:
        self._texts[path] = text

    def write_pieces(self, path: str, pieces: Pieces) -> None:
        self._texts[path] = "".join(pieces())

    def scratch(self) -> BinaryIO:
        return io.BytesIO()

    def append(self, path: str, line: str) -> None:
        self._texts[path] = f"{self._texts.get(path, '')}{line}\n"

    def read(self, path: str) -> str | None:
        return self._texts.get(path)

    def copy_to(self, files: Files) -> None:
        """Write all of them there as well."""
        for path, text in list(self._texts.items()):
            files.write(path, text)

    def rename(self, path: str, new_path: str) -> None:
        if path in self._texts:
            self._texts[new_path] = self._texts.pop(path)

    def remove(self, path: str) -> None:
        self._texts.pop(path, None)

    def folders(self, path: str) -> list[str]:
        inside = f"{path}/" if path else ""
        below = (name[len(inside) :] for name in list(self._texts) if name.startswith(inside))  # others write
        return sorted({rest.partition("/")[0] for rest in below if "/" in rest})


class DiskFiles:
    """Files below `top`, which is made when the first one is written.

    `top` may be a function that chooses it then: a process that writes nothing leaves nothing.
    """

    def __init__(self, top: Path | Callable[[], Path]) -> None:
        self._top = top
        self.losses: list[str] = []
        self._made: set[str] = set()
        self._failures = 0
        self._unwritten = MemoryFiles()  # what the disk would not take

    @property
    def top(self) -> Path:
        """The folder that holds them all; OSError if it was still to be made and cannot be."""
        if not isinstance(self._top, Path):
            try:
                self._top = self._top()
            except Taken as error:
                self._give_up(str(error))
                raise
        return self._top

    def write(self, path: str, text: str) -> None:
        self.write_pieces(path, lambda: (text,))

    def write_pieces(self, path: str, pieces: Pieces) -> None:
        if self._failures >= _GIVE_UP_AFTER:
            self._unwritten.write_pieces(path, pieces)
            return
        try:
            target = self._place(path)
            self._make_folder(target)
            _write_atomically(target, pieces())
            self._unwritten.remove(path)
            self._failures = 0
        except OSError as error:
            self._unwritten.write_pieces(path, pieces)
            self._lose(f"{path} could not be written: {error.strerror}")

    def lacks(self, path: str) -> bool:
        """Whether the disk did not take the last version of a file."""
        return self._unwritten.read(path) is not None

    def scratch(self) -> BinaryIO:
        try:
            os.makedirs(self.top, exist_ok=True)
            return tempfile.TemporaryFile(dir=self.top, buffering=0)
        except OSError:
            return self._unwritten.scratch()

    def append(self, path: str, line: str) -> None:
        if self._failures >= _GIVE_UP_AFTER:
            self._unwritten.append(path, line)
            return
        try:
            target = self._place(path)
            self._make_folder(target)
            _write(target, (f"{line}\n",), os.O_APPEND)
        except OSError as error:
            self._unwritten.append(path, line)
            self._lose(f"{path} could not be written: {error.strerror}")

    def read(self, path: str) -> str | None:
        try:
            with open(self._place(path), encoding="utf-8", newline="\n") as file:
                return file.read()
        except (OSError, ValueError):
            return self._unwritten.read(path)

    def rename(self, path: str, new_path: str) -> None:
        if self._unwritten.read(path) is not None:
            self._unwritten.rename(path, new_path)
            return
        try:
            target = self._place(new_path)
            self._make_folder(target)
            os.replace(self._place(path), target)
        except OSError as error:
            self._lose(f"{path} could not be moved to {new_path}: {error.strerror}")

    def remove(self, path: str) -> None:
        self._unwritten.remove(path)
        try:
            if isinstance(self._top, Path):
                os.remove(self._place(path))
        except FileNotFoundError:
            return
        except OSError as error:
            self._lose(f"{path} could not be removed: {error.strerror}")

    def folders(self, path: str) -> list[str]:
        found = set(self._unwritten.folders(path))
        try:
            found.update(_name_of(entry) for entry in os.scandir(self._place(path)) if entry.is_dir())
        except OSError:
            return sorted(found)
        return sorted(found)

    def _place(self, path: str) -> str:
        """Where a file is: its name is in UTF-8 in every locale, as its text is."""
        return f"{self.top}/{os.fsdecode(path.encode('utf-8', 'surrogateescape'))}"

    def _make_folder(self, target: str) -> None:
        folder = target.rpartition("/")[0]
        if folder not in self._made:
            _make_folder(folder)
            self._made.add(folder)

    def _give_up(self, why: str) -> None:
        self._failures = _GIVE_UP_AFTER
        if why not in self.losses:
            self.losses.append(why)

    def _lose(self, what: str) -> None:
        if self._failures >= _GIVE_UP_AFTER:
            return
        self._failures += 1
        if len(self.losses) < _MOST_LOSSES:
            self.losses.append(what)
        elif _AND_MORE not in self.losses:
            self.losses.append(_AND_MORE)
        if self._failures == _GIVE_UP_AFTER:
            self.losses.append("nothing more was written after that")


def _name_of(entry: os.DirEntry[str]) -> str:
    return os.fsencode(entry.name).decode("utf-8", "surrogateescape")


def _write_atomically(path: str, pieces: Iterable[str]) -> None:
    """A file that is whole or not there, also if the program is interrupted just now."""
    temporary = f"{path}.{os.getpid()}.tmp"
    try:
        _write(temporary, pieces)
        os.replace(temporary, path)
    except BaseException:
        _remove(temporary)
        raise


def _make_folder(folder: str) -> None:
    """Most are the next below one that is there: then one question to the system does."""
    try:
        os.mkdir(folder)
    except OSError:
        os.makedirs(folder, exist_ok=True)


def _write(path: str, pieces: Iterable[str], how: int = os.O_TRUNC) -> None:
    """A new file, or the end of one; its folder is made again if somebody has removed it.

    By the system's own calls: an object of Python's for a file asks three times more of the system.
    """
    flags = os.O_WRONLY | os.O_CREAT | how | getattr(os, "O_CLOEXEC", 0)
    try:
        file = os.open(path, flags, 0o666)
    except FileNotFoundError:
        os.makedirs(path.rpartition("/")[0], exist_ok=True)
        file = os.open(path, flags, 0o666)
    try:
        for part in _parts(pieces):
            written = 0
            while written < len(part):
                written += os.write(file, part[written:] if written else part)
    finally:
        os.close(file)


def _parts(pieces: Iterable[str]) -> Iterator[bytes]:
    """The bytes of these pieces, small ones together."""
    waiting: list[str] = []
    length = 0
    for piece in pieces:
        waiting.append(piece)
        length += len(piece)
        if length >= _BUFFER:
            yield "".join(waiting).encode("utf-8", "backslashreplace")
            waiting, length = [], 0
    yield "".join(waiting).encode("utf-8", "backslashreplace")


def _remove(path: str) -> None:
    try:
        os.remove(path)
    except OSError:
        return
