"""`'%s: %r' % (a, b)`, which compiles to what an f-string with `!s` and `!r` does.

*What the compiler did*: from 3.11 on, where the format is a literal, the right side a tuple, and every field `%s`, `%r`
or `%a`, it wrote the f-string. *What we produce*: the former where some field says `!s` and all could have stood there:
nobody writes `!s` into an f-string, which does the same without. *What we refuse*: fields of nothing but constants
before 3.14: those were one constant before the format was looked at.
"""

from __future__ import annotations

import ast
import re

from unjit.bytecode import versions as v

_CONVERSIONS = {ord("s"): "s", ord("r"): "r", ord("a"): "a"}
# What the compiler makes of a width and a precision, each of two digits at most.
_SPEC = re.compile(r"(?P<right>>)?(?P<width>[1-9]\d?)?(?P<precision>\.\d{1,2})?")
# And what it makes that of; anything else in a format stays as it is.
_FIELD = re.compile(r"%[-+ #0]*\d{0,2}(?:\.\d{0,2})?[sra]")


def is_compiled_to_fields(text: str, values: ast.expr) -> bool:
    """Whether the compiler writes an f-string where this is a literal, and the format of these values."""
    if isinstance(values, ast.Constant) and isinstance(values.value, tuple):
        count = len(values.value) if v.PY314 else None
    elif isinstance(values, ast.Tuple) and not any(isinstance(value, ast.Starred) for value in values.elts):
        count = len(values.elts)
    else:
        count = None
    plain = text.replace("%%", "")
    return v.PY311 and len(_FIELD.findall(plain)) == count and "%" not in _FIELD.sub("", plain)


def percent_format(values: list[ast.expr]) -> ast.BinOp | None:
    """The parts of an f-string, constants and fields, as a format and its tuple; None where an f-string was written."""
    fields = [value for value in values if isinstance(value, ast.FormattedValue)]
    if not v.PY311 or not any(field.conversion == ord("s") for field in fields):
        return None
    pieces = [_piece(value) for value in values]
    is_constant = not v.PY314 and all(isinstance(field.value, ast.Constant) for field in fields)
    if None in pieces or is_constant:
        return None
    text = "".join([piece for piece in pieces if piece is not None])
    return ast.BinOp(ast.Constant(text), ast.Mod(), ast.Tuple([field.value for field in fields], ast.Load()))


def _piece(value: ast.expr) -> str | None:
    if isinstance(value, ast.Constant) and isinstance(value.value, str):
        return value.value.replace("%", "%%")
    if not isinstance(value, ast.FormattedValue) or value.conversion not in _CONVERSIONS:
        return None
    spec = _constant(value.format_spec)
    if spec == "" and value.format_spec is not None:  # `f'{x!s:}'`
        return None
    known = None if spec is None else _SPEC.fullmatch(spec)
    if known is None or (known["right"] and not known["width"]):
        return None
    left = "-" if known["width"] and not known["right"] else ""
    return f"%{left}{known['width'] or ''}{known['precision'] or ''}{_CONVERSIONS[value.conversion]}"


def _constant(spec: ast.expr | None) -> str | None:
    """The text of a format specification, empty where there is none; None where it is computed."""
    parts = spec.values if isinstance(spec, ast.JoinedStr) else []
    texts = [part.value for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return "".join(texts) if len(texts) == len(parts) else None
