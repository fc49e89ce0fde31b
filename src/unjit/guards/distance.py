"""How far a call is from an entry, by the guards that fail: what differs of itself, and how much that is."""

from __future__ import annotations

import re
from collections.abc import Sequence

from unjit.guards.actual import shape_in
from unjit.guards.dispatch_keys import by_autocast, by_inference_mode
from unjit.guards.evaluate import Finding
from unjit.guards.leaves import ADDRESS

_PROPERTY = re.compile(r"\b(?:dtype|shape|(?<!\), )stride|requires_grad|device) ")
_SETTING = re.compile(r"\w+=")
_STRIDE = re.compile(r"\bstride \(")


def distance(findings: Sequence[Finding]) -> tuple[int, int, int]:
    """How far a call is from an entry: all that differs, the tensors with other numbers of dimensions, and strides.

    Of such tensors nothing else is told, whatever else would fail with them.
    """
    told = causes(findings)
    strides = sum(bool(_STRIDE.search(finding.expected)) for finding in told)
    return sum(map(_differences, told)), sum(map(_has_other_dimensions, told)), strides


def causes(findings: Sequence[Finding]) -> list[Finding]:
    """Without what follows from another.

    The dispatch keys of tensors follow from autocast and, of all of them alike, from inference mode; what a member of
    an enumeration has from which it is, and the tensors that a nested one keeps to itself from that one: not what a
    program puts on a tensor.
    """
    autocast = any(finding.guard.kind == "GLOBAL_STATE" and "autocast=" in finding.expected for finding in findings)
    inference = next(filter(by_inference_mode, findings), None)
    members = (f"{finding.guard.source}." for finding in findings if is_of_a_member(finding))
    tensors = (f"{finding.guard.source}._" for finding in findings if finding.guard.kind == "TENSOR_MATCH")
    wholes = (*members, *tensors)
    return [
        finding
        for finding in findings
        if not (autocast and by_autocast(finding))
        and (finding is inference or not by_inference_mode(finding))
        and not str(finding.guard.source).startswith(wholes)
    ]


def is_of_a_member(finding: Finding) -> bool:
    """Whether a guard asks for another member of an enumeration than is there: both are shown by name."""
    return finding.guard.kind == "ID_MATCH" and ADDRESS not in finding.actual


def _differences(finding: Finding) -> int:
    """How many settings, or properties of a tensor, differ: strides go with the shape. Of any other guard one."""
    if finding.guard.kind == "GLOBAL_STATE":
        return len(_SETTING.findall(finding.expected))
    if finding.guard.kind != "TENSOR_MATCH":
        return 1
    return max(1, len(_PROPERTY.findall(finding.expected)))


def _has_other_dimensions(finding: Finding) -> bool:
    wanted, given = shape_in(finding.expected), shape_in(finding.actual)
    return wanted is not None and given is not None and len(wanted) != len(given)
