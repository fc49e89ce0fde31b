"""Why a code object cannot be expressed by some tier of the decompiler."""

from __future__ import annotations


class CannotExpress(Exception):
    """This tier has no source for the code; the message says which construct, for the reader of the answer."""


class CannotCompile(CannotExpress):
    """Source of ours does not compile; `line` is where, if the compiler says so."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line
