"""The entry point: anything with code in, verified source out."""

from __future__ import annotations

import operator
from types import CodeType

from unjit.bytecode import decoding_once, reachable_in
from unjit.collection import collection_paused
from unjit.decompiler.answer.maps import WhenAsked, lines_of_offsets, stacks_of
from unjit.decompiler.answer.opaque import opaque_source
from unjit.decompiler.answer.result import Decompiled, Synthetic, Verdict
from unjit.decompiler.answer.verdicts import differing
from unjit.decompiler.code_behind import code_of
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.plan import Plan
from unjit.decompiler.recompiling.recompile import recompile
from unjit.decompiler.render.definitions.functions import FunctionRenderer
from unjit.decompiler.render.definitions.units import print_unit, unit_of
from unjit.decompiler.render.lowering.in_slices import WriterInSlices
from unjit.decompiler.render.lowering.names import Names
from unjit.decompiler.render.printing.printer import Printer, lines_of
from unjit.decompiler.render.printing.writer import Writer
from unjit.verifier import Comparer, Comparison
from unjit.verifier import Verdict as Proof


def decompile(target: object) -> Decompiled:
    """Source of a function, method or code object, of a class body's and a module's too, from its bytecode alone.

    Returns only after verification. Raises TypeError when `target` has no Python bytecode, UnsupportedPython on an
    interpreter that unjit has no tables for, BytecodeError when the bytes are no bytecode.
    """
    code = code_of(target)
    with collection_paused(), decoding_once():
        reachable_in(code)  # raises for bytes that no tier can make sense of
        try:
            return _decompiled(code, Plan(code))
        except RecursionError:
            return _decompiled(code, Plan(code, in_slices=True))


def _decompiled(code: CodeType, plan: Plan) -> Decompiled:
    """The answer of the first tier whose source is proved, chosen for each nested code object by itself.

    Raises RecursionError where an expression is deeper than the stack, and not rendered in slices.
    """
    comparer = Comparer()
    while plan.tier(code) is not None:
        answer = _attempt(code, plan, comparer)
        if answer is not None:
            return answer
    reason = plan.reason(code)
    return Decompiled(code, opaque_source(code, reason), Verdict.OPAQUE, reason)


def _attempt(code: CodeType, plan: Plan, comparer: Comparer) -> Decompiled | None:
    """The answer, if the source that the plan's tiers make is proved; None if it is not, and tiers were demoted."""
    names = Names(code)
    renderer = FunctionRenderer(names, plan)
    unit = renderer.settled(code, lambda: unit_of(code, renderer, names))
    if unit is None:
        return None
    try:
        printer = print_unit(unit, code, names, WriterInSlices() if plan.in_slices else Writer())
    except Exception as fault:  # a fault of ours costs this tier, and is told
        plan.failed(code, fault)
        return None
    source = "\n".join(printer.lines) + "\n"
    try:
        made = recompile(source, code, names, is_printed=True)
    except CannotExpress as refusal:
        _demote(printer.code_at(getattr(refusal, "line", None)) or code, str(refusal), code, plan)
        return None
    comparison = comparer.compare(code, made, nested=False)
    if comparison.verdict is Proof.DIFFERENT:
        for culprit, difference in differing(code, made, comparer) or [(code, comparison.difference)]:
            if not plan.put_in_order(culprit):
                _demote(culprit, difference or "the recompiled code differs", code, plan)
        return None
    return _answer(code, made, source, comparison, plan, names, printer)


def _demote(culprit: CodeType, reason: str, whole: CodeType, plan: Plan) -> None:
    """Demote the culprit; if it has no tier left and is shown as opaque, the fault lies in the code around it."""
    plan.demote(whole if plan.tier(culprit) is None else culprit, reason)


_OFFSET = operator.attrgetter("offset")


def _answer(
    code: CodeType,
    made: CodeType,
    source: str,
    comparison: Comparison,
    plan: Plan,
    names: Names,
    printer: Printer,
) -> Decompiled:
    assert plan.graph is not None
    # The answer holds what its maps are made from as long as it is kept: only what they need, not the graph.
    blocks = [[*map(_OFFSET, block.instrs)] for block in plan.graph.blocks]
    placed, first_line, noting = printer.placed, printer.first_line, plan.noting_stacks()
    is_identical, selectors = comparison.verdict is Proof.IDENTICAL, plan.selectors
    verdict, reason = Verdict.IDENTICAL if is_identical else Verdict.EQUIVALENT, comparison.difference
    if names.unrecovered:
        verdict, reason = Verdict.OPAQUE, "; ".join(names.unrecovered)
    return Decompiled(
        code,
        source,
        verdict,
        reason,
        Synthetic(names.helper_calls, names.temporaries - selectors, selectors),
        tuple((code, sentence) for sentence, code in names.unrecovered.items()),
        names.constants,
        made,
        WhenAsked(lambda: lines_of_offsets(code, blocks, lines_of(placed), first_line)),
        WhenAsked(lambda: _stacks(code, noting)),
        lambda edited, values: recompile(edited, code, names.with_constants(values)),
    )


def _stacks(code: CodeType, plan: Plan) -> dict[int, tuple[str, ...]]:
    """For each offset the source text of the values on the stack there, from a graph that is made anew.

    Few callers ask, and an answer that kept the values would keep most of its graph.
    """
    names, again = Names(code), plan.noting_stacks()
    with collection_paused(), decoding_once():
        unit_of(code, FunctionRenderer(names, again), names)
        assert again.graph is not None
        return stacks_of(code, again.graph.shown_stacks, names)
