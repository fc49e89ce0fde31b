"""Instructions replaced in place, by others of the same length or by nothing."""

from __future__ import annotations

from collections.abc import Mapping
from types import CodeType

from unjit.bytecode import versions as v

NO_OPERATION = ("NOP", 0)


def overwritten(code: CodeType, new: Mapping[int, tuple[str, int]]) -> CodeType:
    """The code with each instruction at an offset in `new` replaced by that operation and argument (below 256).

    Prefixes before and caches after what stood there become NOPs, so that no jump and no table entry moves.
    """
    nop = v.OPCODES["NOP"]
    changed = bytearray(code.co_code)
    for offset in new:
        units = 1 + v.CACHES.get(v.OPNAMES[changed[offset]], 0)
        start = offset
        while start >= 2 and changed[start - 2] == v.EXTENDED_ARG:
            start -= 2
        for at in range(start, offset + 2 * units, 2):
            changed[at : at + 2] = bytes((nop, 0))
    for offset, (operation, arg) in new.items():  # when all is gone: one may be the prefix of the next
        changed[offset : offset + 2] = bytes((v.OPCODES[operation], arg))
    return code.replace(co_code=bytes(changed))
