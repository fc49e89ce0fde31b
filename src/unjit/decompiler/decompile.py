"""The entry point: anything with code in, verified source out."""

from __future__ import annotations

import ast
from dataclasses import replace
from types import CodeType

from unjit.bytecode import BytecodeError, Instr, decode, decoding_once, reachable
from unjit.decompiler.collection import collection_paused
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.maps import WhenAsked, lines_of_offsets, stacks_of
from unjit.decompiler.opaque import opaque_source
from unjit.decompiler.pipeline import TIERS, Tier, statements_of, statements_of_fragment
from unjit.decompiler.recompile import ENCLOSING, recompile
from unjit.decompiler.render.functions import FunctionRenderer
from unjit.decompiler.render.names import Names
from unjit.decompiler.render.preamble import needs_enclosing, preamble
from unjit.decompiler.render.printer import Printer
from unjit.decompiler.result import Decompiled, Synthetic, Verdict
from unjit.verifier import Comparison, compare
from unjit.verifier import Verdict as Proof


def decompile(target: object) -> Decompiled:
    """Source of a function, method or code object, from its bytecode alone.

    Returns only after verification. Raises TypeError when `target` has no Python bytecode, UnsupportedPython on an
    interpreter that unjit has no tables for, BytecodeError when the bytes are no bytecode.
    """
    code = code_of(target)
    with collection_paused(), decoding_once():
        return _decompiled(code)


def _decompiled(code: CodeType) -> Decompiled:
    """The answer of the first tier whose source is proved."""
    reachable(decode(code))  # raises for bytes that no tier can make sense of
    reasons: list[str] = []
    for tier in TIERS:
        try:
            answer = _attempt(code, tier)
        except CannotExpress as refusal:
            reasons.append(str(refusal))
        except RecursionError:
            reasons.append("the code is nested deeper than this interpreter can follow")
        except BytecodeError:
            raise
        except Exception as fault:  # a fault of ours costs this tier, and is told
            reasons.append(f"a fault in the decompiler: {type(fault).__name__}: {fault}")
        else:
            if isinstance(answer, Decompiled):
                return answer
            reasons.append(answer.difference or "the recompiled code differs")
    reason = reasons[0]
    return Decompiled(code, opaque_source(code, reason), Verdict.OPAQUE, reason)


def _attempt(code: CodeType, tier: Tier) -> Decompiled | Comparison:
    """The verified answer of one tier, or why its source is not the same."""
    names = Names(code)
    graph, body = statements_of(code, tier)
    renderer = FunctionRenderer(names, _Bodies(code, body, tier))
    function = renderer.function(code, names.of_definition(code.co_name))
    free = tuple(map(names.of_variable, code.co_freevars))
    printer = Printer(preamble(names, free))
    if needs_enclosing(function):
        printer.definition_inside(ENCLOSING, free, function)
    else:
        printer.definition(function)
    source = "\n".join(printer.lines) + "\n"
    made = recompile(source, code, names.constants, names.renamed, names.helpers)
    comparison = compare(code, made)
    if comparison.verdict is Proof.DIFFERENT:
        return comparison
    return Decompiled(
        code,
        source,
        Verdict(comparison.verdict.value),
        comparison.difference,
        Synthetic(renderer.helpers, names.temporaries - tier.selectors, tier.selectors),
        made,
        WhenAsked(lambda: lines_of_offsets(code, graph, printer.line_of, printer.first_line)),
        WhenAsked(lambda: stacks_of(code, graph, names)),
    )


class _Bodies:
    """The statements of the code being decompiled, known already, and of those nested in it, made on demand."""

    def __init__(self, code: CodeType, body: list[ast.stmt], tier: Tier) -> None:
        self.code, self.body, self.tier = code, body, tier
        self.readable = replace(tier, structure=TIERS[0].structure)

    def of_code(self, code: CodeType) -> list[ast.stmt]:
        if code is self.code:
            return self.body
        try:
            return statements_of(code, self.readable)[1]
        except CannotExpress:
            if not self.tier.selectors:
                raise
            return statements_of(code, self.tier)[1]

    def of_fragment(self, instrs: tuple[Instr, ...]) -> list[ast.stmt]:
        return statements_of_fragment(self.code, instrs, self.readable)


_BEHIND = ("__code__", "__func__", "__wrapped__", "func", "fget", "gi_code", "cr_code", "ag_code")


def code_of(target: object) -> CodeType:
    """The code object behind a function, bound method, property getter, callable instance or code object.

    Raises TypeError when there is none.
    """
    seen: list[object] = []
    while not any(target is known for known in seen):
        if isinstance(target, CodeType):
            return target
        seen.append(target)
        inner = (getattr(target, name, None) for name in _BEHIND)
        target = next((value for value in inner if value is not None), target)
    call = type(target).__dict__.get("__call__")
    if hasattr(call, "__code__"):
        return code_of(call)
    raise TypeError(f"{target!r} has no Python bytecode (it is a {type(target).__name__})")
