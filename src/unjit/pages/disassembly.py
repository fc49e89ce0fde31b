"""The page of a code object that has no readable source: one instruction a line, as calls, so that it is Python."""

from __future__ import annotations

import dis
import keyword
from collections.abc import Iterator, Sequence
from pathlib import PurePath
from types import CodeType

from unjit.bytecode import BytecodeError, UnsupportedPython, decode, stack_depths
from unjit.bytecode.constants.shown import listable
from unjit.pages.page import Page, below

_COMMENT_COLUMN = 60
_LONGEST = 40


def disassembly_page(code: CodeType, title: Sequence[str]) -> Page:
    """A page on which each instruction has a line of its own."""
    text = [f"def {_identifier(code.co_name)}({', '.join(_arguments(code))}):"]
    lines: dict[int, int] = {0: 1}
    depths = _depths(code)
    name = PurePath(code.co_filename).name
    user_lines = {offset: line for start, end, line in code.co_lines() for offset in range(start, end, 2)}
    for instr in dis.get_instructions(listable(code)):
        if instr.opname in ("CACHE", "EXTENDED_ARG"):
            continue
        user_line = user_lines.get(instr.offset)
        remark = [
            str(instr.offset),
            f"stack {depths[instr.offset]}" if instr.offset in depths else "never reached",
            *([] if user_line is None else [f"{name}:{user_line}"]),
        ]
        text.append(f"    {_as_call(instr)}".ljust(_COMMENT_COLUMN) + f"  # {', '.join(remark)}")
        lines[instr.offset] = len(text)
    return below([*title, "One instruction a line; after it: its offset, the stack before it, your line."],
                 "\n".join(text), lines, 1, "opaque")  # fmt: skip


def _as_call(instr: dis.Instruction) -> str:
    shown = instr.argrepr or ("" if instr.arg is None else str(instr.arg))
    shown = shown if len(shown) <= _LONGEST else shown[: _LONGEST - 1] + "…"
    return f"{instr.opname}({shown!r})" if shown else f"{instr.opname}()"


def _depths(code: CodeType) -> dict[int, int]:
    try:
        return stack_depths(decode(code))
    except (BytecodeError, UnsupportedPython):
        return {}


def _arguments(code: CodeType) -> Iterator[str]:
    count = code.co_argcount + code.co_kwonlyargcount
    return map(_identifier, code.co_varnames[:count])


def _identifier(name: str) -> str:
    word = "".join(c if c.isidentifier() or c.isdigit() else "_" for c in name)
    return word if word.isidentifier() and not keyword.iskeyword(word) else f"_{word}"
