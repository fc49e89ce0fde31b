"""The text that torch prints for a value, as a Python expression that makes an equal value of the same type.

Strict: the expression is built from the few forms listed here, evaluated once, and taken only if its value has the
expected type and prints as torch printed it. Everything else has no expression.
"""

from __future__ import annotations

import ast
import builtins
import enum
import math
import operator
import re
import sys
from typing import Any

from unjit.guards import runtime
from unjit.guards.expressions import tree_of

_PLAIN_STRING = re.compile(r"'[A-Za-z0-9_.]*'")  # as repr writes it: most keys and names are such
_CLASS = re.compile(r"<class '([\w.<>]+)'>")  # one that a function makes has `<locals>` in its name
_MEMBER = re.compile(r"<([\w.]+)\.(\w+): .*>", re.DOTALL)
_MAKERS = {"set", "frozenset", "range", "slice"}
_INFINITE = {"inf": "float('inf')", "infj": "complex('infj')"}  # which have no literal
_SINGLE = ("Ellipsis", "NotImplemented")
_UNORDERED = (set, frozenset)


def value_expression(text: str, kind: type | None) -> str | None:
    """An expression over builtins, `torch` and `named`; None if the text is not of a known form.

    `kind` is the type that the value has, or None if that is not known.
    """
    if (kind is None or kind is str) and _PLAIN_STRING.fullmatch(text):
        return text
    expression = _named(text, kind) or _rebuilt(text)
    if expression is None:
        return None
    try:
        value = eval(expression, namespace())  # noqa: S307  (built from whitelisted nodes alone)
    except Exception:  # whatever the constructors raise: the text has no expression
        return None
    if kind is not None and type(value) is not kind:
        return None
    return expression if repr(value) == text or isinstance(value, _UNORDERED) else None


def namespace() -> dict[str, Any]:
    """The names that expressions of values may use."""
    found = {"named": runtime.named, "keys_view": runtime.keys_view}
    return {**found, **{name: sys.modules[name] for name in ("torch", "numpy") if name in sys.modules}}


def class_name(text: str) -> str | None:
    """`a.b.C` of `<class 'a.b.C'>`."""
    match = _CLASS.fullmatch(text.strip())
    return match[1] if match else None


def dotted_name(kind: type) -> str:
    """How a class is named in a repr: without `builtins`."""
    module = kind.__module__
    return kind.__qualname__ if module == "builtins" else f"{module}.{kind.__qualname__}"


def member_at(kind: type | None, address: int) -> enum.Enum | None:
    """The member of an enumeration that lies at this address; None if the class is none, or has no such member."""
    if not isinstance(kind, enum.EnumMeta):
        return None
    combined = vars(type)["__dict__"].__get__(kind).get("_value2member_map_", {})
    return next((one for one in (*_members(kind), *combined.values()) if id(one) == address), None)


def _members(kind: enum.EnumMeta) -> list[enum.Enum]:
    """The members that have a name, each once, read without asking them or their class, which may run the program."""
    named = vars(enum.EnumMeta)["__members__"].__get__(kind).values()
    return list({id(one): one for one in named}.values())


def member_name(member: enum.Enum) -> str:
    """How a program names a member of an enumeration: `Mode.FAST`, `Access.READ | Access.RUN`, `Access(0)`."""
    kind = type(member).__qualname__
    single = [member] if _is_named(member) else _parts(member)
    return " | ".join(f"{kind}.{one._name_}" for one in single) or f"{kind}({member._value_})"


def _is_named(member: enum.Enum) -> bool:
    """Of several members of a flag together the name is none, or from Python 3.11 on their names in one."""
    return member._name_ is not None and any(one is member for one in _members(type(member)))


def _parts(member: enum.Enum) -> list[enum.Enum]:
    """The members of a flag of one bit each that are one together; none where that leaves bits without a name."""
    if not issubclass(type(member), enum.Flag):
        return []
    bits = [one for one in _members(type(member)) if _is_bit_of(one, member._value_)]
    return bits if sum(one._value_ for one in bits) == member._value_ else []


def _is_bit_of(member: enum.Enum, value: int) -> bool:
    return type(member._value_) is int and member._value_.bit_count() == 1 and bool(member._value_ & value)


def type_expression(name: str, address: int) -> str | None:
    """The class at this address as attributes of `torch`, or as a builtin; None if that is not what the name reads."""
    root, _, path = name.partition(".")
    holder = sys.modules.get("torch") if path and root == "torch" else builtins
    try:
        found = operator.attrgetter(path or name)(holder) if root == "torch" or not path else None
    except AttributeError:
        return None
    return name if id(found) == address else None


def _named(text: str, kind: type | None) -> str | None:
    """A class, or a member of an enumeration, by its name."""
    name = class_name(text)
    if name is not None:
        return f"named({name!r})"
    member = _MEMBER.fullmatch(text)
    if member and kind is not None and kind.__name__ == member[1]:
        return f"named({dotted_name(kind)!r}).{member[2]}"
    return None


def _rebuilt(text: str) -> str | None:
    """The text parsed, and written anew from the forms that are let through; None if it has others."""
    try:
        tree = tree_of(text.strip())
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return None
    written = _written(tree)
    return None if written is None else ast.unparse(written)


def _written(node: ast.expr) -> ast.expr | None:
    """The same expression with the names that the runtime has; None if a part of it has no known form."""
    if isinstance(node, ast.Constant):
        return _constant(node)
    if isinstance(node, ast.Name):
        return tree_of(_INFINITE[node.id]) if node.id in _INFINITE else node if node.id in _SINGLE else None
    if isinstance(node, ast.Attribute):
        name = ast.unparse(node)
        return tree_of(f"named({name!r})") if name.startswith("torch.") and name.count(".") == 1 else None
    if isinstance(node, ast.Call):
        return _call(node)
    return _compound(node)


def _constant(node: ast.Constant) -> ast.expr | None:
    return None if isinstance(node.value, float) and not math.isfinite(node.value) else node


def _compound(node: ast.expr) -> ast.expr | None:
    if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub):
        operand = _written(node.operand)
        return operand and ast.UnaryOp(node.op, operand)
    if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):  # a complex number
        left, right = _written(node.left), _written(node.right)
        return ast.BinOp(left, node.op, right) if left and right else None
    if isinstance(node, (ast.Tuple, ast.List, ast.Set)):
        items = _all_written(node.elts)
        return None if items is None else type(node)(elts=items, **_loading(node))
    if isinstance(node, ast.Dict) and all(node.keys):
        keys = _all_written([key for key in node.keys if key is not None])
        values = _all_written(node.values)
        return None if keys is None or values is None else ast.Dict(list(keys), values)
    return None


def _loading(node: ast.expr) -> dict[str, Any]:
    return {} if isinstance(node, ast.Set) else {"ctx": ast.Load()}


def _all_written(nodes: list[ast.expr]) -> list[ast.expr] | None:
    written = [_written(node) for node in nodes]
    return None if any(one is None for one in written) else [one for one in written if one is not None]


def _call(node: ast.Call) -> ast.expr | None:
    """`torch.Size([2])`, `device(type='cpu')`, `frozenset({1})`, `dict_keys(['a'])`, `np.float32(1.0)`."""
    name = _maker(ast.unparse(node.func))
    arguments = _all_written(node.args)
    keywords = _all_written([keyword.value for keyword in node.keywords])
    if name is None or arguments is None or keywords is None or not all(keyword.arg for keyword in node.keywords):
        return None
    named = [ast.keyword(keyword.arg, value) for keyword, value in zip(node.keywords, keywords, strict=True)]
    return ast.Call(tree_of(name), arguments, named)


def _maker(name: str) -> str | None:
    if name in _MAKERS or name == "torch.Size":
        return name
    if name.startswith("np.") and name.count(".") == 1:
        return f"numpy.{name[3:]}"
    return {"device": "torch.device", "dict_keys": "keys_view"}.get(name)
