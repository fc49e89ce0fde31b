"""What to change so that a guard on a tensor holds: its dtype, its sizes, its layout, its gradient."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from unjit.guards.actual import shape_in
from unjit.guards.dispatch_keys import DISPATCH_KEYS, advice_on_keys
from unjit.guards.evaluate import Finding
from unjit.guards.tensors import is_parameter
from unjit.model import Guard, Unknown
from unjit.model.words.wording import SIZES_VARY, an_entry_for_each_size, requires_grad_of, sizes_of_a_parameter

SPECIAL = {"0", "1"}  # sizes that torch never lets vary
_DTYPE, _STRIDE, _GRADIENT = map(re.compile, (r"\bdtype ", r"\bstride \(", r"\brequires_grad "))
_ARRAY = re.compile(r"torch\.as_tensor\((.*)\)")  # of which Dynamo itself makes a tensor, that nobody can mark

Fixed: TypeAlias = dict[tuple[str, int | None], list[str]]  # sizes by tensor and dimension, and values by subject


def subject_of(guard: Guard) -> str:
    """What a guard is about, as the user writes it."""
    return "it" if isinstance(guard.subject, Unknown) else str(guard.subject)


def made_for(findings: Iterable[Finding]) -> Fixed:
    """The sizes and values that entries are made for, where they are not let vary."""
    fixed: Fixed = {}
    for finding in findings:
        subject = subject_of(finding.guard)
        shape = shape_in(finding.expected) if finding.guard.kind == "TENSOR_MATCH" else None
        for dimension, size in enumerate(shape or ()):
            known = fixed.setdefault((subject, dimension), [])
            known += [size] if size not in (*known, *SPECIAL, "any") else []
        if finding.guard.kind == "EQUALS_MATCH":
            fixed.setdefault((subject, None), []).append(finding.expected)
    return fixed


def in_hand(subject: str) -> str:
    """What the user has: of the tensor that Dynamo makes of an array, the array."""
    array = _ARRAY.fullmatch(subject)
    return array[1] if array else subject


def of_a_small_size(subject: str) -> str:
    """What to do about a size of 0 or 1; of a tensor that another keeps to itself, nobody can choose it directly."""
    if "._" in subject:
        return f"torch makes an entry of its own for a size of 0 or 1, here of {subject}: accept one more entry."
    return f"torch makes an entry of its own for a size of 0 or 1: pad {in_hand(subject)}, or accept one more entry."


def there_or_not(finding: Finding, subject: str) -> str:
    """What to do about a value that is None in some calls and something else in others."""
    ways = {"arguments": f"always pass {subject}, or never", "module": f"let {subject} be either in all calls"}
    same = ways.get(finding.guard.topic, f"set {subject} once, before the first call")
    return f"None and anything else need an entry each: {same}, or accept both."


def advice_on_tensor(finding: Finding, subject: str, sizes_and_values: Fixed) -> Iterator[str]:
    """One sentence for each property that differs, but for strides that follow from the shape."""
    is_array = in_hand(subject) != subject
    fixed = {at: known for (of, at), known in sizes_and_values.items() if of == subject and at is not None}
    subject = in_hand(subject)
    if finding.actual.startswith(DISPATCH_KEYS):
        yield advice_on_keys(finding, subject)
        return
    if finding.guard.topic == "module":
        yield f"Leave {subject} of the module as it is between calls, or accept one entry for each kind of it."
        return
    if finding.expected == finding.guard.expected:  # in whole: no property of what is there can be told
        yield _no_tensor(finding, subject)
        return
    told = list(_by_property(finding, subject, fixed, is_array=is_array))
    yield from told or [f"Pass {subject} with the expected properties, or accept one entry for each kind of {subject}."]


def _no_tensor(finding: Finding, subject: str) -> str:
    if finding.actual == "None":
        return there_or_not(finding, subject)
    how = "Pass {} as" if finding.guard.topic == "arguments" else "Let {} be"
    return (
        f"{how.format(subject)} a tensor in all calls, or accept an entry for each: torch.tensor makes one of numbers."
    )


def _by_property(finding: Finding, subject: str, fixed: dict[int, list[str]], *, is_array: bool) -> Iterator[str]:
    actual = finding.actual
    if _DTYPE.search(actual):
        yield f"Convert {subject} to one dtype before the call, or accept one entry for each dtype."
    wanted, given = shape_in(finding.expected), shape_in(actual)
    if wanted is not None and given is not None:
        if len(wanted) == len(given) and is_parameter(finding.guard):
            yield sizes_of_a_parameter(subject)
        else:
            yield _each_its_own(subject, wanted, given, fixed) or _sizes(subject, wanted, given, may_mark=not is_array)
    elif _STRIDE.search(actual):
        example = f"numpy.ascontiguousarray({subject})" if is_array else f"{subject}.contiguous()"
        yield f"Give {subject} the same layout in all calls, for example by {example}."
    if _GRADIENT.search(actual):
        yield requires_grad_of(subject)


def _each_its_own(subject: str, wanted: list[str], given: list[str], fixed: dict[int, list[str]]) -> str | None:
    """Of a size that varied before and was not let vary: Dynamo does so by itself from its second value on."""
    if len(wanted) != len(given):
        return None
    own = [k for k, size in enumerate(wanted) if size not in ("any", given[k]) and len(fixed.get(k, ())) > 1]
    if not own or given[own[0]] in SPECIAL:
        return None
    return f"{an_entry_for_each_size(subject, own[0], fixed[own[0]])} `unjit run` names the line that needs it."


def _sizes(subject: str, wanted: list[str], given: list[str], *, may_mark: bool) -> str:
    if len(wanted) != len(given):
        return f"Give {subject} the same number of dimensions in all calls, or accept one entry for each number."
    if not may_mark:
        return f"To let one entry serve several sizes of {subject}, compile with dynamic=True, or pass a tensor."
    others = [k for k, (one, other) in enumerate(zip(wanted, given, strict=True)) if one not in (other, "any")]
    if any({wanted[k], given[k]} & SPECIAL for k in others):
        return of_a_small_size(subject)
    dimension = others[0] if len(others) == 1 else others or "dim"
    return (
        f"To let one entry serve several sizes of {subject}, compile with dynamic=True, or mark what varies before the "
        f"first call: torch._dynamo.mark_dynamic({subject}, {dimension}), and the same in every argument whose size "
        f"changes with it, or torch raises an error. {SIZES_VARY}"
    )
