"""Bytes to instructions: arguments resolved, jumps as indices, handlers attached, caches and prefixes gone.

`dis.get_instructions` takes longer than compiling does, and says nothing about handlers before 3.11; this reads the
same facts from `co_code`, the exception table and, on 3.10, the block stack (see `blockstack`).
"""

from __future__ import annotations

import bisect
import dis
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from types import CodeType
from typing import NamedTuple

from unjit.bytecode import versions as v
from unjit.bytecode.errors import BytecodeError
from unjit.bytecode.instructions.cut import refuse_cut_cache


class Handler(NamedTuple):
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

    def under(self, handler: Handler | None) -> Instr:
        """The same instruction, protected by `handler`."""
        return Instr(self.op, self.arg, self.value, self.offset, self.line, self.target, handler)


# What is known of an opcode before any code object is seen; no NamedTuple, which takes twice as long to unpack:
_Operation = tuple[
    str,  # its name
    int,  # which of `_tables` the argument is an index of; NO_TABLE for none
    int,  # how many low bits of the argument are not the index
    int,  # the mask of the argument; 0 where there is none
    int,  # the length in bytes, inline caches included
    int,  # what the argument counts from: one of the JUMPS_ below, or NO_JUMP
    bool,  # whether it is one operation: not a prefix, and none of `SUPERINSTRUCTIONS`
]
NO_TABLE, CONSTANTS, NAMES, LOCALS, CELLS, COMPARISONS, NUMBERS, COMMON = range(-1, 7)
NO_JUMP, JUMPS_FORWARD, JUMPS_BACKWARD, JUMPS_FROM_START = range(4)


def decode(code: CodeType, *, with_lines: bool = True) -> tuple[Instr, ...]:
    """All instructions of `code`, dead ones included; without lines, each says that it has none.

    Raises UnsupportedPython on an unknown interpreter, BytecodeError where the bytes make no sense.
    """
    v.require_supported()
    refuse_cut_cache(code)
    co_code, tables = code.co_code, _tables(code)
    instrs: list[Instr] = []
    early: dict[int, int] = {}  # where operations with prefixes begin
    jumps: list[tuple[Instr, int]] = []
    end, offset, arg, name, shift = len(co_code), 0, 0, "", 0
    add, new = instrs.append, object.__new__
    ranges = code.co_lines() if with_lines else ()
    try:
        for _, its_end, line in itertools.chain(ranges, ((0, end, None),)):
            while offset < its_end:
                name, table, shift, mask, length, jump, is_single = _OPERATIONS[co_code[offset]]
                arg = (arg | co_code[offset + 1]) & mask
                if is_single:
                    value = None if table < 0 else tables[table][arg >> shift]
                    if table >= NUMBERS and not callable(value):
                        name = "LOAD_CONST"  # a literal is the same constant wherever it comes from
                    instr = new(Instr)  # and not Instr(…), which takes half as long again
                    instr.op = name
                    instr.arg = arg
                    instr.value = value
                    instr.offset = offset
                    instr.line = line
                    instr.target = instr.handler = None
                    add(instr)
                    offset += length
                    if jump:
                        jumps.append((instr, _target(jump, 2 * arg, offset)))
                elif name == "EXTENDED_ARG":
                    early[offset + 2] = early.pop(offset, offset)
                    arg, offset = arg << 8, offset + 2
                    continue
                else:
                    instrs += _both(name, arg, offset, line, tables[LOCALS])
                    offset += length
                arg = 0
    except IndexError:
        if offset < end:  # else the lines are those of longer code
            raise BytecodeError(f"{code.co_name}: {name} {arg >> shift} points outside its table") from None
    _check_end(code, offset, offset in early, instrs)
    return _connected(code, instrs, jumps, early)


def _connected(
    code: CodeType, instrs: list[Instr], jumps: list[tuple[Instr, int]], early: dict[int, int]
) -> tuple[Instr, ...]:
    """The instructions with their targets and handlers, known by now."""
    ranges = protected_ranges(code)
    if jumps or ranges:
        starts = [instr.offset for instr in instrs]
        if early:
            starts = [early.get(offset, offset) for offset in starts]
        _resolve(jumps, starts)
        _protect(instrs, ranges, [*starts, len(code.co_code)])
    return tuple(instrs) if v.PY311 else _with_block_stack(tuple(instrs))


def _check_end(code: CodeType, offset: int, has_prefix: bool, instrs: list[Instr]) -> None:
    """Refuse a last instruction that is not whole: the bytes are read up to `offset`, and a prefix belongs there."""
    if has_prefix:
        raise BytecodeError("the code ends in an EXTENDED_ARG prefix")
    if offset > len(code.co_code):
        raise BytecodeError(f"the code ends in the inline cache of {instrs[-1].op}")
    if not instrs:
        raise BytecodeError(f"{code.co_name}: no instructions")


def _both(name: str, arg: int, offset: int, line: int | None, table: Sequence[object]) -> list[Instr]:
    """The two instructions that one stands for, each with four bits of its argument."""
    pair = v.SUPERINSTRUCTIONS.get(name)
    if pair is None:
        raise BytecodeError(f"unknown opcode {name} at offset {offset}")
    return [Instr(op, half, table[half], offset, line) for op, half in zip(pair, (arg >> 4, arg & 15), strict=True)]


def _target(jump: int, distance: int, after: int) -> int:
    if jump == JUMPS_FROM_START:
        return distance
    return after + distance if jump == JUMPS_FORWARD else after - distance


def _resolve(jumps: list[tuple[Instr, int]], starts: list[int]) -> None:
    """Give the jumps their targets."""
    for instr, offset in jumps:
        index = _index_at(starts, offset)
        if index is None:
            raise BytecodeError(
                f"{instr.op} at offset {instr.offset} jumps to {offset}, where no instruction starts",
            )
        instr.target = index


def _index_at(starts: list[int], offset: int) -> int | None:
    """The index of the instruction that starts there; of the first of two that one stands for."""
    index = bisect.bisect_left(starts, offset)
    return index if index < len(starts) and starts[index] == offset else None


def _tables(code: CodeType) -> list[Sequence[object]]:
    """What arguments are indices of, in the order of CONSTANTS, NAMES, ..."""
    if v.PY311:
        local = cells = tuple(_slots(code)) if code.co_cellvars else code.co_varnames + code.co_freevars
    else:
        local, cells = code.co_varnames, code.co_cellvars + code.co_freevars
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


def _operation(opcode: int) -> _Operation:
    name = v.OPNAMES[opcode]
    if name.startswith("<") or name == "CACHE":
        return str(opcode), NO_TABLE, 0, 0, 2, NO_JUMP, False
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
    is_single = name != "EXTENDED_ARG" and name not in v.SUPERINSTRUCTIONS
    return name, table, shift, -1 if opcode >= v.HAVE_ARGUMENT else 0, length, jump, is_single


_OPERATIONS = tuple(map(_operation, range(256)))


# ---------------------------------------------------------------- handlers
def _with_block_stack(instrs: tuple[Instr, ...]) -> tuple[Instr, ...]:
    """3.10: handlers are known only when all instructions are."""
    from unjit.bytecode.instructions.blockstack import SETUPS, handlers_of_block_stack

    if not any(instr.op in SETUPS for instr in instrs):
        return instrs
    for instr, handler in zip(instrs, handlers_of_block_stack(instrs), strict=True):
        instr.handler = handler
    return instrs


def _protect(instrs: list[Instr], ranges: list[tuple[int, int, int, int, bool]], starts: list[int]) -> None:
    """Give the instructions their handlers, as the exception table says; `starts` has the end of the code as well."""
    if any(former[1] > start for former, (start, *_) in itertools.pairwise(ranges)):
        raise BytecodeError("the exception table's entries overlap or are not in order")
    for start, end, target, depth, lasti in ranges:
        first, after, handling = _index_at(starts, start), _index_at(starts, end), _index_at(starts, target)
        if first is None or after is None or handling in (None, len(instrs)):
            raise BytecodeError("the exception table names an offset where no instruction starts")
        handler = Handler(handling, depth, lasti)
        for index in range(first, after):
            instrs[index].handler = handler


def protected_ranges(code: CodeType) -> list[tuple[int, int, int, int, bool]]:
    """(start, end, target, depth, lasti) in bytes; format: InternalDocs/exception_handling.md. None before 3.11."""
    numbers, value, fresh = [], 0, True
    for byte in getattr(code, "co_exceptiontable", b""):
        value = (byte & 63) if fresh else (value << 6) | (byte & 63)
        fresh = not byte & 64
        if fresh:
            numbers.append(value)
    if not fresh or len(numbers) % 4:
        raise BytecodeError("the exception table ends within an entry")
    quads = zip(*[iter(numbers)] * 4, strict=True)
    return [(2 * s, 2 * (s + n), 2 * t, d >> 1, bool(d & 1)) for s, n, t, d in quads]
