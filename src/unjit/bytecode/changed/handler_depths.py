"""Handlers that find more or less on the stack below them, since what is put there was changed."""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType

from unjit.bytecode.instructions.decode import protected_ranges


def with_less_below(code: CodeType, less: Mapping[int, int]) -> CodeType:
    """The code with its handlers keeping so many values less than before, by the offset at which each begins."""
    if not less:
        return code
    table = bytearray()
    for start, end, target, depth, lasti in protected_ranges(code):
        numbers = (start // 2, (end - start) // 2, target // 2, depth - less.get(target, 0) << 1 | lasti)
        encoded = bytearray(b"".join(map(_varint, numbers)))
        encoded[0] |= 0x80  # here an entry begins
        table += encoded
    return code.replace(co_exceptiontable=bytes(table))  # type: ignore[call-arg]  # 3.11


def _varint(number: int) -> bytes:
    """Six bits a byte, highest first; all but the last byte are marked."""
    encoded = bytearray((number & 63,))
    while number := number >> 6:
        encoded.insert(0, 0x40 | number & 63)
    return bytes(encoded)
