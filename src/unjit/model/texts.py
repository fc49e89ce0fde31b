"""Strings that say what they are.

Every string in the model has one of these types, so that removing what must not leave a machine is one pass over
the data, by type, with no knowledge of the fields. They are ordinary `str` otherwise.
"""

from __future__ import annotations

import re
from typing import Final


class Text(str):
    """A string whose type says what it holds; never used by itself."""

    __slots__ = ()


class Term(Text):
    """A word of torch's, Python's or unjit's vocabulary: a backend, a guard kind, a version."""

    __slots__ = ()


class Name(Text):
    """An identifier of the user's program, or one derived from it: a function, an argument, a module."""

    __slots__ = ()


class UserSource(Text):
    """Source text of the user's program, as its file has it."""

    __slots__ = ()


class FilePath(Text):
    """A path or address on the machine where the program ran."""

    __slots__ = ()


class Host(Text):
    """What identifies a machine, a process or a person."""

    __slots__ = ()


class Constant(Text):
    """The repr of a value that the user's program had."""

    __slots__ = ()


class Expression(Text):
    """A Python expression over the user's values, as guards use it: `L['x'].shape[0]`."""

    __slots__ = ()


class Size(Expression):
    """A size or a stride of a tensor: a number, or an expression over symbols."""

    __slots__ = ()


class Generated(Text):
    """Code that Dynamo, a backend or unjit made from the user's program."""

    __slots__ = ()


class Message(Text):
    """Prose by torch or by unjit; may quote the user's program."""

    __slots__ = ()


_RAISED_WITHIN: Final = re.compile(r": got [\w.]+\((?P<quote>['\"])(?P<said>.+)(?P=quote)\)$", re.MULTILINE)


def went_wrong(text: str) -> str:
    """What an error says first, with what an operation itself said, which torch tells further down."""
    said, within = headline(text), _RAISED_WITHIN.search(text)
    return said if within is None or within["said"] in said else f"{said}: {within['said']}"


def headline(text: str) -> str:
    """What a message of many lines says first, in one line, with what follows where that ends in a colon or is a list.

    Of a list the first item is taken: torch says what was violated in the first line, and by what in the second.
    """
    lines = [" ".join(line.split()) for line in text.splitlines() if line.strip()] or ["it says nothing"]
    last = next((k for k, line in enumerate(lines) if not line.endswith(":")), len(lines) - 1)
    listed = lines[last + 1 : last + 2]
    return " ".join(lines[: last + 1] + [line for line in listed if line.startswith("- ")])
