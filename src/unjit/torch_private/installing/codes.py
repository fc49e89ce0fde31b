"""Which code belongs to entries of ours: Dynamo does not count it among what it generated."""

from __future__ import annotations

import weakref
from types import CodeType

_installed: dict[int, tuple[weakref.ref[CodeType], bool]] = {}  # by identity, with whether it is Dynamo's own bytecode


def remember(code: CodeType, made_from: CodeType | None) -> None:
    """Remember that an entry of ours has this code, made from the code of one of Dynamo's."""
    number = id(code)
    is_copy = made_from is not None and made_from.co_code == code.co_code
    _installed[number] = weakref.ref(code, lambda _: _installed.pop(number, None)), is_copy


def is_installed(code: CodeType) -> bool:
    """Whether an entry of ours has, or had, this code."""
    known, _ = _installed.get(id(code), (None, False))
    return known is not None and known() is code


def is_copied(code: CodeType) -> bool:
    """Whether an entry of ours has this code, with the very bytecode that Dynamo generated."""
    return is_installed(code) and _installed[id(code)][1]
