"""Weak references to what a user asked about, or what torch keeps."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import MethodType
from typing import Any


def weakly(value: Any) -> Callable[[], Any]:
    """What gives the value while it lives. What cannot be referred to weakly is not kept alive: it counts as gone."""
    try:
        return weakref.WeakMethod(value) if isinstance(value, MethodType) else weakref.ref(value)
    except TypeError:
        return lambda: None
