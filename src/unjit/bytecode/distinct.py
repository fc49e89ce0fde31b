"""Code objects by identity: two that were compiled of the same text are equal, and Dynamo keeps them apart."""

from __future__ import annotations

from collections.abc import Iterable
from types import CodeType


def distinct(found: Iterable[object]) -> list[CodeType]:
    """Each code object among these once, in their order; what is none is left out."""
    return list({id(code): code for code in found if isinstance(code, CodeType)}.values())
