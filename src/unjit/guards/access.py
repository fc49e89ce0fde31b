"""How a value is reached: the text of Dynamo's accessor as an expression in which `_` is the value above.

Each accessor reads in C++ what the expression reads in Python, without running what C++ would not run: a dict is read
past its class's own `__getitem__` and `__missing__`, unless its class is checked to be `dict`.
"""

from __future__ import annotations

import ast
import keyword
import re
from collections.abc import Callable
from dataclasses import dataclass

from unjit.guards.expressions import tree_of
from unjit.guards.values import value_expression

_ACCESSOR = re.compile(r"(\w+)(?:<TensorProperty::(\w+)>)?(?:\((.*)\))?", re.DOTALL)
_LOCAL = re.compile(r"key=(.*), framelocals_idx=-?\d+", re.DOTALL)
_PROPERTIES = {"SIZE": "_.size({})", "STRIDE": "_.stride({})", "STORAGE_OFFSET": "_.storage_offset()"}
_AT_ROOT = re.compile(r"__import__\('[\w.]+'\)|___get_torch_function_mode_stack_at\(\d+\)")
_STREAM = re.compile(r"___get_current_stream\(torch\.device\(('\w+', (?:\d+|None))\)\)")


@dataclass(slots=True, unsafe_hash=True)  # never changed; `frozen` would make each cost three times as much
class Step:
    """From one value to another."""

    accessor: str  # as torch prints it
    base: str  # the source of the value above, in Dynamo's words
    source: str  # the source of the value reached
    exact: type | None  # the type that the value above is checked to have exactly


def access(step: Step) -> str | None:
    """The expression; None if the accessor, or what it reads, is not of a known form."""
    role, _, index = step.accessor.partition(" ")
    if role in ("key", "value") and index.isdecimal():
        return f"{role}_at(_, {index})"
    match = _ACCESSOR.fullmatch(step.accessor)
    if match is None or match[1] not in _READERS:
        return _PROPERTIES[match[2]].format(match[3]) if match and match[2] in _PROPERTIES else None
    return _READERS[match[1]](match[3] or "", step)


def _local(text: str, _step: Step) -> str | None:
    match = _LOCAL.fullmatch(text)
    name = value_expression(match[1], str) if match else None
    return f"_[{name}]" if name else None


def _attribute(text: str, _step: Step) -> str:
    plain = text.isidentifier() and not keyword.iskeyword(text)
    return f"_.{text}" if plain else f"getattr(_, {text!r})"


def _generic_attribute(text: str, _step: Step) -> str:
    return f"object.__getattribute__(_, {text!r})"


def _dict_item(text: str, step: Step) -> str | None:
    key = value_expression(text, None)
    if key is None:
        return None
    return f"_[{key}]" if step.exact is dict else f"item(_, {key})"


def _list_item(text: str, step: Step) -> str:
    return f"_[{text}]" if step.exact is list else f"list.__getitem__(_, {text})"


def _tuple_item(text: str, step: Step) -> str:
    return f"_[{text}]" if step.exact is tuple else f"tuple.__getitem__(_, {text})"


def _any_item(text: str, step: Step) -> str | None:
    """Torch prints the key without its quotes: the source has them."""
    if not step.source.endswith("]"):
        return None
    try:
        node = tree_of(step.source)
    except (SyntaxError, RecursionError, MemoryError):
        return None
    if not isinstance(node, ast.Subscript):
        return None
    key = value_expression(ast.unparse(node.slice), None)
    fits = key is not None and str(_value_of(key)) == text
    return f"_[{key}]" if fits else None


def _value_of(literal: str) -> object:
    try:
        return ast.literal_eval(literal)
    except (ValueError, SyntaxError):
        return literal


def _lambda(_text: str, step: Step) -> str | None:
    """What Dynamo reads through a Python function: the source says which."""
    if _AT_ROOT.fullmatch(step.source):
        return step.source.replace("___get_torch_function_mode_stack_at", "function_mode")
    if stream := _STREAM.fullmatch(step.source):
        return f"current_stream({stream[1]})"
    for before, after, expression in _LAMBDAS:
        if step.source == f"{before}{step.base}{after}":
            return expression
    return None


_LAMBDAS = (
    ("___from_numpy(", ")", "as_tensor(_)"),
    ("___as_tensor(", ")", "float_tensor(_)"),
    ("___dataclass_fields(", ")", "dataclass_fields(_)"),
    ("___namedtuple_fields(", ")", "_._fields"),
    ("", ".__tensor_flatten__()[0]", "_.__tensor_flatten__()[0]"),
    ("", ".__obj_flatten__()", "_.__obj_flatten__()"),
    ("", ".get_base()", "_.get_base()"),
    ("", ".item()", "_.item()"),
    ("int(", ")", "int(_)"),
)
_READERS: dict[str, Callable[[str, Step], str | None]] = {
    "FrameLocalsGuardAccessor": _local,
    "GlobalsGuardAccessor": lambda _text, _step: "G",
    "DictGetItemGuardAccessor": _dict_item,
    "GetAttrGuardAccessor": _attribute,
    "GenericGetAttrGuardAccessor": _generic_attribute,
    "GetGenericDictGuardAccessor": lambda _text, _step: "_.__dict__",
    "GetItemGuardAccessor": _any_item,
    "ListGetItemGuardAccessor": _list_item,
    "TupleGetItemGuardAccessor": _tuple_item,
    "SetGetItemGuardAccessor": lambda text, _step: f"list(_)[{text.partition('=')[2]}]",
    "IndexedGuardAccesor": lambda _text, _step: "_",  # torch's spelling; a number goes along, for the shape guard alone
    "GradGuardAccessor": lambda _text, _step: "gradient(_)",
    "FuncDefaultsGuardAccessor": lambda _text, _step: "_.__defaults__",
    "FuncKwDefaultsGuardAccessor": lambda _text, _step: "_.__kwdefaults__",
    "TypeGuardAccessor": lambda _text, _step: "type(_)",
    "TypeDictGuardAccessor": lambda _text, _step: "_.__dict__",
    "TypeMROGuardAccessor": lambda _text, _step: "_.__mro__",
    "TupleIteratorGetItemAccessor": lambda text, _step: f"rest_of(_)[{text}]",
    "GlobalWeakRefGuardAccessor": lambda text, _step: f"referent(_[{text!r}])",
    "WeakRefCallGuardAccessor": lambda _text, _step: "referent(_)",
    "CodeGuardAccessor": lambda _text, _step: "_.__code__",
    "ClosureGuardAccessor": lambda _text, _step: "_.__closure__",
    "CallFunctionNoArgsGuardAccessor": lambda _text, _step: "_()",
    "PythonLambdaGuardAccessor": _lambda,
}
