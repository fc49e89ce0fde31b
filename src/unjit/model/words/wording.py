"""Words for errors, and the advice that several packages give in the same sentences."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Final

SIZES_VARY = "Dynamo lets it vary by itself from the second size on, unless you set dynamic=False."
NUMBERS_VARY = "Dynamo lets most numbers vary by themselves from the second value on, unless you set dynamic=False."
VARYING_INTS: Final = ("arguments", "closure")  # the topics of guards on ints that Dynamo lets vary by itself
_LETS_VARY: Final = "torch._dynamo.config.allow_unspec_int_on_nn_module = True"
LEFT_OUT: Final = "<left out>"  # what stands in a redacted capture for what may quote the program
_PARTS: Final = {"_modules": "submodules", "_parameters": "parameters", "_buffers": "buffers"}


def with_article(noun: str) -> str:
    """`an int`, `a list`; by how the word is spelt."""
    return f"{'an' if noun[:1].lower() in set('aeiou') else 'a'} {noun}"


def in_words(error: BaseException) -> str:
    """`ValueError: it is negative`; the class alone where that is all that there is."""
    name, text = type(error).__name__, said(error)
    return f"{name}: {text}" if text else name


def said(error: BaseException) -> str:
    """What an error says; nothing where it cannot tell: it may be of a class of the program's own."""
    try:
        return str(error)
    except Exception:
        return ""


def object_gone(text: str) -> str | None:
    """What torch says of an entry that was dropped with the object that it asked for; None of other reasons."""
    gone = re.fullmatch(r"Cache line invalidated because (.+) got deallocated", text)
    return None if gone is None else f"it was made for one object, {gone[1]}, which is gone"


def an_entry_for_each_size(what: str, dimension: int | str, sizes: Iterable[str]) -> str:
    """What to do about a size that Dynamo did not let vary, though it has seen several."""
    seen = ", ".join(sorted(sizes, key=int))
    return (
        f"Several sizes of {what} have an entry each ({seen} in dimension {dimension}), though Dynamo lets a size vary "
        "from its second value on: it is switched off (dynamic=False, mark_static, automatic_dynamic_shapes=False), or "
        "the code needs the size as a number, as a loop up to it or the shape of a weight does, and then mark_dynamic "
        f"raises. Pad {what} to few sizes, or accept these entries."
    )


def fixed_by_a_line(line: str, what: str, dimension: int | str, sizes: Iterable[str]) -> str:
    """What to do about a size that Dynamo let vary, and that a line of the program, `train.py:21`, made one number."""
    seen = ", ".join(sorted(sizes, key=int))
    return (
        f"{line} needs the size of {what} in dimension {dimension} as one number, so that each size has an entry "
        f"({seen}): change that line, pad {what} to few sizes, or accept these entries. mark_dynamic raises."
    )


def instead_of_a_constant(topic: str | None, value: str) -> str:
    """What to do about a number that Dynamo takes for a constant; `topic` is where it is kept, None if not known."""
    if topic in (None, "arguments"):
        return "pass it as a tensor, or always pass the same value."
    if topic != "module":
        return "keep it the same in all calls, or pass it as a tensor argument."
    whole = f", or set {_LETS_VARY}, which lets it vary unless the code needs it as a number"
    return f"set it once, before the first call, or make it a buffer{whole if value.lstrip('-').isdigit() else ''}."


def requires_grad_of(what: str) -> str:
    """What to do about a tensor that requires a gradient in some calls."""
    return (
        f"Let {what} have the same requires_grad in all calls: {what}.detach() will do where it needs no gradient. "
        "Or accept an entry for each."
    )


def marks_of(what: str) -> str:
    """What to do about a tensor whose dimensions are marked in some calls."""
    return f"Mark the same dimensions of {what} in all calls, from the first on: other marks need another entry."


def sizes_of_a_parameter(what: str) -> str:
    """What to do about the size of a Parameter, whoever has it: neither a mark nor dynamic=True lets that vary."""
    return (
        f"torch takes the sizes of a Parameter, such as {what}, for constants, even with dynamic=True: set "
        "torch._dynamo.config.force_parameter_static_shapes = False before the first call, or accept one entry for "
        "each size."
    )


def other_parts(dict_: str) -> str | None:
    """What to do where the dict of a module that holds its parts has others; None for any other dict."""
    owner, _, name = dict_.rpartition(".")
    parts = _PARTS.get(name)
    if not owner or parts is None:
        return None
    return (
        f"{owner} has other {parts} than at the compile. In another module of the class: accept an entry for each "
        "structure, or compile the parts that modules have in common, such as a layer, in place of the whole. In the "
        "same module: change it before the first call."
    )


def other_arguments(kind: str) -> str:
    """What to do about `positional` or `keyword` arguments that a parameter gathers: `*args`, `**kwargs`."""
    what = "the same keyword arguments" if kind == "keyword" else "as many positional arguments"
    each = "set of them" if kind == "keyword" else "number of them"
    return f"Pass {what} in all calls, or accept one entry for each {each}."


def where_it_holds(condition: str) -> str:
    """What to do about a condition on values that vary, as a branch on one of them makes."""
    return f"The code is made for calls in which `{condition}` holds: make only such calls, or accept one more entry."


def one_place_in_memory(what: str) -> str:
    """What to do about the offset at which a tensor begins in its storage."""
    return (
        f"{what} begins at another place of its memory, as a slice of a larger tensor does: pass {what}.clone() in all "
        "calls, or accept one more entry."
    )


def a_view_or_none(what: str) -> str:
    """What to do about a tensor that is a view of another one in some calls, as a slice or a transpose is."""
    return (
        f"In some calls {what} is a view of another tensor, as a slice of one is, for whose sizes Dynamo asks, too: "
        "pass a view in all calls or in none, as x.clone() is none, or accept one more entry."
    )


_NAMED = r"<(?:function|bound method|built-in \w+|class) '?(?:[^\s']*?\.)?(?P<name>\w+|<lambda>)(?:'>| at 0x| of |>)"
_PLAIN = r"<(?:[^\s]*\.)?(?P<kind>\w+) object at 0x[0-9a-fA-F]+>"
_PARTIAL = re.compile(rf"functools\.partial\((?:{_NAMED}|{_PLAIN})", re.DOTALL)
_OBJECT = re.compile(_PLAIN)


def backend_in_words(described: str) -> str:
    """A backend as it may be called in every run: what torch has of one without a name is its repr, with an address."""
    if partial := _PARTIAL.match(described):
        return f"partial of {partial['name'] or partial['kind']}"
    plain = _OBJECT.fullmatch(described)
    return plain["kind"] if plain else described
