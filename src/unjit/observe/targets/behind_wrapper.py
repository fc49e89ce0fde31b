"""What guards of torch's own wrapper are about, under the names of the module that it calls.

The wrapper gets whatever it is called with as `args` and `kwargs`, and has the module as `fn`: nobody wrote these.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import fields, replace
from types import FunctionType
from typing import Any

from unjit.bytecode.frame import argument_names
from unjit.model import EntryAnswer, FailedCondition, Unknown
from unjit.observe.targets.resolving import is_module
from unjit.torch_private.cache.targets import is_torchs_wrapper

_MODULE = re.compile(r"(?<![\w.'\"])fn(?=[.\[])")
_POSITIONAL = re.compile(r"(?<![\w.'\"])args\[(\d+)\]")
_KEYWORD = re.compile(r"(?<![\w.'\"])kwargs\['(\w+)'\]")


def names_behind(function: FunctionType, frame: dict[str, Any]) -> Callable[[str], str] | None:
    """Puts the names of the module's forward in place of the wrapper's; None where `function` is no such wrapper."""
    module = frame.get("fn")
    if not is_torchs_wrapper(function) or not is_module(module):
        return None
    kind: Any = type(module)
    forward = None if "forward" in vars(module) else kind.forward
    names = argument_names(forward.__code__)[1 : forward.__code__.co_argcount] if type(forward) is FunctionType else ()

    def name_of(match: re.Match[str]) -> str:
        position = int(match[1])
        return names[position] if position < len(names) else match[0]

    def renamed(text: str) -> str:
        return _KEYWORD.sub(r"\1", _POSITIONAL.sub(name_of, _MODULE.sub("self", text)))

    return renamed


def with_names(entry: EntryAnswer, renamed: Callable[[str], str]) -> EntryAnswer:
    """The answer of an entry in such names."""
    return replace(entry, failed=tuple(condition_with_names(one, renamed) for one in entry.failed))


def condition_with_names(condition: FailedCondition, renamed: Callable[[str], str]) -> FailedCondition:
    """A guard that does not hold in such names."""
    told = {one.name: getattr(condition, one.name) for one in fields(condition) if one.name not in ("kind", "cause")}
    changed = {name: type(value)(renamed(value)) for name, value in told.items() if not isinstance(value, Unknown)}
    return replace(condition, **changed)
