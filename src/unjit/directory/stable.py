"""Texts without what is different in each run: addresses, random names, times, and folders of the machine."""

from __future__ import annotations

import os
import re
import sys
import sysconfig
import tempfile
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Final

from unjit.model import Abbreviation, FilePath, Maybe, Message, Term, Unknown
from unjit.model.words.unique_names import RANDOM_PART, STEMS
from unjit.model.words.wording import in_words

# What differs from run to run: a word that tells that it may be there, its pattern, and what is written for it. What
# must stand before a match is asked after the first letters of it: `re` is ten times faster where a pattern begins so.
_VOLATILE: Final = (
    *((stem, RANDOM_PART, "") for stem in STEMS),
    (" 0x", re.compile(r"at 0x(?<!\wat 0x)[0-9a-f]{6,16}\b"), "at 0x…"),
    ("(id=0x", re.compile(r"\(id=0x[0-9a-f]+\)"), "(id=0x…)"),  # two backends of one name
    ("# graph id: ", re.compile(r"\n+ ?# graph id: \d+"), ""),
    ("TENSOR_DATA_PTR", re.compile(r"TENSOR_DATA_PTR'\] = '\d+"), "TENSOR_DATA_PTR'] = '"),
    # _frozen_param1 = None  # device(type='cpu') torch.float32 (16,) (1,) 7f4dd65a9900
    ("= None  # device(", re.compile(r"= None  # (device\(.*\)) [0-9a-f]+$", re.MULTILINE), r"= None  # \1"),
    ("compile_time_us", re.compile(r'(?:, )?"(?<=["])compile_time_us": \d+'), ""),  # of each of Triton's kernels
    ("uard latency", re.compile(r"[\nGg][Gg]?uard latency = [\d.]+ us"), ""),
    # ___check_obj_id(func.__code__, 94420492187008), type=<class 'code'>
    ("___check_", re.compile(r", \d{5,16}\), type="), ", <id>), type="),
)
ID: Final = "<id>"
_MEMBER: Final = r"""(?:'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|<(?:[^<>]|<id>)*>)"""  # a string, or what has no display
_SET: Final = re.compile(rf"\{{{_MEMBER}(?:, {_MEMBER})+\}}")  # in the order of hashes, which are others in each run
# Globals that Dynamo adds: ___module_iter_1398…_c21, and __optimizer_1398…_1404…_c29 for a reference to an optimizer.
# And arguments that beartype adds to what it decorates: __beartype_object_9419…
_BY_ADDRESS: Final = (
    ("_c", re.compile(r"_(\d{7,16}(?:_\d{7,16})*)(_c\d+)(?![^\W_])")),
    ("__beartype_object_", re.compile(r"_(?<=\b__beartype_object_)(\d{7,16})()(?![^\W_])")),
)
_OF_GENERATED: Final = re.compile(r"(?<= at 0x)[0-9a-f]+(?=>$)")  # the file of code that a library has made
# Objects that guards name by their addresses, and what tells each; any other number is the program's. Where Python is
# loaded at a fixed place, addresses have few digits.
_OBJECTS: Final = (
    # ___check_obj_id(G['f'], 10759232)
    (
        "__check_",
        re.compile(r"(__check_(?:obj|type)_id\((?:(?!, <id>\)).)*?, )\d{5,16}(?=\)(?![\w.\[\])]|, \d+\)))"),
        rf"\1{ID}",
    ),
    # same_object(_, 0xa42c40, "<class 'int'>"), but not what stands at 0x…, in the repr of an object
    (
        "0x",
        re.compile(r"0(?<![^\W_]0)(?<!\bat 0)x(?:[0-9a-f]{9,16}(?![^\W_])|(?<=, 0x|\(\(0x)[0-9a-f]{5,8}(?=[,)]))"),
        ID,
    ),
    ("hooks ids == (", re.compile(r"(?<=hooks ids == \()[\d, ]+(?=\))"), ID),
    ("__dtensor_spec_", re.compile(r"(?<=__dtensor_spec_)\d+\b"), ID),
)
# How often any dict of the process was changed, until one that is guarded as a whole was.
_DICT_VERSION: Final = (
    ("___dict_version(", re.compile(r"___dict_version(\(.*?\)) == \d+"), rf"___dict_version\1 == {ID}"),
    ("dict_unchanged(_, ", re.compile(r"dict_unchanged\(_, \d+"), f"dict_unchanged(_, {ID}"),
)
_SETTINGS: Final = re.compile(r"(?:^torch\.\S+ = .*\n){2,}", re.MULTILINE)


class Stabiliser:
    """Makes texts that are equal in two runs of the same program, as far as the program is."""

    def __init__(self, folders: Iterable[Abbreviation]) -> None:
        self.folders = tuple(folders)
        known = [(str(one.folder), str(one.word)) for one in self.folders if not isinstance(one.folder, Unknown)]
        longest_first = sorted(known, key=lambda one: len(one[0]), reverse=True)
        self._words = [(folder, _beginning(folder), word) for folder, word in longest_first]

    def text(self, text: str) -> str:
        """A text of torch's."""
        text = _replaced(text, _VOLATILE)
        for mark, named in _BY_ADDRESS:
            if mark in text:
                text = named.sub(_Numbering(), text)
        return self.path(text)

    def program(self, text: str) -> str:
        """A program that torch wrote, which sets its configuration in the order of a set."""
        return self.text(_SETTINGS.sub(lambda match: "".join(sorted(match[0].splitlines(keepends=True))), text))

    def guards(self, text: str) -> str:
        """A text in which objects are named by their addresses as numbers."""
        return self.value(_replaced(text, _OBJECTS))

    def value(self, text: str) -> str:
        """A text with reprs of values in it, sets among them, or with conditions."""
        text = _replaced(text, _DICT_VERSION)
        return self.text(_SET.sub(_in_order, text) if "{" in text else text)

    def path(self, text: str) -> str:
        """A text with the folders of this machine abbreviated."""
        if "/" in text:
            for folder, pattern, word in self._words:
                if folder in text:
                    text = pattern.sub(word, text)
        return _OF_GENERATED.sub("…", text) if text.startswith("<") else text

    def full(self, path: str) -> str:
        """The inverse of `path` for a single path."""
        for folder, _, word in self._words:
            if path.startswith(word):
                return f"{folder}{path[len(word) :]}"
        return path


def _replaced(text: str, rules: Iterable[tuple[str, re.Pattern[str], str]]) -> str:
    for mark, pattern, replacement in rules:
        if mark in text:
            text = pattern.sub(replacement, text)
    return text


def _beginning(folder: str) -> re.Pattern[str]:
    """A path that begins with this folder, up to what is in it."""
    name = re.escape(folder)
    return re.compile(rf"{name}(?<![\w./-]{name})(?=[/'\"])")


def _in_order(found: re.Match[str]) -> str:
    return "{" + ", ".join(sorted(re.findall(_MEMBER, found[0]))) + "}"


class _Numbering:
    """Names with an address in them without it: ___module_iter_c21, and ___module_iter_2_c21 for another object."""

    def __init__(self) -> None:
        self._known: dict[tuple[str, str], list[str]] = defaultdict(list)

    def __call__(self, found: re.Match[str]) -> str:
        addresses = self._known[_word_before(found.string, found.start()), found[2]]
        if found[1] not in addresses:
            addresses.append(found[1])
        number = addresses.index(found[1]) + 1
        return found[2] if number == 1 else f"_{number}{found[2]}"


def _word_before(text: str, end: int) -> str:
    """What the name begins with, of which the rest begins at `end`: no pattern finds that in time."""
    start = end
    while start and (text[start - 1].isalnum() or text[start - 1] == "_"):
        start -= 1
    return text[start:end]


def folders_of_this_machine(cache: str | None = None) -> tuple[Abbreviation, ...]:
    """The folders that paths in torch's texts begin with, each with the word for it, or why it is not known."""
    found: dict[str, str] = {}
    unknown: dict[str, Unknown] = {}
    for word, ask in _folders(cache):
        folder = _absolute(ask)
        if isinstance(folder, Unknown):
            unknown[word] = folder
        elif folder is not None and folder != os.sep:
            found.setdefault(folder, word)
    known = [Abbreviation(Term(word), FilePath(folder)) for folder, word in found.items()]
    return (*known, *(Abbreviation(Term(word), why) for word, why in unknown.items() if word not in found.values()))


def _absolute(ask: Callable[[], str | None]) -> Maybe[str] | None:
    try:
        folder = ask()
        return os.path.abspath(folder) if folder else None
    except Exception as error:
        return Unknown(Message(f"it could not be found out: {in_words(error)}"))


def _folders(cache: str | None) -> Iterator[tuple[str, Callable[[], str | None]]]:
    yield "<cache>", lambda: cache
    yield "<site-packages>", _packages
    yield "<packages>", lambda: sysconfig.get_path("purelib")  # where torch lies elsewhere
    yield "<python>", lambda: sysconfig.get_path("stdlib")
    yield "<program>", lambda: _folder_of("__main__", 1)
    yield "<folder>", os.getcwd
    yield "<unjit>", lambda: str(Path(__file__).resolve().parents[1])
    yield "<tmp>", tempfile.gettempdir
    yield "<home>", lambda: os.path.expanduser("~")


def _packages() -> str | None:
    """Where torch lies: what reads a capture knows torch's files by the word for it."""
    return _folder_of("torch", 2) or sysconfig.get_path("purelib")


def _folder_of(module: str, up: int) -> str | None:
    """The folder so many levels above a module's file; None for one without a file."""
    file = getattr(sys.modules.get(module), "__file__", None)
    return None if file is None else str(Path(os.path.abspath(file)).parents[up - 1])
