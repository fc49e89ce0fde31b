# compiles to the same code
"""From 3.14 on nothing but a cell of the class tells that one of its annotations is in a compound statement."""

from __future__ import annotations


class W:
    a: int
    if True:
        e: int = 1


class Alone:
    if True:
        e: int
