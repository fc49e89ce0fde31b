"""Functions that look like one under another name: one is in the first capture alone, one in the second."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TypeAlias

from unjit.differences.compiles import graphs_of
from unjit.differences.entries import all_asked
from unjit.differences.pairing import Pair, compiles_of
from unjit.model import Capture, Function, Message, Unknown

_Graphs: TypeAlias = tuple[frozenset[tuple[str, str]], ...]  # of each compile, by their names
_Look: TypeAlias = tuple[_Graphs, tuple[object, ...]]  # and what the guards of each entry ask, as far as that is known


def renames(found: Iterable[Pair], one: Capture, other: Capture) -> Iterator[Message]:
    """What is said of each pair that has the same graphs and guards, where no other function has these as well."""
    alone = [pair for pair in found if None in pair]
    gone = _by_look((mine for mine, _ in alone), one)
    come = _by_look((yours for _, yours in alone), other)
    for look, mine in gone.items():
        yours = come.get(look, [])
        if len(mine) == len(yours) == 1:
            _, guards = look
            same = "graphs and guards" if guards and None not in guards else "graphs"
            yield Message(
                f"{yours[0].key} of the second looks like {mine[0].key} of the first under another name: it has the "
                f"same {same}"
            )


def _by_look(functions: Iterable[Function | None], capture: Capture) -> dict[_Look, list[Function]]:
    """The functions, without resume functions, by what they look like."""
    found: dict[_Look, list[Function]] = {}
    for function in functions:
        graphs = None if function is None or function.resume is not None else _graphs(function, capture)
        if function is not None and graphs:
            guards = tuple(all_asked(entry.guards) for entry in function.entries)
            found.setdefault((graphs, guards), []).append(function)
    return found


def _graphs(function: Function, capture: Capture) -> _Graphs | None:
    """The graphs of each compile of a function; None where one is not known, or there is none."""
    compiles = [graphs_of(one) for one in compiles_of(function, capture)]
    texts = [text for graphs in compiles for text in graphs.values()]
    if not texts or any(isinstance(text, Unknown) for text in texts):
        return None
    return tuple(frozenset((name, str(text)) for name, text in graphs.items()) for graphs in compiles)
