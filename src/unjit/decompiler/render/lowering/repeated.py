"""`'-' * 70`, which the compiler computes.

*What the compiler did*: it put the product in the place of a string, bytes or a tuple and a number; but from Python
3.11 on it notes columns. *The shape*: a constant that says something several times, in a place in which it does not
fit. *What we produce*: the product that is as wide as the place; if none is, the one with the shortest part. *What we
refuse*: products that the compiler would leave to be computed, and parts whose items no literal says.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from types import CodeType
from typing import NamedTuple

from unjit.bytecode.instructions.positions import Positions
from unjit.decompiler.ir.as_written.places import place_of
from unjit.decompiler.kinds import keeps_annotations_as_text

Repeatable = str | bytes | tuple[object, ...]

_LEAST = 6  # what is shorter fits wherever its product does
_MOST_CHARACTERS, _MOST_ITEMS = 4096, 256  # of what the compiler computes
_ITEMS = frozenset({str, bytes, bool, int, type(None)})


class Product(NamedTuple):
    part: Repeatable
    times: int


def as_repeated(constant: ast.Constant, positions: Positions, code: CodeType) -> Product | None:
    """The product that a constant was written as; None where it was written as it is, or nothing tells.

    An annotation that the code keeps as text is as wide as that text, and has no quotes.
    """
    value: object = constant.value
    if not isinstance(value, str | bytes | tuple):
        return None
    if not _LEAST <= len(value) <= (_MOST_ITEMS if isinstance(value, tuple) else _MOST_CHARACTERS):
        return None
    shortest = _period(value)
    if shortest == len(value):
        return None
    place = place_of(constant, positions)
    if place is None or place.width is None or place.width >= _narrowest(value):
        return None
    if isinstance(value, str) and place.width == len(value) and keeps_annotations_as_text(code):
        return None
    products = [Product(value[:width], len(value) // width) for width in _multiples(shortest, len(value))]
    return next((product for product in products if _fits(product, place.width)), products[0])


def _period(value: Repeatable) -> int:
    """How long the shortest part is that the value is made of by saying it again and again."""
    if isinstance(value, tuple):
        return next((width for width in _multiples(1, len(value)) if _says_again(value, width)), len(value))
    return (value + value).find(value, 1)  # type: ignore[operator,arg-type]  # both are of one class


def _says_again(value: tuple[object, ...], width: int) -> bool:
    """Whether each item is a plain one, and the same as the one so far before it, to the type."""
    plain = all(type(item) in _ITEMS and not (type(item) is int and item < 0) for item in value[:width])
    pairs = zip(value, value[width:], strict=False)
    return plain and all(type(a) is type(b) and a == b for a, b in pairs)


def _narrowest(value: Repeatable) -> int:
    """How many columns the value takes at least where it is written out."""
    return 2 * len(value) - 1 if isinstance(value, tuple) else len(value) + len("''")


def _multiples(width: int, whole: int) -> Iterator[int]:
    return (several for several in range(width, whole // 2 + 1, width) if whole % several == 0)


def _fits(product: Product, width: int) -> bool:
    """Whether a product was written in so many columns, with room around the star or without."""
    return len(f"{product.part!r} * {product.times}") - width in (0, len("  "))
