"""Bytecode that no compiler made: assembled, or an existing function re-rooted at one of its instructions.

Re-rooting is what Dynamo does to make a resume function: a new prologue puts the locals and the stack in place and
jumps into the unmodified body, whose beginning stays behind as dead code.
"""

from __future__ import annotations

import dis
from types import CodeType

from unjit.bytecode import versions as v

Written = "tuple[str, int]"


def assembled(*instructions: Written) -> bytes:
    """Instructions with the caches they need; arguments above 255 get their prefixes."""
    return b"".join(_unit(op, arg) for op, arg in instructions)


def _unit(op: str, arg: int) -> bytes:
    prefixes = [(arg >> shift) & 255 for shift in (24, 16, 8) if arg >> shift]
    extended = b"".join(bytes((dis.opmap["EXTENDED_ARG"], part)) for part in prefixes)
    return extended + bytes((dis.opmap[op], arg & 255)) + bytes(2 * v.CACHES.get(op, 0))


def start_of(code: CodeType) -> int:
    """The offset after what every frame starts with: cells, the generator's return, RESUME."""
    first = {"MAKE_CELL", "COPY_FREE_VARS", "RETURN_GENERATOR", "GEN_START", "RESUME"}
    for instr in dis.get_instructions(code):
        if instr.opname not in first and not (instr.opname == "POP_TOP" and code.co_flags & 0x2A0):
            return instr.offset
    raise AssertionError("a code object ends with a return")


def prefixed(code: CodeType, *prologue: Written, at: int | None = None) -> CodeType:
    """The code with a prologue put in front, after which it goes on at offset `at` of the original."""
    start = start_of(code)
    target = start if at is None else at
    if target > start:
        prologue = (*prologue, *_jump_over(target - start))
    made = assembled(*prologue)
    moved = code.replace(
        co_code=code.co_code[:start] + made + code.co_code[start:],
        co_stacksize=code.co_stacksize + len(prologue),
    )
    return _tables_moved(moved, code, start, len(made))


def replaced(code: CodeType, offset: int, *instructions: tuple[str, int]) -> CodeType:
    """Instructions written over what is there; NOPs over the caches of what was there last."""
    made = assembled(*instructions)
    last = offset + len(made) - 2
    rest = v.CACHES.get(dis.opname[code.co_code[last]], 0) if dis.opname[made[-2]] != "CACHE" else 0
    made += bytes((dis.opmap["NOP"], 0)) * rest
    return code.replace(co_code=code.co_code[:offset] + made + code.co_code[offset + len(made) :])


def _jump_over(distance: int) -> tuple[Written, ...]:
    return (("JUMP_FORWARD", distance // 2),)


def _tables_moved(made: CodeType, code: CodeType, start: int, by: int) -> CodeType:
    """Absolute jumps, the exception table and line numbers follow the body; the prologue has the first line."""
    if v.PYTHON == (3, 10):
        absolute = {dis.opmap[name] for name in dis.opmap if dis.opmap[name] in dis.hasjabs}
        data = bytearray(made.co_code)
        for offset in range(start + by, len(data), 2):
            if data[offset] in absolute:
                assert data[offset + 1] + by // 2 < 256, "a sample is short"
                data[offset + 1] += by // 2
        return made.replace(co_code=bytes(data), co_linetable=_lines_3_10(code, by))
    return made.replace(
        co_exceptiontable=_handlers_moved(code, start, by),
        co_linetable=_without_lines(len(made.co_code)),
    )


def _lines_3_10(code: CodeType, by: int) -> bytes:
    parts = [254] * (by // 254) + ([by % 254] if by % 254 else [])
    return bytes(x for part in parts for x in (part, 0)) + code.co_linetable


def _without_lines(size: int) -> bytes:
    """A line table that says of no instruction where it comes from, as Dynamo's prologues have it."""
    units = size // 2
    return b"".join(bytes((0x80 | 15 << 3 | min(8, units - at) - 1,)) for at in range(0, units, 8))


def _handlers_moved(code: CodeType, start: int, by: int) -> bytes:
    def moved(offset: int) -> int:
        return offset if offset < start else offset + by

    entries = dis._parse_exception_table(code)  # type: ignore[attr-defined]
    return b"".join(_handler(moved(e.start), moved(e.end), moved(e.target), e.depth, e.lasti) for e in entries)


def _handler(begin: int, end: int, target: int, depth: int, lasti: bool) -> bytes:
    """An entry of an exception table."""
    numbers = (begin, end - begin, target)
    offsets = b"".join(varint(number // 2, first=k == 0) for k, number in enumerate(numbers))
    return offsets + varint(depth << 1 | lasti)


def protected_from(code: CodeType, offset: int) -> CodeType:
    """The code, with the protected range that this offset is in beginning there (3.11 and later)."""
    entries = dis._parse_exception_table(code)  # type: ignore[attr-defined]
    begins = [offset if entry.start < offset < entry.end else entry.start for entry in entries]
    table = (_handler(at, e.end, e.target, e.depth, e.lasti) for at, e in zip(begins, entries, strict=True))
    return code.replace(co_exceptiontable=b"".join(table))


def varint(number: int, *, first: bool = False) -> bytes:
    digits = [number & 63]
    while number := number >> 6:
        digits.append(number & 63)
    digits.reverse()
    out = bytearray(digit | 0x40 for digit in digits[:-1]) + bytes((digits[-1],))
    if first:
        out[0] |= 0x80
    return bytes(out)


def offset_of(code: CodeType, op: str, occurrence: int = 0) -> int:
    return [i.offset for i in dis.get_instructions(code) if i.opname == op][occurrence]
