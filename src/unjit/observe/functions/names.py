"""The names under which functions are shown: valid identifiers that tell a person which function it is."""

from __future__ import annotations

import keyword
import re
from collections.abc import Container
from types import CodeType
from typing import Final

from unjit.model import Name
from unjit.observe.functions.sources import qualname
from unjit.torch_private.cache.resumes import RESUME_NAME, broke_at, is_resume_code, resume_of

_NUMBERED: Final = re.compile(r"(_resumes_at_\d+)_\d+$")
_LONGEST: Final = 200  # bytes: of the 255 that the name of a file may have, some are for what is put after it


def identifier(code: CodeType, known_as: str | None = None) -> str:
    """`Net_forward` for a method, `toy_resumes_at_11` for the resume function that goes on at line 11 of toy.

    `known_as` is the qualified name by which the user knows it, where that is not the code's.
    """
    original = resume_of(code).original if is_resume_code(code) else None
    if isinstance(original, CodeType):
        return f"{identifier(original, known_as)}_resumes_at_{_line(code)}"
    name = known_as or (code.co_name if original is not None else qualname(code))
    return identifier_of_name(name.rpartition("<locals>.")[2])


def original_of(code: CodeType) -> CodeType:
    """The function of which `code` is the rest, or the rest of a rest; `code` itself if it is no resume function."""
    while is_resume_code(code):
        original = resume_of(code).original
        if not isinstance(original, CodeType):
            return code
        code = original
    return code


def identifier_of_name(name: str) -> str:
    """`identifier` for a function of which only the bare name of its code is known."""
    resume = RESUME_NAME.fullmatch(name)
    return f"{as_identifier(resume['of'])}_resumes_at_{resume['line']}" if resume else as_identifier(name)


def without_number(name: str) -> str:
    """`toy_resumes_at_11` for `toy_resumes_at_11_2`, as reports number those that go on at one line."""
    return _NUMBERED.sub(r"\1", name)


def as_identifier(text: str) -> str:
    """Any text as a valid identifier, cut to the length that a folder's name may have."""
    plain = re.sub(r"\b__(\w+?)__\b", r"\1", text)  # `Net_init` for `Net.__init__`
    word = shortened(re.sub(r"\W+", "_", plain).strip("_") or ("_" if "_" in text else "function"))
    if not word.isidentifier():
        word = f"f_{word}"
    return f"{word}_" if keyword.iskeyword(word) else word


def shortened(name: str) -> str:
    """The name, cut to what the name of a file or folder has room for."""
    return name.encode()[:_LONGEST].decode(errors="ignore")


def unused(name: str, taken: Container[str]) -> Name:
    """`name`, or the first of `name_2`, `name_3` … that is free."""
    number, candidate = 1, name
    while candidate in taken:
        number += 1
        candidate = f"{name}_{number}"
    return Name(candidate)


def _line(code: CodeType) -> int:
    """Where a resume function goes on, or else where its function was left."""
    line = resume_of(code).line
    return line if isinstance(line, int) else broke_at(code) or code.co_firstlineno
