"""Whether one code object can run in the frame of another, as Dynamo lets it: with its arguments, cells and flags."""

from __future__ import annotations

import inspect
from types import CodeType

_KINDS = {
    inspect.CO_GENERATOR: "a generator",
    inspect.CO_COROUTINE: "a coroutine",
    inspect.CO_ASYNC_GENERATOR: "an asynchronous generator",
    inspect.CO_ITERABLE_COROUTINE: "a generator-based coroutine",
}
_LOCALS = inspect.CO_OPTIMIZED | inspect.CO_NEWLOCALS


def argument_names(code: CodeType) -> tuple[str, ...]:
    """The names that hold arguments, in the frame's order: positional, keyword-only, `*args`, `**kwargs`."""
    stars = bool(code.co_flags & inspect.CO_VARARGS) + bool(code.co_flags & inspect.CO_VARKEYWORDS)
    return code.co_varnames[: code.co_argcount + code.co_kwonlyargcount + stars]


def why_not_in_place_of(original: CodeType, code: CodeType) -> list[str]:
    """Why `code` cannot run in the frame of `original`: one sentence each, with what to change; empty if it can.

    Dynamo copies the frame's arguments and cells by their places and checks none of this when an entry is put into its
    cache: another number of them reads or writes beyond the frame, and the interpreter crashes.
    """
    return [*_kind(original, code), *_signature(original, code), *_cells(original, code)]


def _kind(original: CodeType, code: CodeType) -> list[str]:
    if (original.co_flags ^ code.co_flags) & _LOCALS:
        return ["it is not the code of a function; pass a function or the code object of one"]
    wrong = [name for flag, name in _KINDS.items() if (original.co_flags ^ code.co_flags) & flag]
    return [f"one of the two is {name} and the other is not; make both the same kind of function" for name in wrong]


def _signature(original: CodeType, code: CodeType) -> list[str]:
    wanted, found = _described_arguments(original), _described_arguments(code)
    if wanted == found:
        return []
    return [f"its arguments are ({found}) and must be ({wanted}), with these names in this order"]


def _described_arguments(code: CodeType) -> str:
    """The argument list as it is written in a definition, without defaults, which belong to the function."""
    names = list(argument_names(code))
    extra = names.pop() if code.co_flags & inspect.CO_VARKEYWORDS else None
    rest = names.pop() if code.co_flags & inspect.CO_VARARGS else None
    words = names[: code.co_argcount]
    if code.co_posonlyargcount:
        words.insert(code.co_posonlyargcount, "/")
    if rest is not None or code.co_kwonlyargcount:
        words.append(f"*{rest or ''}")
    words += names[code.co_argcount :]
    return ", ".join([*words, f"**{extra}"] if extra is not None else words)


def _cells(original: CodeType, code: CodeType) -> list[str]:
    """Free variables must be the same in the same order; so must the variables that inner functions share."""
    found = []
    for kind, wanted, given, hint in (
        ("free", original.co_freevars, code.co_freevars, "name each of them in the function, and no other"),
        ("cell", original.co_cellvars, code.co_cellvars, "let an inner function use exactly these"),
    ):
        if wanted != given:
            found.append(f"its {kind} variables are {_listed(given)} and must be {_listed(wanted)}: {hint}")
    return found


def _listed(names: tuple[str, ...]) -> str:
    return f"({', '.join(names)})" if names else "none"
