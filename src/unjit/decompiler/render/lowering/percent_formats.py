"""`'%s: %r' % (a, b)`, which compiles to what an f-string with `!s` and `!r` does.

*What the compiler did*: from 3.11 on, where the format is a literal, the right side a tuple, and every field `%s`, `%r`
or `%a`, it wrote the f-string. *What we produce*: the former where all fields could have stood there, and each was
formatted in the place of its value, not of braces around it; where no place is known, or an f-string may not be able to
say it (before 3.12), if some field says `!s`: hardly anybody writes that, as it does nothing. *What we refuse*:
fields of nothing but constants before 3.14: those were one constant before the format was looked at.
"""

from __future__ import annotations

import ast
import re

from unjit.bytecode import versions as v
from unjit.bytecode.instructions.positions import Positions
from unjit.decompiler.ir.as_written.places import place_of

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


def stands_in_braces(joined: ast.JoinedStr, positions: Positions) -> bool | None:
    """Whether the fields of what a code object joins were written with braces around their values.

    None where nothing tells. `joined` is as it was lifted: its fields are strings by themselves.
    """
    fields = [part for part in joined.values if isinstance(part, ast.JoinedStr)] or [joined]
    told = {_is_in_braces(field, positions) for field in fields}
    return None if None in told else any(told)


def _is_in_braces(field: ast.JoinedStr, positions: Positions) -> bool | None:
    value: ast.AST = field.values[0] if field.values else field
    while isinstance(value, ast.FormattedValue):
        value = value.value
    own = place_of(field, positions)
    if own is None or isinstance(value, ast.JoinedStr):
        return None
    if isinstance(value, ast.Name):
        return own.width != len(value.id.encode())
    places = [place for part in ast.walk(value) if (place := place_of(part, positions)) is not None]
    return min(places)[:2] != own[:2] if places else None


def percent_format(values: list[ast.expr], *, in_braces: bool | None = None) -> ast.BinOp | None:
    """The parts of an f-string, constants and fields, as a format and its tuple; None where an f-string was written.

    `in_braces` is whether the fields stood in braces, if that is known.
    """
    fields = [value for value in values if isinstance(value, ast.FormattedValue)]
    if not v.PY311 or not fields:
        return None
    if in_braces and v.PY312:
        return None
    if in_braces is not False and not any(field.conversion == ord("s") for field in fields):
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
