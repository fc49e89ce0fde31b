"""Names looked up in the namespace of a class first, and everything that an import brings in."""

from __future__ import annotations

import ast

from unjit.bytecode import Instr
from unjit.bytecode.functions.hidden_variables import CLASS_NAMESPACE
from unjit.decompiler.errors import CannotExpress
from unjit.decompiler.ir.tree.nodes import LOAD, ImportModule, LocalsDict, Temp
from unjit.decompiler.lift.machine import Machine


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
    loaded = value.definition if isinstance(value, Temp) else None
    return isinstance(loaded, ast.Name) and loaded.id == CLASS_NAMESPACE and m.take_back(value)


def import_star(m: Machine, i: Instr) -> None:
    """`from module import *`."""
    module = m.pop()
    imported = module.definition if isinstance(module, Temp) else None
    if not m.take_back(module):
        raise CannotExpress(f"everything is imported at offset {i.offset} from a module that was not just imported")
    if not isinstance(imported, ImportModule) or imported.fromlist != ("*",):
        raise CannotExpress(f"everything is imported at offset {i.offset} without asking for it")
    m.emit(ast.ImportFrom(imported.module or None, [ast.alias("*", None)], imported.level))


OPERATIONS = {
    "LOAD_LOCALS": _load_locals,
    "LOAD_FROM_DICT_OR_DEREF": _load_from_namespace,
    "LOAD_FROM_DICT_OR_GLOBALS": _load_from_namespace,
    "IMPORT_STAR": import_star,
}
