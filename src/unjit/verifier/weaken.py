"""What two states have in common: the weakest knowledge that holds in both.

A state is a list of value numbers. One covers another if it only says about the slots what the other says too: equal
where it says equal, bound where it says bound, this constant where it says so.
"""

from __future__ import annotations

from collections.abc import Sequence

from unjit.verifier.values import BOOL, EXCEPTION, NULLABLE, Values


def covers(values: Values, general: Sequence[int], special: Sequence[int]) -> bool:
    """Whether the second state is an instance of the first."""
    known: dict[int, int] = {}
    return all(_instance(values, known, one, other) for one, other in zip(general, special, strict=True))


def _instance(values: Values, known: dict[int, int], general: int, special: int) -> bool:
    if general in known:
        return known[general] == special
    term, other = values.terms[general], values.terms[special]
    if term[0] == "symbol":
        flags, found = values.flags[general], values.flags[special]
        known[general] = special
        promised = flags & (BOOL | EXCEPTION)
        return found & promised == promised and not (found & NULLABLE and not flags & NULLABLE)
    if term[0] in WITHOUT_PARTS:
        return general == special
    # Also where the numbers are equal: a slot that holds a part may not be.
    return (
        term[0] == other[0]
        and all(
            _instance(values, known, int(one), int(part))  # type: ignore[call-overload]
            for one, part in zip(term[1:], other[1:], strict=True)
        )
    )


WITHOUT_PARTS = ("null", "constant", "given")
# Terms that are weakened part by part; tests become just any True or False.
COMPOUND = ("method", "self", "traceback", "type")


def _compound(values: Values, one: int, other: int) -> bool:
    """Terms of one kind with parts, which can be weakened part by part."""
    name = values.terms[one][0]
    return name in COMPOUND and name == values.terms[other][0]


def weaken(values: Values, one: Sequence[int], other: Sequence[int]) -> list[int]:
    """The state that covers both."""
    pairs: dict[tuple[int, int], int] = {}
    return [_common(values, pairs, a, b) for a, b in zip(one, other, strict=True)]


def _common(values: Values, pairs: dict[tuple[int, int], int], one: int, other: int) -> int:
    found = pairs.get((one, other))
    if found is None:
        pairs[one, other] = found = _new_common(values, pairs, one, other)
    return found


def _new_common(values: Values, pairs: dict[tuple[int, int], int], one: int, other: int) -> int:
    if one == other and values.terms[one][0] not in COMPOUND:
        return one
    if _compound(values, one, other):
        name = str(values.terms[one][0])
        first, second = values.terms[one][1], values.terms[other][1]
        return values.part(name, _common(values, pairs, int(first), int(second)))  # type: ignore[call-overload]
    both, either = values.flags[one] & values.flags[other], values.flags[one] | values.flags[other]
    return values.symbol(both & (BOOL | EXCEPTION) | either & NULLABLE)
