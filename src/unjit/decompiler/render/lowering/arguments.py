"""Arguments with `*` and `**`.

*What the compiler did*: a call with unpacking takes one tuple and one dict, built like any other display. *What we
produce*: the argument list as it was written.
"""

from __future__ import annotations

import ast

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.constants import is_identifier, is_text
from unjit.decompiler.ir.tree.nodes import Helper


def spread_call(call: ast.Call) -> None:
    """Give the call its arguments one by one, where the tuple and the dict are displays."""
    if len(call.args) == 1 and isinstance(call.args[0], ast.Starred):
        call.args = _spread_arguments(call.args[0], is_alone=not call.keywords)
    if len(call.keywords) == 1:
        call.keywords = _spread_keywords(call.keywords[0])


def is_given_whole(call: ast.Call) -> bool:
    """Whether the call takes its keyword arguments from one dict as it is, not from one that is filled for the call."""
    if len(call.args) != 1 or not isinstance(call.args[0], ast.Starred) or len(call.keywords) != 1:
        return False
    named = call.keywords[0]
    if named.arg is not None:
        return False
    display = named.value
    return not isinstance(display, ast.Dict) or not all(key is None or is_text(key) for key in display.keys)


def _spread_arguments(starred: ast.Starred, *, is_alone: bool) -> list[ast.expr]:
    """The arguments in the tuple; a constant one stays if `is_alone`: the compiler makes it only beside `**`."""
    inner = starred.value
    if isinstance(inner, Helper) and inner.name == "LIST_TO_TUPLE" and isinstance(inner.args[0], ast.List):
        return inner.args[0].elts
    return items_of(inner) if is_tuple(inner) and not (is_alone and isinstance(inner, ast.Constant)) else [starred]


def _spread_keywords(keyword: ast.keyword) -> list[ast.keyword]:
    inner = keyword.value
    if keyword.arg is not None or not isinstance(inner, ast.Dict):
        return [keyword]
    if not all(key is None or is_identifier(key) for key in inner.keys):
        return [keyword]
    return [
        ast.keyword(str(key.value) if isinstance(key, ast.Constant) else None, value)
        for key, value in zip(inner.keys, inner.values, strict=True)
    ]


def is_tuple(value: ast.expr) -> bool:
    """Whether this is a tuple in the code at hand, so that `items_of` gives what it is made of."""
    return isinstance(value, ast.Tuple) or (isinstance(value, ast.Constant) and isinstance(value.value, tuple))


def items_of(value: ast.expr) -> list[ast.expr]:
    """What a tuple is made of. Raises CannotExpress for what is no tuple in the code at hand."""
    if isinstance(value, ast.Tuple):
        return value.elts
    if isinstance(value, ast.Constant) and isinstance(value.value, tuple):
        return [ast.Constant(item) for item in value.value]
    raise CannotExpress("what belongs in a tuple is not written as one")
