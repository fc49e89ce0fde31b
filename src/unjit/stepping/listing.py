"""One code object as it is shown while it is stepped: its instructions, and the source that they belong to."""

from __future__ import annotations

import dis
import itertools
import linecache
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import CodeType

from unjit.bytecode import Handler, Instr, decode, stack_depths
from unjit.bytecode.changed.relocate import as_made
from unjit.bytecode.constants.shown import listable
from unjit.decompiler import Decompiled, Verdict
from unjit.observe.entries.profiler_scaffolding import readable, without_scaffolding
from unjit.observe.functions.sources import is_shared
from unjit.pages import code_page

_SLOT = "<value>"


@dataclass(frozen=True)
class Listing:
    """`source_line` gives the text of a line; `lines` the line of each offset."""

    code: CodeType
    title: str
    lines: Mapping[int, int]
    source_line: Callable[[int], str]
    is_written: bool = False  # the user's own text, not source that was made of the code

    @cached_property
    def instructions(self) -> dict[int, dis.Instruction]:
        """By offset, in order, as the interpreter runs them: prefixes and caches are no instructions."""
        hidden = ("CACHE", "EXTENDED_ARG")
        return {
            found.offset: found for found in dis.get_instructions(listable(self.code)) if found.opname not in hidden
        }

    @cached_property
    def depths(self) -> dict[int, int]:
        """How many values lie on the stack before each instruction that can be reached."""
        depths = stack_depths(self._decoded)
        return {offset: depths[self._begun_at.get(offset, offset)] for offset in depths}

    def call_at(self, offset: int) -> int | None:
        """The slot of what the call at an offset calls, where its arguments still lie above it: Python 3.11."""
        if offset not in self._begun_at:
            return None
        return self.depths[offset] - (self.instructions[offset].arg or 0) - 2

    @cached_property
    def _begun_at(self) -> dict[int, int]:
        """Of each call the instruction that begins it: Python 3.11 has one, which takes nothing off the stack yet."""
        pairs = itertools.pairwise(self.instructions.values())
        return {call.offset: first.offset for first, call in pairs if first.opname == "PRECALL"}

    def instruction_at(self, place: int) -> int:
        """The offset of the instruction that a place lies in: while a call lasts, the place may be in its cache."""
        return max((offset for offset in self.instructions if offset <= place), default=0)

    def handler_at(self, offset: int) -> tuple[Handler, int] | None:
        """Where an exception in this instruction goes, with the offset of the handler; None: out of the function."""
        found = next((i.handler for i in self._decoded if i.offset == offset), None)
        return None if found is None else (found, self._decoded[found.target].offset)

    def expressions_at(self, offset: int) -> tuple[str, ...]:
        """The source expression of each value on the stack, bottom first."""
        try:
            return self._stack_at(self._begun_at.get(offset, offset))
        except KeyError:
            return (_SLOT,) * self.depths.get(offset, 0)

    @property
    def constants(self) -> Mapping[str, object]:
        """Objects in the code that its source has a name for, as no literal writes them: `torch_bfloat16`."""
        return {} if self.is_written or self._shown is None else self._shown.constants

    def text_at(self, offset: int) -> str:
        """The source line of an instruction, without its indentation."""
        return self.source_line(self.lines[offset]).strip() if offset in self.lines else ""

    @cached_property
    def _decoded(self) -> tuple[Instr, ...]:
        return decode(self.code)

    def _stack_at(self, offset: int) -> tuple[str, ...]:
        """The stack's expressions in the source that is shown, which leaves out the profiler's instructions.

        What lies on the stack while those run is not in that source.
        """
        if self._shown is None:
            return (_SLOT,) * self.depths[offset]
        known = self._shown.stack_at(offset)
        return known + (_SLOT,) * (self.depths[offset] - len(known))

    @cached_property
    def _shown(self) -> Decompiled | None:
        """The source that the page has; None where the stack is shown without expressions."""
        try:
            code = as_made(self.code)
            answer, _ = readable(code, without_scaffolding(code))
        except Exception:  # a fault in the decompiler costs the expressions, not the stack
            return None
        return None if answer.verdict is Verdict.OPAQUE else answer


def listing_of(code: CodeType, *, generated: bool) -> Listing:
    """Beside the user's own text where there is one; `generated` code has the user's file name but another text.

    Where there is none, as of what `exec` made, it is beside its decompiled source as well.
    """
    file = code.co_filename
    if not generated and not is_shared(file) and linecache.getline(file, code.co_firstlineno):
        lines = {
            offset: line for start, end, line in code.co_lines() if line is not None for offset in range(start, end, 2)
        }
        title = f"{code.co_name} at {file}:{code.co_firstlineno}"
        return Listing(code, title, lines, lambda n: linecache.getline(file, n), is_written=True)
    page = code_page(code)
    text = page.text.splitlines()
    lines = _filled(code, page.lines)
    what = "generated code of" if generated else "decompiled"
    return Listing(code, f"{what} {code.co_name} ({page.verdict})", lines, lambda n: text[n - 1])


def _filled(code: CodeType, known: Mapping[int, int]) -> dict[int, int]:
    """A line for each code unit: that of the last instruction before it that has one."""
    lines: dict[int, int] = {}
    for offset in range(0, len(code.co_code), 2):
        if offset in known or lines:
            lines[offset] = known.get(offset, lines.get(offset - 2, 1))
    return lines
