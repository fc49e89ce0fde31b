"""Bytes to instructions: arguments resolved, jumps as indices, handlers attached, caches and prefixes gone.

`dis.get_instructions` takes longer than compiling does, and says nothing about handlers before 3.11; this reads the
same facts from `co_code`, the exception table and, on 3.10, the block stack (see `blockstack`).
"""

from __future__ import annotations

import dis
import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
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


END = -1  # stands for the offset behind the last instruction


class _Raw(NamedTuple):
    op: str
    arg: int
    start: int  # offset of the first EXTENDED_ARG prefix: what jumps name
    offset: int
    after: int  # offset behind the inline caches: what relative jumps count from


def decode(code: CodeType) -> tuple[Instr, ...]:
    """All instructions of `code`, dead ones included.

    Raises UnsupportedPython on an unknown interpreter, BytecodeError where the bytes make no sense.
    """
    v.require_supported()
    raws = _read(code.co_code)
    if not raws:
        raise BytecodeError(f"{code.co_name}: no instructions")
    index_at = _index_of_offsets(raws)
    handlers = _handlers_of_table(code, index_at) if v.PY311 else {}
    lines, meanings = _Lines(code), _Meanings(code)
    instrs: list[Instr] = []
    for raw in raws:
        line = lines.at(raw.offset)
        target = _jump_target(raw, index_at) if raw.op in v.JUMPS else None
        for op, arg in _split(raw):
            value = meanings.of(op, arg)
            name = "LOAD_CONST" if op in _WITHOUT_TABLE and not callable(value) else op
            instrs.append(Instr(name, arg, value, raw.offset, line, target, handlers.get(len(instrs))))
    return tuple(instrs) if v.PY311 else _with_block_stack(tuple(instrs))


def _read(co_code: bytes) -> list[_Raw]:
    raws = []
    offset, size = 0, len(co_code)
    while offset < size:
        start, arg = offset, 0
        opcode = co_code[offset]
        while opcode == v.EXTENDED_ARG:
            arg = (arg | co_code[offset + 1]) << 8
            offset += 2
            if offset >= size:
                raise BytecodeError("the code ends in an EXTENDED_ARG prefix")
            opcode = co_code[offset]
        op = v.OPNAMES[opcode]
        if op.startswith("<") or op == "CACHE":
            raise BytecodeError(f"unknown opcode {opcode} at offset {offset}")
        arg = arg | co_code[offset + 1] if opcode >= v.HAVE_ARGUMENT else 0
        after = offset + 2 + 2 * v.CACHES.get(op, 0)
        raws.append(_Raw(op, arg, start, offset, after))
        offset = after
    if offset > size:
        raise BytecodeError(f"the code ends in the inline cache of {raws[-1].op}")
    return raws


def _split(raw: _Raw) -> list[tuple[str, int]]:
    pair = v.SUPERINSTRUCTIONS.get(raw.op)
    if pair is None:
        return [(raw.op, raw.arg)]
    return [(pair[0], raw.arg >> 4), (pair[1], raw.arg & 15)]


def _index_of_offsets(raws: list[_Raw]) -> dict[int, int]:
    """Offset of each instruction, its prefixes included, and of the end -> index after splitting."""
    index_at, index = {}, 0
    for raw in raws:
        index_at[raw.start] = index
        index += len(_split(raw))
    index_at[END] = index_at[raws[-1].after if raws else 0] = index
    return index_at


def _jump_target(raw: _Raw, index_at: dict[int, int]) -> int:
    distance = 2 * raw.arg
    if raw.op in v.ABSOLUTE_JUMPS:
        offset = distance
    elif raw.op in v.BACKWARD_JUMPS:
        offset = raw.after - distance
    else:
        offset = raw.after + distance
    index = index_at.get(offset)
    if index is None or index == index_at[END]:
        raise BytecodeError(f"{raw.op} at offset {raw.offset} jumps to {offset}, where no instruction starts")
    return index


class _Meanings:
    """What the arguments of one code object's instructions stand for."""

    def __init__(self, code: CodeType) -> None:
        self.code = code
        cells = code.co_cellvars + code.co_freevars
        slots = tuple(_slots(code)) if v.PY311 else ()
        self.tables: dict[str, Sequence[object]] = {
            "constant": code.co_consts,
            "name": code.co_names,
            "local": slots if v.PY311 else code.co_varnames,
            "cell": slots if v.PY311 else cells,
            "comparison": dis.cmp_op,
            "number": range(256),
            "common": v.COMMON_CONSTANTS,
        }

    def of(self, op: str, arg: int) -> object:
        table = _TABLES.get(op)
        if table is None:
            return None
        kind, shift = table
        try:
            return self.tables[kind][arg >> shift]
        except IndexError:
            raise BytecodeError(f"{self.code.co_name}: {op} {arg} points outside its table") from None


def _slots(code: CodeType) -> Iterator[str]:
    """3.11 and later count locals and cells together: what stands in each place, asked of the code object itself.

    Names would not do to tell a cell that is also an argument from two places with one name.
    """
    for place in itertools.count():
        try:
            yield code._varname_from_oparg(place)  # type: ignore[attr-defined]  # public in dis since 3.11, untyped
        except IndexError:
            return


# For each operation that has one: the table that its argument is an index of, and how many low bits are not the index.
_TABLES: dict[str, tuple[str, int]] = {
    **dict.fromkeys(v.COMPARE_OPS, ("comparison", v.COMPARE_SHIFT)),
    **dict.fromkeys(v.CELL_OPS, ("cell", 0)),
    **dict.fromkeys(v.LOCAL_OPS, ("local", 0)),
    **{op: ("name", v.NAME_FLAG_BITS.get(op, 0)) for op in v.NAME_OPS},
    **dict.fromkeys(v.CONST_OPS, ("constant", 0)),
    "LOAD_SMALL_INT": ("number", 0),
    "LOAD_COMMON_CONSTANT": ("common", 0),
}


# Loads of a constant that the code object does not hold (3.14). A literal is the same constant wherever it comes from.
_WITHOUT_TABLE = frozenset({"LOAD_SMALL_INT", "LOAD_COMMON_CONSTANT"})


class _Lines:
    """Line of each offset, from a walk beside the instructions (offsets only grow)."""

    def __init__(self, code: CodeType) -> None:
        self._ranges = iter(code.co_lines())
        self._end = 0
        self._line: int | None = None

    def at(self, offset: int) -> int | None:
        while offset >= self._end:
            following = next(self._ranges, None)
            if following is None:
                return None
            _, self._end, self._line = following
        return self._line


# ---------------------------------------------------------------- handlers
def _with_block_stack(instrs: tuple[Instr, ...]) -> tuple[Instr, ...]:
    """3.10: handlers are known only when all instructions are."""
    from unjit.bytecode.blockstack import handlers_of_block_stack

    handlers = handlers_of_block_stack(instrs)
    return tuple(i if h is None else replace(i, handler=h) for i, h in zip(instrs, handlers, strict=True))


def _handlers_of_table(code: CodeType, index_at: dict[int, int]) -> dict[int, Handler]:
    handlers: dict[int, Handler] = {}
    for start, end, target, depth, lasti in _entries(code.co_exceptiontable):  # type: ignore[attr-defined]  # 3.11
        if start not in index_at or end not in index_at or target not in index_at:
            raise BytecodeError("the exception table names an offset where no instruction starts")
        handler = Handler(index_at[target], depth, lasti)
        handlers.update(dict.fromkeys(range(index_at[start], index_at[end]), handler))
    return handlers


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
