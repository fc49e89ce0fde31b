"""Constants, f-strings and template strings to text: quotes and escapes."""

from __future__ import annotations

import ast
import sys
from collections.abc import Callable

from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.render.printing.brackets import DIVIDED

# Any string, as a regular expression that needs DOTALL.
STRING = (
    r'"""(?:[^\\]|\\.)*?"""'
    r"|'''(?:[^\\]|\\.)*?'''"
    r'|"(?:[^"\\]|\\.)*"'
    r"|'(?:[^'\\]|\\.)*'"
)
_QUOTES = ("'", '"', '"""', "'''")
ANYTHING_IN_FIELDS = sys.version_info >= (3, 12)  # before, a field has neither the string's quotes nor backslashes
_INFINITY = f"1e{sys.float_info.max_10_exp + 1}"  # a literal too large for a float is infinite


def constant_text(value: object) -> str:
    """A literal for the constant."""
    if value is ...:
        return "..."
    if type(value) in (float, complex):
        return repr(value).replace("inf", _INFINITY)
    if isinstance(value, tuple):
        shown = ", ".join(map(constant_text, value))
        return f"({shown},)" if len(value) == 1 else f"({shown})"
    if type(value) is int and value.bit_length() > _LONGEST_DECIMAL:
        return hex(value)
    return repr(value)


_LONGEST_DECIMAL = 2000  # bits: Python refuses to write or read numbers of several thousand digits, but in hexadecimal


def text_without_backslashes(value: object) -> str:
    """The same, for where a backslash may not stand. Raises CannotExpress where it cannot be done without."""
    shown = constant_text(value)
    if "\\" not in shown:
        return shown
    if isinstance(value, str) and all(c.isprintable() or c in "\n\t" for c in value) and "\\" not in value:
        for quote in _QUOTES[2:]:
            if quote not in value and not value.endswith(quote[0]):
                return f"{quote}{value}{quote}"
    raise CannotExpress("a constant in an f-string needs a backslash")


# ---------------------------------------------------------------- f-strings
def joined_text(values: list[ast.expr], prefix: str, text_of: Callable[[ast.expr], str]) -> str:
    """The f-string or template string of these parts, in quotes that nothing in it has where there are such."""
    pieces = [piece for value in values for piece in _pieces(value, text_of)]
    fields = [piece for piece, is_field in pieces if is_field]
    plain = "".join([piece for piece, is_field in pieces if not is_field])
    usable = [quote for quote in _QUOTES if not any(quote in field for field in fields)]
    if any("\n" in field or DIVIDED in field for field in fields):
        usable = [quote for quote in usable if len(quote) > 1]
    if not usable and not ANYTHING_IN_FIELDS:
        raise CannotExpress("an f-string has every kind of quotes in its fields")
    quote = next((quote for quote in usable if quote[0] not in plain), usable[0] if usable else _QUOTES[0])
    escaped = f"\\{quote[0]}"
    body = "".join([piece if is_field else piece.replace(quote[0], escaped) for piece, is_field in pieces])
    return f"{prefix}{quote}{body}{quote}"


def _pieces(node: ast.expr, text_of: Callable[[ast.expr], str]) -> list[tuple[str, bool]]:
    """What stands between the quotes, and of each piece whether it is a field."""
    if isinstance(node, ast.JoinedStr):
        return [piece for value in node.values for piece in _pieces(value, text_of)]
    if isinstance(node, ast.Constant) and isinstance(node.value, str):
        return [(_escaped(node.value).replace("{", "{{").replace("}", "}}"), False)]
    if isinstance(node, ast.FormattedValue):
        return _field(node, text_of(node.value), text_of)
    if type(node).__name__ == "Interpolation":  # keeps the text that it was written as
        return _field(node, node.str, text_of)  # type: ignore[arg-type,attr-defined]  # 3.14
    raise CannotExpress("a string is joined from values that no format made")


def _field(node: ast.FormattedValue, shown: str, text_of: Callable[[ast.expr], str]) -> list[tuple[str, bool]]:
    opening = "{ " if shown.startswith("{") else "{"
    conversion = "" if node.conversion == -1 else f"!{chr(node.conversion)}"
    if node.format_spec is None:
        return [(f"{opening}{shown}{conversion}}}", True)]
    return [(f"{opening}{shown}{conversion}:", True), *_pieces(node.format_spec, text_of), ("}", True)]


def _escaped(text: str) -> str:
    """The text as it stands between quotes, which are left to whoever chooses them."""
    if text.isprintable() and "\\" not in text:
        return text
    return "".join([c if c.isprintable() and c != "\\" else c.encode("unicode_escape").decode("ascii") for c in text])
