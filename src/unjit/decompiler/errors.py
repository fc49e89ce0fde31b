"""Why a code object cannot be expressed by some tier of the decompiler."""

from __future__ import annotations


class CannotExpress(Exception):
    """This tier has no source for the code; the message says which construct, for the reader of the answer."""


class NoStatement(CannotExpress):
    """No statement goes to a block from somewhere.

    `block` is the block's index, `loop` that of the header of the loop around the place, None if the block is in it.
    """

    def __init__(self, message: str, block: int, loop: int | None) -> None:
        super().__init__(message)
        self.block, self.loop = block, loop


class CannotCompile(CannotExpress):
    """Source of ours does not compile; `line` is where, if the compiler says so."""

    def __init__(self, message: str, line: int | None) -> None:
        super().__init__(message)
        self.line = line
