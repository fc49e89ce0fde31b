"""Annotations that are kept as text: as wide as a product of a part would be."""
from __future__ import annotations
x: abcabc = 1
y: TypeType


class A:
    z: TypeType

    def f(self, a: TypeType, *, b: abababab = 3) -> TypeType:
        return a


def f(a: TypeType) -> TypeType:
    return 'TypeType'
