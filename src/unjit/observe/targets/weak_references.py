"""Weak references to what a user asked about, or what torch keeps."""

from __future__ import annotations

import weakref
from collections.abc import Callable
from types import MethodType
from typing import Any


def weakly(value: Any) -> Callable[[], Any]:
    """A function that gives the value while it lives, and then None. A value without weak references counts as gone."""
    try:
        return weakref.WeakMethod(value) if isinstance(value, MethodType) else weakref.ref(value)
    except TypeError:
        return lambda: None
