"""Generated code as the model's source with its verdict."""

from __future__ import annotations

import dis
import io
from types import CodeType

from unjit.bytecode import UnsupportedPython
from unjit.decompiler import decompile
from unjit.model import Code, Generated, Message, Name, PlainCode, Verdict
from unjit.observe.known import known
from unjit.observe.plain_code import without_scaffolding
from unjit.observe.scaffolding import scaffolding_lines


def read_code(code: CodeType) -> Code:
    """Decompile one code object."""
    try:
        answer = decompile(code)
    except UnsupportedPython as refusal:
        return _unreadable(code, str(refusal))
    except Exception as error:  # a fault in the decompiler costs the source, not the answer
        return _unreadable(code, f"the decompiler failed: {type(error).__name__}: {error}")
    verdict: Verdict = answer.verdict.value
    return Code(
        name=Name(code.co_name),
        source=Generated(answer.source),
        verdict=verdict,
        reason=None if answer.reason is None else Message(answer.reason),
        scaffolding=() if verdict == "opaque" else scaffolding_lines(answer.source),
        instructions=_count(code),
        disassembly=Generated(disassembly(code)),
        plain=known("it", _plain, code),
    )


def _plain(code: CodeType) -> PlainCode | None:
    """The code without profiling scaffolding, where it has some and the rest can be read."""
    without = without_scaffolding(code)
    if without is None:
        return None
    answer = decompile(without.code)
    verdict: Verdict = answer.verdict.value
    return None if verdict == "opaque" else PlainCode(Generated(answer.source), verdict, without.left_out)


def _unreadable(code: CodeType, reason: str) -> Code:
    shown = disassembly(code)
    source = "\n".join(f"# {line}".rstrip() for line in [reason, *shown.splitlines()])
    count = _count(code)
    return Code(Name(code.co_name), Generated(source), "opaque", Message(reason), (), count, Generated(shown))


def _count(code: CodeType) -> int:
    """How many instructions there are, inline caches left out: they have the opcode 0, which nothing else has."""
    return sum(map(bool, code.co_code[::2]))


def disassembly(code: CodeType) -> str:
    """The instructions as `dis` prints them, without those of nested code."""
    text = io.StringIO()
    dis.dis(code, file=text, depth=0)
    return text.getvalue()
