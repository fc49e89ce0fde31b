"""Generated code as the model's source with its verdict."""

from __future__ import annotations

import dis
import io
from types import CodeType

from unjit.bytecode import UnsupportedPython
from unjit.bytecode.changed.relocate import as_made
from unjit.bytecode.constants.shown import listable
from unjit.decompiler import decompile
from unjit.model import Code, Generated, Message, Name, Unknown
from unjit.model.words.wording import in_words
from unjit.observe.entries.profiler_scaffolding import readable, without_scaffolding
from unjit.observe.faults import known


def read_code(code: CodeType, *, scaffolding: bool = False) -> Code:
    """Decompile one code object; with `scaffolding`, also what only serves torch's profiler."""
    without = None if scaffolding else known("what serves the profiler", without_scaffolding, code)
    try:
        answer, left_out = (decompile(code), 0) if isinstance(without, Unknown) else readable(code, without)
    except UnsupportedPython as refusal:
        return _unreadable(code, str(refusal))
    except Exception as error:  # a fault in the decompiler must not cost the rest of the answer
        return _unreadable(code, f"the decompiler failed: {in_words(error)}")
    return Code(
        name=Name(code.co_name),
        source=Generated(answer.source),
        verdict=answer.verdict.value,
        reason=None if answer.reason is None else Message(answer.reason),
        left_out=without if isinstance(without, Unknown) else left_out,
        instructions=_count(code),
        disassembly=Generated(disassembly(code)),
    )


def _unreadable(code: CodeType, reason: str) -> Code:
    shown = disassembly(code)
    source = "\n".join(f"# {line}".rstrip() for line in [reason, *shown.splitlines()])
    count = _count(code)
    return Code(Name(code.co_name), Generated(source), "opaque", Message(reason), 0, count, Generated(shown))


def _count(code: CodeType) -> int:
    """How many instructions there are, without inline caches, which alone have the opcode 0."""
    return sum(map(bool, code.co_code[::2]))


def disassembly(code: CodeType) -> str:
    """The instructions as `dis` prints them, with the user's lines, without those of nested code."""
    text = io.StringIO()
    dis.dis(listable(as_made(code)), file=text, depth=0)
    return text.getvalue()
