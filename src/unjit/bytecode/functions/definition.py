"""Where the function of a code object is defined, by which torch's records call it. Several can have one definition."""

from __future__ import annotations

from types import CodeType
from typing import NamedTuple


class Definition(NamedTuple):
    """A `def`, `lambda` or the like: its file, its first line, and the bare name that it gives."""

    file: str
    line: int
    name: str

    @classmethod
    def of(cls, code: CodeType) -> Definition:
        """That of the function with this code."""
        return cls(code.co_filename, code.co_firstlineno, code.co_name)
