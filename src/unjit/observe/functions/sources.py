"""The user's source text of a code object, as far as its file can be trusted to be the one that ran."""

from __future__ import annotations

import inspect
import linecache
import re
import sys
import traceback
import warnings
from types import CodeType

from unjit.model import FilePath, Listing, Maybe, Message, Name, Place, Unknown, UserSource

_FROZEN = re.compile(r"<frozen ([\w.]+)>")


def is_shared(file: str) -> bool:
    """Whether many texts have this file name: `exec` gives it to all of its own, Python 3.13 to the program of `-c`."""
    return file == "<string>"


def qualname(code: CodeType) -> str:
    """The qualified name, or the bare name where Python keeps no other (3.10)."""
    return str(getattr(code, "co_qualname", code.co_name))


def as_far_as_kept(name: str, code: CodeType) -> str:
    """What of a name that a user gives a code object can have: on Python 3.10 no more than the last part."""
    return name if hasattr(code, "co_qualname") else name.rpartition(".")[2]


def first_place(code: CodeType) -> Place:
    """Where a code object begins."""
    return place_at(code.co_filename, code.co_firstlineno, qualname(code))


def place_at(file: str, line: int, function: str) -> Place:
    """A line of a file with its text, if the file can be read."""
    return Place(FilePath(file), line, Name(function), line_text(file, line))


def lines_of(code: CodeType) -> frozenset[int]:
    """The lines on which instructions of a code object stand."""
    return frozenset(line for _, _, line in code.co_lines() if line is not None)


def line_text(file: str, line: int) -> Maybe[UserSource]:
    """The text of a line without its indentation."""
    if is_shared(file):
        return Unknown(Message(f"many texts are called {file}"))
    text = linecache.getline(file_of_frozen(file) or file, line).strip()
    return UserSource(text) if text else Unknown(Message("the file cannot be read"))


def file_of_frozen(file: str) -> str | None:
    """The file of the library that a frozen module such as `<frozen os>` was compiled from; else `file` itself."""
    match = _FROZEN.fullmatch(file)
    return None if match is None else getattr(sys.modules.get(match[1]), "__file__", None)


def frame_place(frame: traceback.FrameSummary) -> Place:
    """The place of a frame that torch noted."""
    return place_at(frame.filename, frame.lineno or 1, frame.name)


def module_text(code: CodeType) -> str | None:
    """The whole file that the code of a module was compiled from; None where it is visibly not that."""
    text = "" if is_shared(code.co_filename) else "".join(linecache.getlines(code.co_filename))
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # Python has told of them when it compiled the module
            made = compile(text, code.co_filename, "exec", dont_inherit=True)
    except (SyntaxError, ValueError):
        return None
    return text if text and made == code else None


def listing(code: CodeType) -> Maybe[Listing]:
    """The whole function that `code` was compiled from.

    Unknown if the file is gone, or if what stands there is visibly another text than the one that ran.
    """
    if is_shared(code.co_filename):
        return Unknown(Message(f"no source: many texts are called {code.co_filename}"))
    try:
        lines, first = inspect.getsourcelines(code)
    except (OSError, TypeError, SyntaxError, IndexError) as error:
        return Unknown(Message(f"no source: {error}"))
    text = "".join(lines)
    word = "lambda" if code.co_name == "<lambda>" else code.co_name.rpartition(".")[2]  # of code that has another name
    last = max((line for _, _, line in code.co_lines() if line), default=first)
    if not re.search(rf"\b{re.escape(word.strip('<>'))}\b", text) or last >= first + len(lines):
        return Unknown(Message(f"{code.co_filename} has changed since the function was made, or its code was renamed"))
    return Listing(FilePath(code.co_filename), max(first, 1), UserSource(text.rstrip("\n")))
