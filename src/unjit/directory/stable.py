"""Texts without what is different in each run: addresses, random names, times, and folders of the machine."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import tempfile
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final

from unjit.model import Abbreviation, FilePath, Term

# __compiled_fn_3_8744d1d7_2e08_4265_a447_06cf14189343, and the same with dashes
_UNIQUE_NAME: Final = r"(?<=\d)_[0-9a-f]{8}[_-][0-9a-f]{4}[_-][0-9a-f]{4}[_-][0-9a-f]{4}[_-][0-9a-f]{12}\b"
_ADDRESS: Final = r"\bat 0x[0-9a-f]{6,16}\b"
_GRAPH_ID: Final = r"\n+ ?# graph id: \d+"
_OBJECT_ID: Final = r"\b\d{13,16}\b"  # in guards alone: elsewhere a long number may be the program's own
_PROCESS: Final = r"(?<=PYOBJECT_TENSOR_DATA_PTR'\] = ')\d+"
_LATENCY: Final = r"(?i)\n?guard latency = [\d.]+ us"

_SETTINGS: Final = re.compile(r"(?:^torch\.\S+ = .*\n){2,}", re.MULTILINE)


class Stabiliser:
    """Makes texts that are equal in two runs of the same program, as far as the program is."""

    def __init__(self, folders: Iterable[Abbreviation]) -> None:
        self.folders = tuple(folders)
        words = {str(one.folder): str(one.word) for one in self.folders}
        longest_first = sorted(map(re.escape, words), key=len, reverse=True)
        self._words = words
        self._folder = re.compile(rf"(?:{'|'.join(longest_first)})(?![\w.-])") if words else None
        self._volatile = re.compile(f"{_UNIQUE_NAME}|{_GRAPH_ID}|{_PROCESS}")
        self._address = re.compile(_ADDRESS)
        self._guards = re.compile(f"{_LATENCY}|(?P<id>{_OBJECT_ID})")

    def text(self, text: str) -> str:
        """A text of torch's."""
        return self.path(self._address.sub("at 0x…", self._volatile.sub("", text)))

    def program(self, text: str) -> str:
        """A program that torch wrote, which sets its configuration in the order of a set."""
        return self.text(_SETTINGS.sub(lambda match: "".join(sorted(match[0].splitlines(keepends=True))), text))

    def guards(self, text: str) -> str:
        """A text in which objects are named by their addresses as numbers."""
        return self.text(self._guards.sub(lambda match: "<id>" if match["id"] else "", text))

    def path(self, text: str) -> str:
        """A text with the folders of this machine abbreviated."""
        return text if self._folder is None else self._folder.sub(lambda match: self._words[match[0]], text)

    def full(self, path: str) -> str:
        """The inverse of `path` for a single path."""
        for one in self.folders:
            if path.startswith(one.word):
                return f"{one.folder}{path[len(one.word) :]}"
        return path


def folders_of_this_machine(cache: str | None = None) -> tuple[Abbreviation, ...]:
    """The folders that paths in torch's texts begin with, each with the word for it."""
    found: dict[str, str] = {}
    for word, folder in _folders(cache):
        if folder and folder != os.sep:
            found.setdefault(os.path.abspath(folder), word)
    return tuple(Abbreviation(Term(word), FilePath(folder)) for folder, word in found.items())


def _folders(cache: str | None) -> Iterator[tuple[str, str | None]]:
    yield "<cache>", cache
    yield "<site-packages>", sysconfig.get_path("purelib")
    torch = getattr(sys.modules.get("torch"), "__file__", None)
    yield "<site-packages>", os.path.dirname(os.path.dirname(torch)) if torch else None
    yield "<python>", sysconfig.get_path("stdlib")
    program = getattr(sys.modules.get("__main__"), "__file__", None)
    yield "<program>", os.path.dirname(os.path.abspath(program)) if program else None
    yield "<folder>", os.getcwd()
    yield "<unjit>", str(Path(__file__).resolve().parents[1])
    yield "<tmp>", tempfile.gettempdir()
    yield "<home>", os.path.expanduser("~")
