"""Bytes to instructions: arguments resolved, jumps as indices, handlers attached, caches and prefixes gone.

`dis.get_instructions` takes longer than compiling does, and says nothing about handlers before 3.11; this reads the
same facts from `co_code`, the exception table and, on 3.10, the block stack (see `blockstack`).
"""

from __future__ import annotations

import dis
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import NamedTuple

from unjit.bytecode import versions as v
from unjit.bytecode.errors import BytecodeError


@dataclass(frozen=True, slots=True)
class Handler:
    """Where an exception goes: instruction index, stack depth to cut to, whether the failing offset is pushed."""

    target: int
    depth: int
    lasti: bool


@dataclass(slots=True, unsafe_hash=True)  # never changed; `frozen` would make each cost three times as much
class Instr:
    """One elementary operation.

    `value` is the constant, the name, the local's or cell's name, or the comparison operator that the argument
    stands for; `target` the index of the instruction jumped to; `offset` that of the operation in `co_code`.
    """

    op: str
    arg: int
    value: object
    offset: int
    line: int | None
    target: int | None = None
    handler: Handler | None = None


class _Operation(NamedTuple):
    """What is known of an opcode before any code object is seen."""

    name: str
    has_argument: bool
    length: int  # in bytes, inline caches included
    table: int  # which of `_tables` the argument is an index of; NO_TABLE for none
    shift: int  # how many low bits of the argument are not the index
    jump: int  # what the argument counts from: one of the JUMPS_ below, or NO_JUMP
    pair: tuple[str, str] | None  # the two operations that it stands for


NO_TABLE, CONSTANTS, NAMES, LOCALS, CELLS, COMPARISONS, NUMBERS, COMMON = range(-1, 7)
NO_JUMP, JUMPS_FORWARD, JUMPS_BACKWARD, JUMPS_FROM_START = range(4)


def decode(code: CodeType, *, with_lines: bool = True) -> tuple[Instr, ...]:
    """All instructions of `code`, dead ones included; without lines, each says that it has none.

    Raises UnsupportedPython on an unknown interpreter, BytecodeError where the bytes make no sense.
    """
    v.require_supported()
    co_code = code.co_code
    instrs: list[Instr] = []
    jumps: list[tuple[Instr, int]] = []
    index_at = [-1] * (len(co_code) // 2 + 1)  # by code unit, prefixes included: the index of what starts there
    lines, tables = _lines(code, len(index_at)) if with_lines else [None] * len(index_at), _tables(code)
    end, offset, start, arg, name, shift = len(co_code), 0, 0, 0, "", 0
    try:
        while offset < end:
            operation = _OPERATIONS[co_code[offset]]
            if operation is None:
                raise BytecodeError(f"unknown opcode {co_code[offset]} at offset {offset}")
            name, has_argument, length, table, shift, jump, pair = operation
            if name == "EXTENDED_ARG":
                arg = (arg | co_code[offset + 1]) << 8
                offset += 2
                continue
            arg = arg | co_code[offset + 1] if has_argument else 0
            index_at[start // 2] = len(instrs)
            if pair is not None:
                instrs += _both(pair, arg, offset, lines[offset // 2], tables[LOCALS])
            else:
                value = None if table == NO_TABLE else tables[table][arg >> shift]
                if table >= NUMBERS and not callable(value):
                    name = "LOAD_CONST"  # a literal is the same constant wherever it comes from
                instrs.append(Instr(name, arg, value, offset, lines[offset // 2]))
                if jump:
                    jumps.append((instrs[-1], _target(jump, 2 * arg, offset + length)))
            offset += length
            start, arg = offset, 0
    except IndexError:
        raise BytecodeError(f"{code.co_name}: {name} {arg >> shift} points outside its table") from None
    _check_end(code, start, offset, instrs)
    _resolve(jumps, index_at)
    if v.PY311:
        index_at[-1] = len(instrs)
        _protect(instrs, code, index_at)
        return tuple(instrs)
    return _with_block_stack(tuple(instrs))


def _check_end(code: CodeType, start: int, offset: int, instrs: list[Instr]) -> None:
    """Refuse a last instruction that is not whole: one starts at `start`, the bytes are read up to `offset`."""
    if start != offset:
        raise BytecodeError("the code ends in an EXTENDED_ARG prefix")
    if offset > len(code.co_code):
        raise BytecodeError(f"the code ends in the inline cache of {instrs[-1].op}")
    if not instrs:
        raise BytecodeError(f"{code.co_name}: no instructions")


def _both(pair: tuple[str, str], arg: int, offset: int, line: int | None, table: Sequence[object]) -> list[Instr]:
    """The two instructions that one stands for, each with four bits of its argument."""
    return [Instr(op, half, table[half], offset, line) for op, half in zip(pair, (arg >> 4, arg & 15), strict=True)]


def _target(jump: int, distance: int, after: int) -> int:
    if jump == JUMPS_FROM_START:
        return distance
    return after + distance if jump == JUMPS_FORWARD else after - distance


def _resolve(jumps: list[tuple[Instr, int]], index_at: list[int]) -> None:
    """Give the jumps their targets, known by now."""
    for instr, offset in jumps:
        index = index_at[offset // 2] if 0 <= offset < 2 * len(index_at) else -1
        if index < 0:
            raise BytecodeError(
                f"{instr.op} at offset {instr.offset} jumps to {offset}, where no instruction starts",
            )
        instr.target = index


def _tables(code: CodeType) -> list[Sequence[object]]:
    """What arguments are indices of, in the order of CONSTANTS, NAMES, ..."""
    slots = tuple(_slots(code)) if v.PY311 else None
    local, cells = (code.co_varnames, code.co_cellvars + code.co_freevars) if slots is None else (slots, slots)
    return [code.co_consts, code.co_names, local, cells, dis.cmp_op, range(256), v.COMMON_CONSTANTS]


def _slots(code: CodeType) -> Iterator[str]:
    """3.11 and later count locals and cells together: what stands in each place, asked of the code object itself.

    Names would not do to tell a cell that is also an argument from two places with one name.
    """
    for place in itertools.count():
        try:
            yield code._varname_from_oparg(place)  # type: ignore[attr-defined]  # public in dis since 3.11, untyped
        except IndexError:
            return


def _lines(code: CodeType, units: int) -> list[int | None]:
    """The line of each code unit."""
    lines: list[int | None] = []
    for start, end, line in code.co_lines():
        lines += [line] * ((end - start) // 2)
    return lines + [None] * (units - len(lines))


def _operation(opcode: int) -> _Operation | None:
    name = v.OPNAMES[opcode]
    if name.startswith("<") or name == "CACHE":
        return None
    # The last two load a constant that the code object does not hold (3.14).
    without_table = ({"LOAD_SMALL_INT"}, {"LOAD_COMMON_CONSTANT"})
    kinds = (v.CONST_OPS, v.NAME_OPS, v.LOCAL_OPS, v.CELL_OPS, v.COMPARE_OPS, *without_table)
    table = next((kind for kind, names in enumerate(kinds) if name in names), NO_TABLE)
    shift = v.COMPARE_SHIFT if table == COMPARISONS else v.NAME_FLAG_BITS.get(name, 0) if table == NAMES else 0
    jump = NO_JUMP
    if name in v.JUMPS:
        backward = name in v.BACKWARD_JUMPS
        jump = JUMPS_FROM_START if name in v.ABSOLUTE_JUMPS else JUMPS_BACKWARD if backward else JUMPS_FORWARD
    length = 2 + 2 * v.CACHES.get(name, 0)
    return _Operation(name, opcode >= v.HAVE_ARGUMENT, length, table, shift, jump, v.SUPERINSTRUCTIONS.get(name))


_OPERATIONS = tuple(map(_operation, range(256)))


# ---------------------------------------------------------------- handlers
def _with_block_stack(instrs: tuple[Instr, ...]) -> tuple[Instr, ...]:
    """3.10: handlers are known only when all instructions are."""
    from unjit.bytecode.blockstack import SETUPS, handlers_of_block_stack

    if not any(instr.op in SETUPS for instr in instrs):
        return instrs
    for instr, handler in zip(instrs, handlers_of_block_stack(instrs), strict=True):
        instr.handler = handler
    return instrs


def _protect(instrs: list[Instr], code: CodeType, index_at: list[int]) -> None:
    """Give the instructions their handlers, as the exception table says."""
    for start, end, target, depth, lasti in _entries(code.co_exceptiontable):  # type: ignore[attr-defined]  # 3.11
        units = (start // 2, end // 2, target // 2)
        if max(units) >= len(index_at) or min(index_at[unit] for unit in units) < 0 or target // 2 == len(index_at) - 1:
            raise BytecodeError("the exception table names an offset where no instruction starts")
        handler = Handler(index_at[target // 2], depth, lasti)
        for index in range(index_at[start // 2], index_at[end // 2]):
            instrs[index].handler = handler


def _entries(table: bytes) -> list[tuple[int, int, int, int, bool]]:
    """(start, end, target, depth, lasti) in bytes; format: InternalDocs/exception_handling.md."""
    numbers, value, fresh = [], 0, True
    for byte in table:
        value = (byte & 63) if fresh else (value << 6) | (byte & 63)
        fresh = not byte & 64
        if fresh:
            numbers.append(value)
    if not fresh or len(numbers) % 4:
        raise BytecodeError("the exception table ends within an entry")
    quads = zip(*[iter(numbers)] * 4, strict=True)
    return [(2 * s, 2 * (s + n), 2 * t, d >> 1, bool(d & 1)) for s, n, t, d in quads]
