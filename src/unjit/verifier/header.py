"""What a code object says about itself before its instructions: how it is called, and what it closes over."""

from __future__ import annotations
import __future__

import functools
import inspect
import operator
from types import CodeType

from unjit.bytecode.functions.frame import argument_names
from unjit.verifier.introspection import shows_other_order

_KINDS = (
    inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS | inspect.CO_VARARGS | inspect.CO_VARKEYWORDS
    | inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ITERABLE_COROUTINE | inspect.CO_ASYNC_GENERATOR
)  # fmt: skip
# What `compile` and `exec` inherit from the code that calls them.
_FUTURES = (
    functools.reduce(operator.or_, (getattr(__future__, name).compiler_flag for name in __future__.all_feature_names))
    & ~inspect.CO_NESTED
)


def docstring(code: CodeType) -> str | None:
    """What `__doc__` of a function with this code is."""
    if hasattr(inspect, "CO_HAS_DOCSTRING") and not code.co_flags & inspect.CO_HAS_DOCSTRING:  # 3.13
        return None
    no_function = code.co_name.startswith("<") or not code.co_flags & inspect.CO_NEWLOCALS
    first = None if no_function or not code.co_consts else code.co_consts[0]
    return first if isinstance(first, str) else None


def _names(code: CodeType) -> tuple[str, str]:
    """The name, and the last part of the qualified one, which is the same in code that a compiler made."""
    return code.co_name, getattr(code, "co_qualname", code.co_name).rpartition(".")[2]


def header_difference(original: CodeType, candidate: CodeType, *, nested: bool) -> str | None:
    """The first difference, as a sentence; None if there is none.

    A nested code's name and docstring become those of a function, so that they count; the outermost code's own are
    the business of whoever makes a function of it. Raises BytecodeError where the bytes are not bytecode.
    """
    facts = [
        ("positional arguments", original.co_argcount, candidate.co_argcount),
        ("positional-only arguments", original.co_posonlyargcount, candidate.co_posonlyargcount),
        ("keyword-only arguments", original.co_kwonlyargcount, candidate.co_kwonlyargcount),
        ("kind of function", original.co_flags & _KINDS, candidate.co_flags & _KINDS),
        ("future features", original.co_flags & _FUTURES, candidate.co_flags & _FUTURES),
        ("argument names", argument_names(original), argument_names(candidate)),
        ("free variables", original.co_freevars, candidate.co_freevars),
        ("cell variables", original.co_cellvars, candidate.co_cellvars),
    ]
    if nested:
        facts.append(("name", _names(original), _names(candidate)))
        facts.append(("docstring", docstring(original), docstring(candidate)))
    for what, one, other in facts:
        if one != other:
            return f"{what}: {one!r:.80} in the original, {other!r:.80} in the candidate"
    if any(len(set(code.co_varnames)) < len(code.co_varnames) for code in (original, candidate)):
        return "two locals go by one name: what is compared is what lies under each name"
    if shows_other_order(original, candidate):
        return "the program asks for its locals, which the candidate has in another order"
    return None
