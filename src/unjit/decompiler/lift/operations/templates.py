"""Template strings (3.14): their parts as the compiler lays them out."""

from __future__ import annotations

import ast

from unjit.bytecode import Instr
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.nodes import Interpolated, Template
from unjit.decompiler.lift.machine import Machine
from unjit.decompiler.lift.operations.displays import CONVERSIONS


def _interpolation(m: Machine, i: Instr) -> None:
    """A value, the text that it was written as, and with the lowest bit of the argument how to format it."""
    spec = m.pop() if i.arg & 1 else None
    value, text = m.pop_many(2)
    if not (isinstance(text, ast.Constant) and isinstance(text.value, str)):
        raise CannotExpress(f"{i.op} at offset {i.offset} does not say which text its value comes from")
    m.push(Interpolated(value, text.value, CONVERSIONS[i.arg >> 2], spec))


def _template(m: Machine, i: Instr) -> None:
    del i
    strings, interpolations = m.pop_many(2)
    m.push(Template(strings, interpolations))


OPERATIONS = {"BUILD_INTERPOLATION": _interpolation, "BUILD_TEMPLATE": _template}
