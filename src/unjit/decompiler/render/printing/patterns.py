"""The patterns of match statements to text."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TYPE_CHECKING

from unjit.decompiler.render.printing.brackets import ATOM, BIT_OR, TEST, bracketed
from unjit.decompiler.render.printing.strings import constant_text

if TYPE_CHECKING:
    from unjit.decompiler.render.printing.writer import Writer


def _value(writer: Writer, node: ast.MatchValue, _: int) -> str:
    return writer.text(node.value)


def _singleton(_: Writer, node: ast.MatchSingleton, __: int) -> str:
    return constant_text(node.value)


def _sequence(writer: Writer, node: ast.MatchSequence, _: int) -> str:
    return f"[{writer.texts(node.patterns)}]"


def _star(_: Writer, node: ast.MatchStar, __: int) -> str:
    return f"*{node.name or '_'}"


def _mapping(writer: Writer, node: ast.MatchMapping, _: int) -> str:
    shown = [
        f"{writer.text(key)}: {writer.text(pattern)}" for key, pattern in zip(node.keys, node.patterns, strict=True)
    ]
    if node.rest is not None:
        shown.append(f"**{node.rest}")
    return f"{{{', '.join(shown)}}}"


def _class(writer: Writer, node: ast.MatchClass, _: int) -> str:
    named = zip(node.kwd_attrs, node.kwd_patterns, strict=True)
    shown = [*map(writer.text, node.patterns), *(f"{name}={writer.text(pattern)}" for name, pattern in named)]
    return f"{writer.text(node.cls, ATOM)}({', '.join(shown)})"


def _as(writer: Writer, node: ast.MatchAs, level: int) -> str:
    if node.pattern is None:
        return node.name or "_"
    return bracketed(f"{writer.text(node.pattern, BIT_OR)} as {node.name}", TEST, level)


def _or(writer: Writer, node: ast.MatchOr, level: int) -> str:
    return bracketed(" | ".join([writer.text(pattern, BIT_OR + 1) for pattern in node.patterns]), BIT_OR, level)


PATTERNS: dict[type[ast.AST], Callable[..., str]] = {
    ast.MatchValue: _value,
    ast.MatchSingleton: _singleton,
    ast.MatchSequence: _sequence,
    ast.MatchStar: _star,
    ast.MatchMapping: _mapping,
    ast.MatchClass: _class,
    ast.MatchAs: _as,
    ast.MatchOr: _or,
}
