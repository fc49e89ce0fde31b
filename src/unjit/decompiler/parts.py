"""The code objects nested in two that should be the same, side by side."""

from __future__ import annotations

from collections.abc import Iterator
from types import CodeType

from unjit.verifier import Comparer, Verdict


def differing(original: CodeType, made: CodeType, comparer: Comparer) -> list[tuple[CodeType, str | None]]:
    """The innermost nested code of `original` that is not proved, and why; none where it is itself at fault."""
    found: list[tuple[CodeType, str | None]] = []
    for one, other in side_by_side(original, made) or ():
        comparison = comparer.compare(one, other, nested=True)
        if comparison.verdict is Verdict.DIFFERENT:
            found += differing(one, other, comparer) or [(one, comparison.difference)]
    return found


def side_by_side(original: CodeType, made: CodeType) -> list[tuple[CodeType, CodeType]] | None:
    """Code objects directly nested in each, in pairs; None where one has others than the other."""
    ones, others = list(nested_in(original)), list(nested_in(made))
    if [code.co_name for code in ones] != [code.co_name for code in others]:
        return None
    return list(zip(ones, others, strict=True))


def nested_in(code: CodeType) -> Iterator[CodeType]:
    return (const for const in code.co_consts if isinstance(const, CodeType))
