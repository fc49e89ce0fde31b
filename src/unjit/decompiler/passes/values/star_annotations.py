"""`*args: *T`, from the statement that takes the one item of `*T` apart (3.11 to 3.13).

*What the compiler did*: it evaluated `(*T,)` as an unpacking of T to one value, and put that into the tuple of
annotations. *What we produce*: `*T` as a value, so that it is said where the function is made. *What we refuse*: such a
value in any other place.
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Iterator
from types import CodeType

from unjit.bytecode import versions as v
from unjit.decompiler.ir.flow.graph import Graph
from unjit.decompiler.ir.tree.nodes import LOAD, Define, MakeFunction, Temp
from unjit.decompiler.ir.tree.notes import copy_mark

_HAS_THEM = v.PY311 and not v.PY314


def run(graph: Graph) -> None:
    if not _HAS_THEM or not {"MAKE_FUNCTION", "UNPACK_SEQUENCE"} <= graph.operations:
        return
    starred = set(_of_variadic_arguments(graph))
    for block in graph.reachable() if starred else ():
        for k, statement in enumerate(block.statements):
            target = statement.targets[0] if isinstance(statement, ast.Assign) else None
            only = target.elts[0] if isinstance(target, ast.Tuple) and len(target.elts) == 1 else None
            if isinstance(statement, ast.Assign) and isinstance(only, Temp) and only in starred:
                block.statements[k] = Define(only, ast.Starred(statement.value, LOAD))
                copy_mark(statement, block.statements[k])


def _of_variadic_arguments(graph: Graph) -> Iterator[ast.expr]:
    """What functions that are made here have as the annotation of `*args`."""
    for block in graph.reachable():
        for statement in block.statements:
            made = statement.value if isinstance(statement, Define) else None
            name = _variadic(made.code) if isinstance(made, MakeFunction) else None
            given = made.annotations if name is not None and isinstance(made, MakeFunction) else None
            pairs = given.definition if isinstance(given, Temp) else given
            if isinstance(pairs, ast.Tuple):
                names, values = pairs.elts[::2], pairs.elts[1::2]
                yield from (value for key, value in zip(names, values, strict=False) if _is_of(key, name))


def _variadic(code: CodeType) -> str | None:
    if not code.co_flags & inspect.CO_VARARGS:
        return None
    return code.co_varnames[code.co_argcount + code.co_kwonlyargcount]


def _is_of(key: ast.expr, name: str | None) -> bool:
    """Whether an annotation after this key is that of the argument."""
    return isinstance(key, ast.Constant) and key.value == name
