"""Facts about the running interpreter's instruction set, as tables.

Logic elsewhere asks whether an operation is in a set, never which Python this is; a new version of CPython is
supported by extending the tables here (and the lifters' tables, which are keyed by operation name).
"""

from __future__ import annotations

import dis
import opcode
import sys

from unjit.bytecode.errors import UnsupportedPython

SUPPORTED = ((3, 10), (3, 11), (3, 12), (3, 13))
PYTHON: tuple[int, int] = (sys.version_info[0], sys.version_info[1])

PY311 = PYTHON >= (3, 11)
PY312 = PYTHON >= (3, 12)
PY313 = PYTHON >= (3, 13)

OPNAMES: tuple[str, ...] = tuple(dis.opname)
OPCODES: dict[str, int] = dict(dis.opmap)
HAVE_ARGUMENT: int = dis.HAVE_ARGUMENT
EXTENDED_ARG: int = dis.EXTENDED_ARG

CONST_OPS = frozenset(OPNAMES[op] for op in dis.hasconst) | {"KW_NAMES"}
NAME_OPS = frozenset(OPNAMES[op] for op in dis.hasname)
LOCAL_OPS = frozenset(OPNAMES[op] for op in dis.haslocal)
CELL_OPS = frozenset(OPNAMES[op] for op in dis.hasfree)
COMPARE_OPS = frozenset(OPNAMES[op] for op in dis.hascompare)
ABSOLUTE_JUMPS = frozenset(OPNAMES[op] for op in dis.hasjabs)
RELATIVE_JUMPS = frozenset(OPNAMES[op] for op in dis.hasjrel)
JUMPS = ABSOLUTE_JUMPS | RELATIVE_JUMPS
BACKWARD_JUMPS = frozenset(name for name in RELATIVE_JUMPS if "BACKWARD" in name)

# How many low bits of the argument are flags packed beside the index of a name.
NAME_FLAG_BITS: dict[str, int] = {
    **({"LOAD_GLOBAL": 1} if PY311 else {}),
    **({"LOAD_ATTR": 1, "LOAD_SUPER_ATTR": 2} if PY312 else {}),
}
# Where in the argument of COMPARE_OP the index of the operator stands.
COMPARE_SHIFT = 5 if PY313 else 4 if PY312 else 0

# One instruction that stands for two: their names; each has four bits of the argument.
SUPERINSTRUCTIONS: dict[str, tuple[str, str]] = (
    {
        "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
        "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
        "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
    }
    if PY313
    else {}
)

TERMINATORS = frozenset({"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"})
UNCONDITIONAL_JUMPS = frozenset(
    {"JUMP_FORWARD", "JUMP_ABSOLUTE", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"},
)


def _cache_entries() -> dict[str, int]:
    """Code units of inline cache that follow each operation."""
    table = getattr(opcode, "_inline_cache_entries", {})
    if isinstance(table, dict):
        return {name: count for name, count in table.items() if count}
    return {OPNAMES[op]: count for op, count in enumerate(table) if count}


CACHES: dict[str, int] = _cache_entries()


def require_supported() -> None:
    """Raise UnsupportedPython, naming the versions that are supported, on any other interpreter."""
    if PYTHON not in SUPPORTED:
        names = ", ".join(f"{major}.{minor}" for major, minor in SUPPORTED)
        raise UnsupportedPython(f"unjit reads the bytecode of Python {names}, not of {PYTHON[0]}.{PYTHON[1]}")
