"""Names looked up in the namespace of a class first, and everything that an import brings in."""

from __future__ import annotations

import ast

from unjit.bytecode import Instr
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.nodes import LOAD, Define, ImportModule, LocalsDict, Temp
from unjit.decompiler.lift.machine import Machine

_CLASS_NAMESPACE = "__classdict__"  # the free variable by which annotation scopes in a class know it


def _load_locals(m: Machine, i: Instr) -> None:
    del i
    m.push_atom(LocalsDict())


def _load_from_namespace(m: Machine, i: Instr) -> None:
    """What a name means in a class: the namespace, which lies on the stack, then the cell or the globals."""
    if not _is_namespace(m, m.pop()):
        raise CannotExpress(f"{i.op} at offset {i.offset} looks a name up in something else than its class")
    m.push(ast.Name(str(i.value), LOAD))


def _is_namespace(m: Machine, value: ast.expr) -> bool:
    """Takes back the load of the variable that holds it."""
    if isinstance(value, LocalsDict):
        return True
    last = m.statements[-1] if m.statements else None
    if not (isinstance(value, Temp) and isinstance(last, Define) and last.temp is value):
        return False
    if not (isinstance(last.value, ast.Name) and last.value.id == _CLASS_NAMESPACE):
        return False
    m.statements.pop()
    return True


def import_star(m: Machine, i: Instr) -> None:
    """`from module import *`."""
    module = m.pop()
    last = m.statements[-1] if m.statements else None
    if not (isinstance(module, Temp) and isinstance(last, Define) and last.temp is module):
        raise CannotExpress(f"everything is imported at offset {i.offset} from a module that was not just imported")
    found = last.value
    if not isinstance(found, ImportModule) or found.fromlist != ("*",):
        raise CannotExpress(f"everything is imported at offset {i.offset} without asking for it")
    m.statements.pop()
    m.emit(ast.ImportFrom(found.module or None, [ast.alias("*", None)], found.level))


OPERATIONS = {
    "LOAD_LOCALS": _load_locals,
    "LOAD_FROM_DICT_OR_DEREF": _load_from_namespace,
    "LOAD_FROM_DICT_OR_GLOBALS": _load_from_namespace,
    "IMPORT_STAR": import_star,
}
