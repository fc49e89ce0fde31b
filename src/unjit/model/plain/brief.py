"""The repr of objects of the model: short, although they may hold thousands of others."""

from __future__ import annotations

import reprlib
from dataclasses import fields
from typing import Any, Final

_SHORT: Final = reprlib.Repr()
_SHORT.maxstring = _SHORT.maxother = 60  # characters
_SHORT.maxtuple = 3  # items


class Brief:
    """Base of the large records: their repr cuts texts, and gives the number of items in place of the items."""

    __slots__ = ()

    def __repr__(self) -> str:
        shown = (f"{field.name}={_short(getattr(self, field.name))}" for field in fields(self))  # type: ignore[arg-type]
        return f"{type(self).__name__}({', '.join(shown)})"


def _short(value: Any) -> str:
    if isinstance(value, tuple) and value and isinstance(value[0], Brief):
        return f"<{len(value)} of {type(value[0]).__name__}>"
    return f"<{type(value).__name__}>" if isinstance(value, Brief) else _SHORT.repr(value)
