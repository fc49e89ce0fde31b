"""What the cells of a function hold."""

from __future__ import annotations

from types import FunctionType
from typing import Any


def free_variables(function: FunctionType) -> dict[str, Any]:
    """The values of a function's free variables by name; those that hold nothing yet are left out."""
    found = {}
    for name, cell in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        try:
            found[name] = cell.cell_contents
        except ValueError:  # what Python raises for an empty cell
            continue
    return found
