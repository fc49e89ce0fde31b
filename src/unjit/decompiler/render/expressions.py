"""Expressions to text: a writer for each kind of node gives its parts in order, text or further nodes."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.render.brackets import (
    AND,
    ATOM,
    AWAIT,
    BIT_AND,
    BIT_OR,
    BIT_XOR,
    COMPARED,
    DIVIDED,
    FACTOR,
    NAMED,
    NOT,
    OR,
    POWER,
    SHIFT,
    SUM,
    TERM,
    TEST,
    TUPLE,
    YIELD,
    Part,
    bare_tuple,
    bracketed,
    listed,
)
from unjit.decompiler.render.strings import constant_text, joined_text, text_without_backslashes

if TYPE_CHECKING:
    from unjit.decompiler.render.writer import Writer

BINARY: dict[type[ast.operator], tuple[str, int]] = {
    ast.Add: ("+", SUM),
    ast.Sub: ("-", SUM),
    ast.Mult: ("*", TERM),
    ast.MatMult: ("@", TERM),
    ast.Div: ("/", TERM),
    ast.Mod: ("%", TERM),
    ast.FloorDiv: ("//", TERM),
    ast.LShift: ("<<", SHIFT),
    ast.RShift: (">>", SHIFT),
    ast.BitOr: ("|", BIT_OR),
    ast.BitXor: ("^", BIT_XOR),
    ast.BitAnd: ("&", BIT_AND),
    ast.Pow: ("**", POWER),
}
_UNARY: dict[type[ast.unaryop], tuple[str, int]] = {
    ast.Not: ("not ", NOT),
    ast.Invert: ("~", FACTOR),
    ast.UAdd: ("+", FACTOR),
    ast.USub: ("-", FACTOR),
}
_COMPARED: dict[type[ast.cmpop], str] = {
    ast.Eq: " == ",
    ast.NotEq: " != ",
    ast.Lt: " < ",
    ast.LtE: " <= ",
    ast.Gt: " > ",
    ast.GtE: " >= ",
    ast.Is: " is ",
    ast.IsNot: " is not ",
    ast.In: " in ",
    ast.NotIn: " not in ",
}
_STARS_BETWEEN_BRACKETS = sys.version_info >= (3, 11)  # a[*b] is no syntax before


# ---------------------------------------------------------------- names and constants
def _name(_: Writer, node: ast.Name, __: int) -> str:
    return node.id


def _constant(writer: Writer, node: ast.Constant, _: int) -> str:
    return constant_text(node.value) if writer.backslashes else text_without_backslashes(node.value)


def _joined(writer: Writer, node: ast.JoinedStr, _: int) -> str:
    shown = joined_text(node.values, "f", writer.in_field)
    if "\\" in shown and not writer.backslashes:
        raise CannotExpress("an f-string in an f-string needs a backslash")
    return shown


def _template(writer: Writer, node: ast.JoinedStr, _: int) -> str:
    return joined_text(node.values, "t", writer.in_field)


# ---------------------------------------------------------------- operators
def _binary(_: Writer, node: ast.BinOp, level: int) -> list[Part]:
    sign, own = BINARY[type(node.op)]
    left, right = (AWAIT, FACTOR) if own == POWER else (own, own + 1)
    return bracketed([(node.left, left), f" {sign} ", (node.right, right)], own, level)


def _unary(_: Writer, node: ast.UnaryOp, level: int) -> list[Part]:
    sign, own = _UNARY[type(node.op)]
    return bracketed([sign, (node.operand, own)], own, level)


def _boolean(_: Writer, node: ast.BoolOp, level: int) -> list[Part]:
    word, own = (" and ", AND) if isinstance(node.op, ast.And) else (" or ", OR)
    parts: list[Part] = []
    for value in node.values:
        parts += (word, (value, own + 1))
    return bracketed(parts[1:], own, level)


def _compared(_: Writer, node: ast.Compare, level: int) -> list[Part]:
    parts: list[Part] = [(node.left, BIT_OR)]
    for operator, value in zip(node.ops, node.comparators, strict=True):
        parts += (_COMPARED[type(operator)], (value, BIT_OR))
    return bracketed(parts, COMPARED, level)


def _conditional(_: Writer, node: ast.IfExp, level: int) -> list[Part]:
    return bracketed([(node.body, OR), " if ", (node.test, OR), " else ", (node.orelse, TEST)], TEST, level)


def _walrus(_: Writer, node: ast.NamedExpr, level: int) -> list[Part]:
    return bracketed([(node.target, ATOM), " := ", (node.value, TEST)], NAMED, level)


def _lambda(writer: Writer, node: ast.Lambda, level: int) -> list[Part]:
    """The body is other bytecode: its offsets are not this code's."""
    head = f"lambda {arguments_text(writer, node.args)}".rstrip()
    return bracketed([f"{head}: {writer.apart().text(node.body)}"], TEST, level)


def _await(_: Writer, node: ast.Await, level: int) -> list[Part]:
    return bracketed(["await ", (node.value, ATOM)], AWAIT, level)


def _yield(_: Writer, node: ast.Yield, level: int) -> list[Part]:
    value = node.value
    return bracketed(["yield"] if value is None else ["yield ", (value, bare_tuple(value, TEST))], YIELD, level)


def _yield_from(_: Writer, node: ast.YieldFrom, level: int) -> list[Part]:
    return bracketed(["yield from ", (node.value, TEST)], YIELD, level)


# ---------------------------------------------------------------- trailers
def _attribute(_: Writer, node: ast.Attribute, __: int) -> list[Part]:
    owner = node.value
    number = isinstance(owner, ast.Constant) and type(owner.value) is int
    return [(owner, ATOM), f" .{node.attr}" if number else f".{node.attr}"]


def _call(_: Writer, node: ast.Call, __: int) -> list[Part]:
    if len(node.args) == 1 and not node.keywords and isinstance(node.args[0], ast.GeneratorExp):
        return [(node.func, ATOM), (node.args[0], TEST)]
    return [(node.func, ATOM), *listed([*node.args, *node.keywords], "(", ")")]


def _keyword(_: Writer, node: ast.keyword, __: int) -> list[Part]:
    return ["**", (node.value, TEST)] if node.arg is None else [f"{node.arg}=", (node.value, TEST)]


def _starred(_: Writer, node: ast.Starred, __: int) -> list[Part]:
    return ["*", (node.value, BIT_OR)]


def _subscript(_: Writer, node: ast.Subscript, __: int) -> list[Part]:
    key = node.slice
    level = TEST
    if isinstance(key, ast.Tuple) and key.elts:
        starred = any(isinstance(element, ast.Starred) for element in key.elts)
        level = TUPLE if _STARS_BETWEEN_BRACKETS or not starred else TEST
    return [(node.value, ATOM), "[", (key, level), "]"]


def _slice(_: Writer, node: ast.Slice, __: int) -> list[Part]:
    parts: list[Part] = [] if node.lower is None else [(node.lower, TEST)]
    parts.append(":")
    if node.upper is not None:
        parts.append((node.upper, TEST))
    if node.step is not None:
        parts += (":", (node.step, TEST))
    return parts


# ---------------------------------------------------------------- displays
def _tuple(_: Writer, node: ast.Tuple, level: int) -> list[Part]:
    closing = "," if len(node.elts) == 1 else ""
    if node.elts and level <= TUPLE:
        return listed(node.elts, "", closing)
    return listed(node.elts, "(", f"{closing})")


def _list(_: Writer, node: ast.List, __: int) -> list[Part]:
    return listed(node.elts, "[", "]")


def _set(_: Writer, node: ast.Set, __: int) -> list[Part]:
    return listed(node.elts, "{", "}") if node.elts else ["{*()}"]


def _dict(_: Writer, node: ast.Dict, __: int) -> list[Part]:
    parts: list[Part] = ["{"]
    for key, value in zip(node.keys, node.values, strict=True):
        parts += ("**", (value, BIT_OR), ", ") if key is None else ((key, TEST), ": ", (value, TEST), ", ")
    if len(parts) > 1:
        parts.pop()
    parts.append("}")
    return parts


def _comprehension(opening: str, closing: str) -> Callable[[Writer, ast.ListComp, int], list[Part]]:
    def write(_: Writer, node: ast.ListComp, __: int) -> list[Part]:
        return [opening, (node.elt, TEST), *((part, TEST) for part in node.generators), closing]

    return write


def _dict_comprehension(_: Writer, node: ast.DictComp, __: int) -> list[Part]:
    shown: list[Part] = [(node.key, TEST), ": ", (node.value, TEST)]
    if node.value is None:  # 3.15: what is unpacked stands in the key's place
        shown = ["**", (node.key, BIT_OR)]
    return ["{", *shown, *((part, TEST) for part in node.generators), "}"]


def _loop(_: Writer, node: ast.comprehension, __: int) -> list[Part]:
    parts: list[Part] = [" async for " if node.is_async else " for ", (node.target, TUPLE), " in ", (node.iter, OR)]
    for test in node.ifs:
        parts += (DIVIDED if getattr(node, "is_divided", False) else "", " if ", (test, OR))
    return parts


# ---------------------------------------------------------------- parameters
def arguments_text(writer: Writer, node: ast.arguments) -> str:
    """The parameters between the brackets of a definition, or behind `lambda`."""
    plain = [*node.posonlyargs, *node.args]
    defaults: Sequence[ast.expr | None] = [*[None] * (len(plain) - len(node.defaults)), *node.defaults]
    shown = [_parameter(writer, one, default) for one, default in zip(plain, defaults, strict=True)]
    if node.posonlyargs:
        shown.insert(len(node.posonlyargs), "/")
    if node.vararg is not None:
        shown.append("*" + _parameter(writer, node.vararg, None))
    elif node.kwonlyargs:
        shown.append("*")
    shown += [_parameter(writer, one, value) for one, value in zip(node.kwonlyargs, node.kw_defaults, strict=True)]
    if node.kwarg is not None:
        shown.append("**" + _parameter(writer, node.kwarg, None))
    return ", ".join(shown)


def _parameter(writer: Writer, node: ast.arg, default: ast.expr | None) -> str:
    shown, equals = node.arg, "="
    if node.annotation is not None:
        shown, equals = f"{shown}: {writer.text(node.annotation)}", " = "
    return shown if default is None else f"{shown}{equals}{writer.text(default)}"


EXPRESSIONS: dict[type[ast.AST], Callable[..., str | list[Part]]] = {
    ast.Name: _name,
    ast.Constant: _constant,
    ast.JoinedStr: _joined,
    **({ast.TemplateStr: _template} if hasattr(ast, "TemplateStr") else {}),  # 3.14
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.BoolOp: _boolean,
    ast.Compare: _compared,
    ast.IfExp: _conditional,
    ast.NamedExpr: _walrus,
    ast.Lambda: _lambda,
    ast.Await: _await,
    ast.Yield: _yield,
    ast.YieldFrom: _yield_from,
    ast.Attribute: _attribute,
    ast.Call: _call,
    ast.keyword: _keyword,
    ast.Starred: _starred,
    ast.Subscript: _subscript,
    ast.Slice: _slice,
    ast.Tuple: _tuple,
    ast.List: _list,
    ast.Set: _set,
    ast.Dict: _dict,
    ast.ListComp: _comprehension("[", "]"),
    ast.SetComp: _comprehension("{", "}"),
    ast.GeneratorExp: _comprehension("(", ")"),
    ast.DictComp: _dict_comprehension,
    ast.comprehension: _loop,
}
