"""Whether two runs gave the same, within what rounding explains."""

from __future__ import annotations

import cmath
import math
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from unjit.comparison.restoring.tensors import has_values, parts_of
from unjit.comparison.runs.outcome import Outcome
from unjit.comparison.values.leaves import is_array
from unjit.model import Difference, Expression, Message, headline
from unjit.model.words.wording import with_article

# Relative and absolute, by the precision of the type: a few hundred roundings, as sums of some thousand terms have in
# another order.
_DEFAULT = (1e-7, 1e-7)
_TOLERANCES = {
    "torch.float64": (1e-7, 1e-7),
    "torch.float32": (1e-4, 1e-5),
    "torch.float16": (1e-2, 1e-3),
    "torch.bfloat16": (3e-2, 1e-2),
    "torch.complex64": (1e-4, 1e-5),
    "torch.complex128": (1e-7, 1e-7),
    # To the next number of the type, which is far: what is rounded to it is rounded once.
    "torch.float8_e4m3fn": (0.13, 2e-3),
    "torch.float8_e4m3fnuz": (0.13, 1e-3),
    "torch.float8_e5m2": (0.26, 2e-5),
    "torch.float8_e5m2fnuz": (0.26, 1e-5),
    "torch.float8_e8m0fnu": (1.0, 0.0),
}
Reference = Callable[[], Mapping[str, Any]]  # what gives the values in float64, by name, where they are known
_ROUNDING = {"torch.float16": 2**-11, "torch.bfloat16": 2**-8}  # of one number to the next of the type
_WORSE = 3.0  # how many times as far from the float64 reference as eager a value may be


def parted(
    expected: Outcome, found: Outcome, reference: Mapping[str, Any], narrowest: str | None = None
) -> list[Difference]:
    """How a run differs from the expected one; `reference` has float64 values by name, where they are known.

    `narrowest` is the type that a part of it computed in, as under autocast, if that is none of the values' own.
    """
    told = _of_errors(expected.error, found.error)
    if told or not (expected.values and found.values):  # where only the backward pass raises, there is more to compare
        return told
    wanted, given = dict(expected.values), dict(found.values)
    told += [Difference(Expression(name), Message("is missing")) for name in wanted if name not in given]
    told += [Difference(Expression(name), Message("is not there in eager")) for name in given if name not in wanted]
    for name, value in expected.values:
        if name in given:
            says = difference(value, given[name], reference.get(name), narrowest)
            if says is not None:
                told.append(Difference(Expression(name), Message(says)))
    return [*told, *_of_kinds(expected, found)]


def parted_beyond_rounding(
    expected: Outcome, found: Outcome, reference: Reference, narrowest: str | None = None
) -> list[Difference]:
    """`parted`, with a reference that is only made if something differs: it may show that this is rounding."""
    return parted(expected, found, reference(), narrowest) if parted(expected, found, {}) else []


def _of_kinds(expected: Outcome, found: Outcome) -> Iterator[Difference]:
    """How classes, shared memory and the order of dicts differ, none of which the values show."""
    for name, kind in expected.classes.items():
        other = found.classes.get(name, kind)
        if other != kind:
            yield Difference(Expression(name), Message(f"is {with_article(other)}, in eager {with_article(kind)}"))
    wanted, given = list(dict(expected.values)), list(dict(found.values))
    in_both = {*wanted} & {*given}
    for name in {**expected.views, **found.views}:
        shared, eagers = found.views.get(name), expected.views.get(name)
        if shared != eagers and name in in_both:
            now = "shares no memory with what was given" if shared is None else f"shares its memory with {shared}"
            then = "with none of that" if eagers is None else f"with {eagers}"
            yield Difference(Expression(name), Message(f"{now}, in eager {then}"))
    if wanted != given and sorted(wanted) == sorted(given):
        first = next(one for one, other in zip(wanted, given, strict=True) if one != other)
        yield Difference(Expression(first), Message("comes in another order than in eager"))


def _of_errors(expected: BaseException | None, found: BaseException | None) -> list[Difference]:
    """How errors differ: both should be of one class; Dynamo may word one in another way."""
    if type(expected) is type(found):
        return []
    one, other = (
        "raises nothing" if error is None else f"raises {type(error).__name__}: {headline(str(error))}"
        for error in (found, expected)
    )
    return [Difference(Expression("the call"), Message(f"{one}; eager {other}"))]


def difference(expected: Any, found: Any, reference: Any = None, narrowest: str | None = None) -> str | None:
    """How one leaf differs, or None."""
    import torch

    if isinstance(expected, torch.Tensor) and isinstance(found, torch.Tensor):
        return _of_tensors(expected, found, reference, narrowest)
    if type(expected) is not type(found):
        return f"is {with_article(type(found).__name__)}, in eager {with_article(type(expected).__name__)}"
    if is_array(expected):
        return _of_arrays(expected, found)
    if isinstance(expected, (float, complex)):
        return None if _alike(expected, found, reference) else f"is {found!r}, in eager {expected!r}"
    return None if expected == found else f"is {found!r}, in eager {expected!r}"


def _alike(expected: complex, found: complex, reference: Any) -> bool:
    """Two numbers, which may be sums of tensors: as near as float32 is, or hardly farther from float64 than eager."""
    if expected == found or cmath.isclose(expected, found, rel_tol=1e-6):
        return True
    if cmath.isnan(expected) and cmath.isnan(found):
        return True
    if type(reference) is not type(expected):
        return False
    return abs(found - reference) <= _WORSE * abs(expected - reference)  # nothing is, of nan


def _of_arrays(expected: Any, found: Any) -> str | None:
    """How arrays differ: as tensors do, if torch has their type. The run in float64 leaves arrays as they are."""
    import numpy as np
    import torch

    try:
        one, other = (torch.from_numpy(np.array(value)) for value in (expected, found))
    except TypeError:
        return None if np.array_equal(expected, found) else f"is {found!r}, in eager {expected!r}"
    return _of_tensors(one, other, None)


def _of_tensors(expected: Any, found: Any, reference: Any, narrowest: str | None = None) -> str | None:
    import torch

    if expected.is_nested and found.is_nested:
        return _of_nested(expected, found, reference, narrowest)
    for what in ("is_nested", "shape", "dtype", "device", "layout"):
        one, other = getattr(expected, what), getattr(found, what)
        if one != other:
            return f"has {what} {_short(other)}, in eager {_short(one)}"
    if expected.is_meta:
        return None  # it has no values
    if type(expected) is type(found) and parts_of(expected):
        return _of_parts(expected, found, reference, narrowest)
    if str(expected.layout) != "torch.strided" or expected.is_quantized:
        expected, found, reference = expected.to_dense(), found.to_dense(), None
    if "float4" in str(expected.dtype):
        # Two numbers to a byte, of which torch tells nothing else.
        expected, found = expected.view(torch.uint8), found.view(torch.uint8)
    if not (expected.is_floating_point() or expected.is_complex()):
        wrong = int((expected != found).sum())
        return f"{wrong} of {expected.numel()} values differ" if wrong else None
    return _of_floats(expected, found, reference, narrowest)


def _of_nested(expected: Any, found: Any, reference: Any, narrowest: str | None) -> str | None:
    """Component by component: torch gives each nested tensor that is made a name of its own for their lengths."""
    if expected.layout != found.layout:
        return f"has layout {_short(found.layout)}, in eager {_short(expected.layout)}"
    ones, others = expected.unbind(), found.unbind()
    if len(ones) != len(others):
        return f"has {len(others)} components, in eager {len(ones)}"
    exact = [None] * len(ones) if reference is None else reference.unbind()
    for number, (one, other) in enumerate(zip(ones, others, strict=True)):
        says = _of_tensors(one, other, exact[number] if number < len(exact) else None, narrowest)
        if says is not None:
            return f"in component {number}: {says}"
    return None


def _of_parts(expected: Any, found: Any, reference: Any, narrowest: str | None) -> str | None:
    """Tensor by tensor of those in which a subclass has its values."""
    wanted, given = parts_of(expected), parts_of(found)
    if wanted.keys() != given.keys():
        return f"is made of {', '.join(given)}, in eager of {', '.join(wanted)}"
    if (expected.__tensor_flatten__()[1] != found.__tensor_flatten__()[1]) is True:
        return "has other metadata than in eager (what __tensor_flatten__ gives besides tensors)"
    exact = parts_of(reference) if type(reference) is type(expected) else {}
    for name, part in wanted.items():
        says = _of_tensors(part, given[name], exact.get(name), narrowest)
        if says is not None:
            return f"in its {name}: {says}"
    return None


def _of_floats(expected: Any, found: Any, reference: Any, narrowest: str | None) -> str | None:
    import torch

    if expected.numel() == 0 or has_values(found, expected):  # to ask for more takes several times their memory
        return None
    relative, absolute = _TOLERANCES.get(str(expected.dtype), _DEFAULT)
    expected, found = _computable(expected), _computable(found)
    reference = None if reference is None else _computable(reference)
    nans = int((found.isnan() & ~expected.isnan()).sum())
    if nans:
        return f"{nans} of {found.numel()} values are nan and are not in eager"
    lost = _lost_nans(expected, found, reference)
    if lost:
        return f"{lost} of {found.numel()} values are nan in eager and are not here"
    known = reference is not None and reference.shape == found.shape
    if narrowest is not None and not known:
        relative, absolute = _as_computed(expected, narrowest, relative, absolute)
    close = torch.isclose(found, expected, rtol=relative, atol=absolute, equal_nan=True)
    if bool(close.all()):
        return None
    error = torch.where(close, 0, (found - expected).abs())
    told = _worst(error, close, expected, found)
    if not known:
        return told
    ours, eagers = _error(found, reference), _error(expected, reference)
    if ours <= _WORSE * eagers + absolute + _ROUNDING.get(str(narrowest), 0) * _size(reference):
        return None  # by how little eager was off is chance where a type rounds as coarsely
    return f"{told}; against float64, eager is off by {eagers:.1e} and this by {ours:.1e} (root mean square)"


def _computable(value: Any) -> Any:
    """The values in a type in which torch computes: in those of one byte it only keeps them."""
    return value.float() if value.is_floating_point() and value.element_size() == 1 else value


def _as_computed(expected: Any, narrowest: str, relative: float, absolute: float) -> tuple[float, float]:
    """The tolerances of values that were computed in a narrower type than their own.

    What that type rounds away goes by the size of what was summed, of which the other values tell something.
    """
    coarse, _ = _TOLERANCES.get(narrowest, _DEFAULT)
    return max(relative, coarse), max(absolute, coarse * _size(expected))


def _size(values: Any) -> float:
    """Root mean square."""
    return float(values.abs().nan_to_num(posinf=0).double().square().mean().sqrt())


def _lost_nans(expected: Any, found: Any, reference: Any) -> int:
    """How many; none where float64 has a number too, as eager then overflowed on its way and this did not."""
    lost = expected.isnan() & ~found.isnan()
    if reference is not None and reference.shape == found.shape:
        lost &= reference.isnan()
    return int(lost.sum())


def _worst(error: Any, close: Any, expected: Any, found: Any) -> str:
    flat = int(error.nan_to_num(nan=math.inf).flatten().argmax())
    place: list[int] = []
    for size in reversed(expected.shape):
        place.insert(0, flat % size)
        flat //= size
    at = tuple(place)
    wrong = int((~close).sum())
    where = f" at {list(at)}" if at else ""
    one, other = found[at].item(), expected[at].item()
    return f"{wrong} of {expected.numel()} values differ, the worst{where}: {one:.7g}, in eager {other:.7g}"


def _error(value: Any, reference: Any) -> float:
    """Root mean square distance from the reference."""
    distance = (value.to(reference.dtype) - reference).abs().nan_to_num()
    return float(distance.square().mean().sqrt())


def _short(value: Any) -> str:
    return str(tuple(value)) if type(value).__name__ == "Size" else str(value).removeprefix("torch.")
