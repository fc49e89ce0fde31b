"""Code whose last inline cache is cut, which must not be read: CPython itself would write past its end.

From 3.11 on `co_code` is a copy in which all caches are zeroed, each at its full length, even where the code ends
within one. Such code is made by hand alone; the bytes as they lie in memory can be read without harm.
"""

from __future__ import annotations

import dis
import operator
from types import CodeType

from unjit.bytecode import versions as v
from unjit.bytecode.errors import BytecodeError

_HIDES_ANOTHER = 255  # an operation that stands in the place of one that is kept elsewhere
_MOST = max(v.CACHES.values(), default=0)


def refuse_cut_cache(code: CodeType) -> None:
    """Raise BytecodeError if reading `code.co_code` would write past the end of the code."""
    if v.PY311 and _may_be_cut(raw := code._co_code_adaptive):  # type: ignore[attr-defined]  # as it lies in memory
        _follow(raw)


def _may_be_cut(raw: bytes) -> bool:
    """Whether one of the last units would be cut, if it were an operation and not part of a cache."""
    last_first = raw[-2 : -2 * _MOST - 2 : -2]
    return any(map(operator.ge, last_first.translate(_CACHES), range(1, _MOST + 1)))


def _follow(raw: bytes) -> None:
    offset, operation = 0, 0
    while offset < len(raw):
        operation = raw[offset]
        if _CACHES[operation] == _HIDES_ANOTHER:
            return  # code that is watched as it runs, and so is whole
        offset += 2 + 2 * _CACHES[operation]
    if offset > len(raw):
        raise BytecodeError(f"the code ends in the inline cache of {_plain(_NAMES[operation])}")


def _caches(name: str) -> int:
    """Units after an operation, which may be specialized."""
    if name.startswith(("INSTRUMENTED_", "ENTER_EXECUTOR")):
        return _HIDES_ANOTHER
    return v.CACHES.get(_plain(name), 0)


def _plain(name: str) -> str:
    """The operation that a specialized one stands for."""
    return _PLAIN.get(name, name)


# Specialized operations are named here, which the public tables leave out.
_PLAIN: dict[str, str] = getattr(dis, "deoptmap", {})
_NAMES: list[str] = dis._all_opname[:256] if v.PY311 else []  # type: ignore[attr-defined]
_CACHES = bytes(map(_caches, _NAMES))
