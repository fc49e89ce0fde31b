"""Guards on tensors: dtype, device, shape, strides, and marks on dimensions."""

from __future__ import annotations

import ast
import re

from unjit.guards.leaf_text import LeafText, Parsed
from unjit.guards.runtime import MARKS, ordinary_keys
from unjit.guards.values import dotted_name, type_expression
from unjit.model import Guard, Unknown

NO_MARKS = "no marks on dimensions"  # what such a guard expects
_PARAMETER = "kind=torch.nn.parameter.Parameter"  # in a check

_TENSOR = re.compile(
    r"(?P<class>[\w.<>]+), DispatchKeySet\((?P<keys>[^)]*)\), torch\.(?P<dtype>\w+), device=(?P<index>None|\d+), "
    r"requires_grad=(?P<grad>True|False), size=\[(?P<size>[^\]]*)\], stride=\[(?P<stride>[^\]]*)\]\)"
)
_ABSENT = re.compile(r"hasattr\((?P<source>.*), '(?P<name>\w+)'\) == False", re.DOTALL)
_WITHIN = re.compile(
    r"\(\(getattr\((?P<source>.*), '(?P<name>\w+)', set\(\)\)\.issubset\((?P<marks>\{.*\}|set\(\))\)\) "
    r"if hasattr\((?P=source), '(?P=name)'\) else True\)",
    re.DOTALL,
)
_OLD_WITHIN = re.compile(  # before 2.13
    r"\(\((?P<source>.*)\.(?P<name>\w+)\.issubset\((?P<marks>\{.*\}|set\(\))\)\) "
    r"if hasattr\((?P=source), '(?P=name)'\) else True\)",
    re.DOTALL,
)
_GATED = re.compile(
    r"\(\(getattr\((?P<source>.*), '(?P<name>\w+)', None\) == (?P<value>.*)\) "
    r"if hasattr\((?P=source), '(?P<gate>\w+)'\) else True\)",
    re.DOTALL,
)


def is_parameter(guard: Guard) -> bool:
    """Whether a guard on a tensor asks for a parameter."""
    return not isinstance(guard.check, Unknown) and _PARAMETER in guard.check


def tensor_match(leaf: LeafText) -> Parsed | None:
    """`is_tensor_like(_, …)` for the class, dispatch keys, dtype, device, shape and strides of a tensor."""
    before = f"check_tensor({leaf.source}, "
    match = _TENSOR.fullmatch(leaf.parts[0][len(before) :]) if leaf.parts[0].startswith(before) else None
    size, stride = (_numbers(match[name]) for name in ("size", "stride")) if match else (None, None)
    if match is None or size is None or stride is None or len(leaf.parts) != 1:
        return None
    kind = _class(match["class"], leaf.kind_of_value)
    if kind is None:
        return None
    place = _place(match["keys"], match["index"])
    grad = f"requires_grad={match['grad']}"
    check = f"is_tensor_like(_, dtype=torch.{match['dtype']}, {place}, shape={size}, stride={stride}, {grad}{kind})"
    told = f"a tensor of {match['dtype']} on {_device(match['keys'], match['index'])}"
    layout = f"shape {size}, stride {stride}".replace("ANY", "any")
    graded = ", requires grad" if match["grad"] == "True" else ""
    keys = "" if place.startswith("device=") else f", dispatch keys {match['keys']}"  # as those of inference mode
    return Parsed(check, f"{told}, {layout}{graded}{keys}")


def _class(name: str, kind: type | None) -> str | None:
    """Torch prints the bare name of the class; the manager knows the class."""
    if kind is None or kind.__qualname__ != name:
        return None
    written = type_expression(dotted_name(kind), id(kind)) or f"{id(kind):#x}"
    return "" if written == "torch.Tensor" else f", kind={written}"


def _place(keys: str, index: str) -> str:
    """An ordinary tensor is told by its device alone."""
    try:
        ordinary = ordinary_keys(keys.partition(",")[0].lower())
    except KeyError:
        ordinary = ""
    return f"device={_device(keys, index)!r}" if keys == ordinary else f"keys={keys!r}, index={index}"


def _device(keys: str, index: str) -> str:
    return keys.partition(",")[0].lower() + ("" if index == "None" else f":{index}")


def _numbers(text: str) -> str | None:
    """`(2, ANY)` for `2, None`."""
    words = [word.strip() for word in text.split(",") if word.strip()]
    if not all(word == "None" or re.fullmatch(r"-?\d+", word) for word in words):
        return None
    written = ["ANY" if word == "None" else word for word in words]
    return f"({', '.join(written)}{',' if len(written) == 1 else ''})"


def dimension_marks(leaf: LeafText) -> Parsed | None:
    """What mark_dynamic and its like left on the tensor: nothing in most ways, at most some dimensions in others.

    Torch prints one condition for each way of marking. Its guard on all of them asks first whether the tensor was
    marked at all, by a flag of its own, and is content with one that was not.
    """
    absent: list[str] = []
    checks: list[str] = []
    for part in leaf.parts:
        match = _ABSENT.fullmatch(part)
        if match and match["source"] == leaf.source:
            absent.append(match["name"])
            continue
        check = _mark(part, leaf.source)
        if check is None:
            return None
        checks.append(check)
    if tuple(absent) == MARKS and not checks:
        return Parsed("unmarked(_)", NO_MARKS)
    if absent:
        checks.insert(0, f"unmarked(_, {', '.join(map(repr, absent))})")
    condition = " and ".join(checks)
    one_guard = leaf.kind.startswith("DIMENSION")
    return Parsed(f"unmarked(_) or ({condition})" if one_guard else condition, "no other marks on dimensions")


def _mark(part: str, source: str) -> str | None:
    within = _WITHIN.fullmatch(part) or _OLD_WITHIN.fullmatch(part)
    if within and within["source"] == source and _is_literal(within["marks"]):
        return f"marked_within(_, {within['name']!r}, {within['marks']})"
    gated = _GATED.fullmatch(part)
    if gated and gated["source"] == source and _is_literal(gated["value"]):
        value = f"getattr(_, {gated['name']!r}, None) == {gated['value']}"
        return f"(not has_attribute(_, {gated['gate']!r}) or {value})"
    return None


def _is_literal(text: str) -> bool:
    try:
        ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text == "set()"
    return True
