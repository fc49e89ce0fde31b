"""depyf's small tools."""

from __future__ import annotations

from pathlib import Path
from types import CodeType
from typing import Any

from unjit.bytecode import with_nested
from unjit.compat.depyf.decompiler import Decompiler, decompile


def collect_all_code_objects(code: CodeType) -> list[CodeType]:
    """The code object and all that are nested in it."""
    return with_nested(code)


def decompile_ensure(fn: CodeType, overwite_fn_name: str | None = None) -> str:
    """The text of a code object; unjit always has one."""
    return Decompiler(fn).decompile(overwite_fn_name=overwite_fn_name)


def safe_create_directory(path: str) -> None:
    """Make a directory if it does not exist. Raises OSError if it cannot be made."""
    Path(path).mkdir(parents=True, exist_ok=True)


def get_function_signature(code_obj: CodeType, overwite_fn_name: str | None = None) -> str:
    """The line `def name(arguments):` of a code object."""
    text = Decompiler(code_obj).decompile(overwite_fn_name=overwite_fn_name)
    name = overwite_fn_name or code_obj.co_name
    return next(line for line in text.splitlines() if f"def {name}(" in line)


def get_code_owner(fn: Any) -> Any:
    """The function behind a method, a partial or a wrapper: what has `__code__`."""
    for step in ("__func__", "__wrapped__", "func"):
        inner = getattr(fn, step, None)
        if inner is not None:
            return get_code_owner(inner)
    return fn if hasattr(fn, "__code__") else type(fn).__call__


__all__ = [
    "collect_all_code_objects",
    "decompile",
    "decompile_ensure",
    "get_code_owner",
    "get_function_signature",
    "safe_create_directory",
]
