"""What others import from here. unjit patches nothing, so that these only pass on what they are given."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from types import CodeType
from typing import Any, TypeAlias

from unjit.compat.depyf.explain.global_variables import data
from unjit.errors import UnjitError
from unjit.model import Unknown
from unjit.torch_private.compiled_graphs.wrappers import load_generated
from unjit.torch_private.following.trace import on_generated_code

Hook: TypeAlias = Callable[[CodeType, CodeType], "CodeType | None"]


def patched_load_by_key_path(key: str, path: str, linemap: Any = None, attrs: Any = None, **later: Any) -> Any:
    """Load a module that Inductor generated, as torch does; arguments that torch adds later are passed on."""
    load = data["unpatched_load_by_key_path"] or load_generated
    return load(key, path, linemap, attrs, **later)


@contextlib.contextmanager
def enable_bytecode_hook(hook: Hook) -> Iterator[None]:
    """A block in which `hook` is called with each code object that Dynamo reads and what it made of it."""
    remove = hook_bytecode(hook)
    try:
        yield
    finally:
        remove()


def hook_bytecode(hook: Hook) -> Callable[[], None]:
    """Register it; gives what ends that. UnjitError if torch has no place for it, or its compiler is not imported."""
    remove = on_generated_code(hook)
    if isinstance(remove, Unknown):
        raise UnjitError(f"no hook on the code that Dynamo makes: {remove.reason}")
    return remove
