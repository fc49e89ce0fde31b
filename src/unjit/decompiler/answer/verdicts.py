"""The code objects nested in two that should be the same, side by side, and the verdict on each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType

from unjit.bytecode import reachable_in
from unjit.decompiler.answer.result import Decompiled, Verdict
from unjit.verifier import Comparer
from unjit.verifier import Verdict as Proof


@dataclass(frozen=True)
class Part:
    """One function, class or module of an answer, with its own verdict."""

    name: str
    line: int
    verdict: Verdict
    reason: str | None


def verdicts(answer: Decompiled) -> list[Part]:
    """The verdict on the code that was decompiled, then on each function, class and lambda in it, outer ones first.

    `line` is the 1-based line on which each begins in its own file.
    """
    comparer = Comparer()
    own = comparer.compare(answer.code, answer.recompile(), nested=False)
    alone = Verdict.OPAQUE if answer.is_opaque_itself else Verdict(own.verdict.value)
    whole = Part(_name(answer.code), answer.code.co_firstlineno, alone, answer.reason)
    return [whole, *_nested(answer.code, answer.recompile(), dict(answer.unrecovered), comparer)]


def _nested(code: CodeType, made: CodeType, left: dict[CodeType, str], comparer: Comparer) -> Iterator[Part]:
    for one, other in side_by_side(code, made) or ():
        reason = left.get(one) if one is other else None
        comparison = comparer.compare(one, other, nested=True)
        verdict = Verdict(comparison.verdict.value) if reason is None and one is not other else Verdict.OPAQUE
        if not one.co_name.startswith("<") or one.co_name == "<lambda>":
            yield Part(_name(one), one.co_firstlineno, verdict, reason)
        yield from _nested(one, other, left, comparer)


def _name(code: CodeType) -> str:
    return getattr(code, "co_qualname", code.co_name)


def differing(original: CodeType, made: CodeType, comparer: Comparer) -> list[tuple[CodeType, str | None]]:
    """The innermost code nested in `original` that is not proved the same in `made`, and why; empty if all of it is."""
    found: list[tuple[CodeType, str | None]] = []
    for one, other in side_by_side(original, made) or ():
        comparison = comparer.compare(one, other, nested=True)
        if comparison.verdict is Proof.DIFFERENT:
            found += differing(one, other, comparer) or [(one, comparison.difference)]
    return found


def side_by_side(original: CodeType, made: CodeType) -> list[tuple[CodeType, CodeType]] | None:
    """The code objects directly nested in each, in pairs; None where their names differ."""
    ones, others = list(_nested_in(original)), list(_nested_in(made))
    if [code.co_name for code in ones] != [code.co_name for code in others]:
        return None
    return list(zip(ones, others, strict=True))


def _nested_in(code: CodeType) -> Iterator[CodeType]:
    """In the order of the constants; those that only dead code makes are no part of what the source says."""
    made = {id(instr.value) for instr in reachable_in(code) if isinstance(instr.value, CodeType)}
    return (const for const in code.co_consts if isinstance(const, CodeType) and id(const) in made)
