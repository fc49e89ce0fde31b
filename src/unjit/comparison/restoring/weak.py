"""What a weak reference, or a proxy, stands for: a run changes the object through it as through any other name."""

from __future__ import annotations

from typing import Any
from weakref import ProxyTypes, ref


def behind(value: Any) -> Any:
    """The object of a weak reference or a proxy, None where that is gone; anything else is itself.

    A proxy says that it is of its object's class, which has methods that the proxy's own class lacks, and raises at
    every question once the object is gone, at `isinstance` too.
    """
    if type(value) in ProxyTypes:
        try:
            # A method of the proxy is bound to the object behind it: Python has no plainer question for that. Of all
            # methods this is one that hardly any class replaces by something that is no method.
            return value.__sizeof__.__self__
        except ReferenceError:
            return None
    return ref.__call__(value) if issubclass(type(value), ref) else value
