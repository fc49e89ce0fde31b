"""The page of a code object: its decompiled source, or its disassembly where there is none."""

from __future__ import annotations

import ast
from collections.abc import Mapping, Sequence
from pathlib import PurePath
from types import CodeType

from unjit.bytecode import Instr, reachable_in
from unjit.bytecode.changed.relocate import as_made
from unjit.decompiler import Verdict
from unjit.decompiler.render.lowering.names import ENCLOSING
from unjit.model.words.wording import in_words
from unjit.observe.entries.profiler_scaffolding import readable, without_scaffolding
from unjit.pages.disassembly import disassembly_page
from unjit.pages.order import in_order
from unjit.pages.page import Page, below, with_remarks

_UNCHANGED = "The bytecode that runs is what torch.compile made; only its file name and line numbers are of this file."
_FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef)


def code_page(code: CodeType, title: Sequence[str] = (), *, runs_from_here: bool = False) -> Page:
    """The most readable page that is proved. `title` is what to say of the code, in lines.

    With `runs_from_here` the page becomes a file from which code like this runs, and says that only names differ.

    Instructions that only serve torch's profiler lie on the line of what they surround. Raises nothing: a fault in
    the decompiler costs the source, and the page says so.
    """
    code = as_made(code)  # a page tells the user's lines, not those of an older page
    try:
        answer, left_out = readable(code, without_scaffolding(code))
        if answer.verdict is Verdict.OPAQUE:
            return disassembly_page(code, [*title, f"opaque: {answer.reason}"])
        instrs = reachable_in(code)
        known = {i.offset: line for i in instrs if (line := answer.line_of(i.offset)) is not None}
        definition = _line_of_definition(answer.source)
        lines = in_order(instrs, known, definition)
        text = with_remarks(answer.source, _user_lines(code, instrs, lines, definition))
        without = f" without {left_out} instructions that only serve torch's profiler" if left_out else ""
        verdict = f"{answer.verdict}: proved to do the same as the bytecode{without}."
        told = [*title, verdict, *([_UNCHANGED] if runs_from_here else [])]
        return below(told, text, lines, definition, str(answer.verdict))
    except Exception as fault:
        return disassembly_page(code, [*title, f"opaque: the decompiler failed: {in_words(fault)}"])


def _line_of_definition(source: str) -> int:
    """Of the function itself: one with free variables stands inside another that gives them."""
    functions = [node for node in ast.walk(ast.parse(source)) if isinstance(node, _FUNCTIONS)]
    outer = functions[0]
    inner = [node for node in outer.body if isinstance(node, _FUNCTIONS)]
    return inner[0].lineno if outer.name == ENCLOSING and inner else outer.lineno


def _user_lines(code: CodeType, instrs: Sequence[Instr], lines: Mapping[int, int], definition: int) -> dict[int, str]:
    """For each line of the source the user's lines that it comes from, as the code's own line table has them."""
    found: dict[int, set[int]] = {}
    for instr in instrs:
        line = lines.get(instr.offset)
        if line is not None and line != definition and instr.line is not None:
            found.setdefault(line, set()).add(instr.line)
    name = PurePath(code.co_filename).name
    return {line: f"{name}:{', '.join(map(str, sorted(users)))}" for line, users in sorted(found.items())}
