"""Expressions to text: a writer for each kind of node, which has its parts written by the `Writer`."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.notes import offset_of
from unjit.decompiler.render.printing.brackets import (
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
    bare_tuple,
    bracketed,
)
from unjit.decompiler.render.printing.strings import constant_text, joined_text, text_without_backslashes

if TYPE_CHECKING:
    from unjit.decompiler.render.printing.writer import Writer

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
def _binary(writer: Writer, node: ast.BinOp, level: int) -> str:
    """A sum of hundreds of terms is as many deep on its left: that side is gone down here."""
    opened, after = "", []
    while True:
        sign, own = BINARY[type(node.op)]
        left, right = (AWAIT, FACTOR) if own == POWER else (own, own + 1)
        opened, closed = (f"{opened}(", ")") if level > own else (opened, "")
        after.append(f" {sign} {writer.text(node.right, right)}{closed}")
        if type(node.left) is not ast.BinOp:
            return "".join([opened, writer.text(node.left, left), *reversed(after)])
        node, level = node.left, left
        if (at := offset_of(node)) is not None:
            writer.offsets.append(at)


def _unary(writer: Writer, node: ast.UnaryOp, level: int) -> str:
    sign, own = _UNARY[type(node.op)]
    return bracketed(sign + writer.text(node.operand, own), own, level)


def _boolean(writer: Writer, node: ast.BoolOp, level: int) -> str:
    word, own = (" and ", AND) if isinstance(node.op, ast.And) else (" or ", OR)
    return bracketed(word.join([writer.text(value, own + 1) for value in node.values]), own, level)


def _compared(writer: Writer, node: ast.Compare, level: int) -> str:
    text = writer.text(node.left, BIT_OR)
    for operator, value in zip(node.ops, node.comparators, strict=True):
        text += _COMPARED[type(operator)] + writer.text(value, BIT_OR)
    return bracketed(text, COMPARED, level)


def _conditional(writer: Writer, node: ast.IfExp, level: int) -> str:
    body, test, orelse = writer.text(node.body, OR), writer.text(node.test, OR), writer.text(node.orelse, TEST)
    return bracketed(f"{body} if {test} else {orelse}", TEST, level)


def _walrus(writer: Writer, node: ast.NamedExpr, level: int) -> str:
    return bracketed(f"{writer.text(node.target, ATOM)} := {writer.text(node.value)}", NAMED, level)


def _lambda(writer: Writer, node: ast.Lambda, level: int) -> str:
    """The body is other bytecode: its offsets are not this code's."""
    head = f"lambda {arguments_text(writer, node.args)}".rstrip()
    return bracketed(f"{head}: {writer.apart().text(node.body)}", TEST, level)


def _await(writer: Writer, node: ast.Await, level: int) -> str:
    return bracketed(f"await {writer.text(node.value, ATOM)}", AWAIT, level)


def _yield(writer: Writer, node: ast.Yield, level: int) -> str:
    value = node.value
    text = "yield" if value is None else f"yield {writer.text(value, bare_tuple(value, TEST))}"
    return bracketed(text, YIELD, level)


def _yield_from(writer: Writer, node: ast.YieldFrom, level: int) -> str:
    return bracketed(f"yield from {writer.text(node.value)}", YIELD, level)


# ---------------------------------------------------------------- trailers
def _attribute(writer: Writer, node: ast.Attribute, _: int) -> str:
    owner = node.value
    number = isinstance(owner, ast.Constant) and type(owner.value) is int
    return f"{writer.text(owner, ATOM)}{' ' if number else ''}.{node.attr}"


def _call(writer: Writer, node: ast.Call, _: int) -> str:
    function = writer.text(node.func, ATOM)
    if len(node.args) == 1 and not node.keywords and isinstance(node.args[0], ast.GeneratorExp):
        return function + writer.text(node.args[0])
    return f"{function}({writer.texts([*node.args, *node.keywords])})"


def _keyword(writer: Writer, node: ast.keyword, _: int) -> str:
    return f"**{writer.text(node.value)}" if node.arg is None else f"{node.arg}={writer.text(node.value)}"


def _starred(writer: Writer, node: ast.Starred, _: int) -> str:
    return f"*{writer.text(node.value, BIT_OR)}"


def _subscript(writer: Writer, node: ast.Subscript, _: int) -> str:
    key = node.slice
    level = TEST
    if isinstance(key, ast.Tuple) and key.elts:
        starred = any(isinstance(element, ast.Starred) for element in key.elts)
        level = TUPLE if _STARS_BETWEEN_BRACKETS or not starred else TEST
    return f"{writer.text(node.value, ATOM)}[{writer.text(key, level)}]"


def _slice(writer: Writer, node: ast.Slice, _: int) -> str:
    lower = "" if node.lower is None else writer.text(node.lower)
    upper = "" if node.upper is None else writer.text(node.upper)
    return f"{lower}:{upper}" if node.step is None else f"{lower}:{upper}:{writer.text(node.step)}"


# ---------------------------------------------------------------- displays
def _tuple(writer: Writer, node: ast.Tuple, level: int) -> str:
    text = f"{writer.texts(node.elts)}{',' if len(node.elts) == 1 else ''}"
    return text if node.elts and level <= TUPLE else f"({text})"


def _list(writer: Writer, node: ast.List, _: int) -> str:
    return f"[{writer.texts(node.elts)}]"


def _set(writer: Writer, node: ast.Set, _: int) -> str:
    return f"{{{writer.texts(node.elts)}}}" if node.elts else "{*()}"


def _dict(writer: Writer, node: ast.Dict, _: int) -> str:
    text = writer.text
    pairs = [
        f"**{text(value, BIT_OR)}" if key is None else f"{text(key)}: {text(value)}"
        for key, value in zip(node.keys, node.values, strict=True)
    ]
    return f"{{{', '.join(pairs)}}}"


def _comprehension(opening: str, closing: str) -> Callable[[Writer, ast.ListComp, int], str]:
    def write(writer: Writer, node: ast.ListComp, _: int) -> str:
        return f"{opening}{writer.text(node.elt)}{''.join(map(writer.text, node.generators))}{closing}"

    return write


def _dict_comprehension(writer: Writer, node: ast.DictComp, _: int) -> str:
    if node.value is None:  # 3.15: what is unpacked stands in the key's place
        shown = f"**{writer.text(node.key, BIT_OR)}"
    else:
        shown = f"{writer.text(node.key)}: {writer.text(node.value)}"
    return f"{{{shown}{''.join(map(writer.text, node.generators))}}}"


def _loop(writer: Writer, node: ast.comprehension, _: int) -> str:
    word = "async for" if node.is_async else "for"
    divided = DIVIDED if getattr(node, "is_divided", False) else ""
    tests = "".join([f"{divided} if {writer.text(test, OR)}" for test in node.ifs])
    return f" {word} {writer.text(node.target, TUPLE)} in {writer.text(node.iter, OR)}{tests}"


# ---------------------------------------------------------------- parameters
def arguments_text(writer: Writer, node: ast.arguments) -> str:
    """The parameters between the brackets of a definition, or after `lambda`."""
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


EXPRESSIONS: dict[type[ast.AST], Callable[..., str]] = {
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
