"""The entry point: anything with code in, verified source out."""

from __future__ import annotations

from types import CodeType

from unjit.decompiler.opaque import opaque_source
from unjit.decompiler.result import Decompiled, Verdict


def decompile(target: object) -> Decompiled:
    """Source of a function, method or code object, from its bytecode alone.

    Returns only after verification. Raises TypeError when `target` has no Python bytecode.
    """
    code = code_of(target)
    reason = "The decompiler cannot express this code yet."
    return Decompiled(code, opaque_source(code, reason), Verdict.OPAQUE, reason)


def code_of(target: object) -> CodeType:
    """The code object behind a function, bound method, property getter, callable instance or code object."""
    if isinstance(target, CodeType):
        return target
    for name in ("__code__", "__func__", "__wrapped__", "func", "fget", "gi_code", "cr_code", "ag_code"):
        inner = getattr(target, name, None)
        if inner is not None and inner is not target:
            return code_of(inner)
    call = getattr(type(target), "__call__", None)
    if hasattr(call, "__code__"):
        return code_of(call)
    raise TypeError(f"{target!r} has no Python bytecode (it is a {type(target).__name__})")
