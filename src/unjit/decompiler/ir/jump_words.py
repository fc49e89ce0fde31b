"""Which of the statements that only go on stands in a line: `continue` and `pass` are told apart by how wide they are.

From Python 3.11 on the compiler notes from which column to which. Where both go the same way, nothing else tells.
"""

from __future__ import annotations

import ast

from unjit.bytecode.positions import Positions

_WORDS: dict[int | None, type[ast.stmt]] = {len("continue"): ast.Continue, len("pass"): ast.Pass}


def going_on(line: int, positions: Positions) -> type[ast.stmt] | None:
    """The kind of statement that is all there is on a line; None where that is something else, or nothing tells."""
    places = {*positions.on_line(line)}
    if len(places) != 1:
        return None
    (place,) = places
    return _WORDS.get(place.width)
