"""Facts about the running interpreter's instruction set, as tables.

Logic elsewhere asks whether an operation is in a set, never which Python this is; a new version of CPython is
supported by extending the tables here (and the lifters' tables, which are keyed by operation name).
"""

from __future__ import annotations

import dis
import opcode
import sys
from collections.abc import Mapping

from unjit.bytecode.errors import UnsupportedPython

SUPPORTED = ((3, 10), (3, 11), (3, 12), (3, 13), (3, 14), (3, 15))
IMPLEMENTATION = "cpython"
PYTHON: tuple[int, int] = (sys.version_info[0], sys.version_info[1])

PY311 = PYTHON >= (3, 11)
PY312 = PYTHON >= (3, 12)
PY313 = PYTHON >= (3, 13)
PY314 = PYTHON >= (3, 14)
PY315 = PYTHON >= (3, 15)

# An instruction that differs from another one only in how the interpreter counts references -> that other one.
SAME_AS: dict[str, str] = {"LOAD_FAST_BORROW": "LOAD_FAST"} if PY314 else {}
OPNAMES: tuple[str, ...] = tuple(SAME_AS.get(name, name) for name in dis.opname)
OPCODES: dict[str, int] = dict(dis.opmap)
HAVE_ARGUMENT: int = dis.HAVE_ARGUMENT
EXTENDED_ARG: int = dis.EXTENDED_ARG

CONST_OPS = frozenset(OPNAMES[op] for op in dis.hasconst) | {"KW_NAMES"}
NAME_OPS = frozenset(OPNAMES[op] for op in dis.hasname)
LOCAL_OPS = frozenset(OPNAMES[op] for op in dis.haslocal)
CELL_OPS = frozenset(OPNAMES[op] for op in dis.hasfree)
COMPARE_OPS = frozenset(OPNAMES[op] for op in dis.hascompare)
ABSOLUTE_JUMPS = frozenset(OPNAMES[op] for op in dis.hasjabs)
# 3.14's END_ASYNC_FOR names the instruction that it is reached from by an exception; it does not go there.
RELATIVE_JUMPS = frozenset(OPNAMES[op] for op in dis.hasjrel) - {"END_ASYNC_FOR"}
JUMPS = ABSOLUTE_JUMPS | RELATIVE_JUMPS
BACKWARD_JUMPS = frozenset(name for name in RELATIVE_JUMPS if "BACKWARD" in name)

# How many low bits of the argument are flags packed beside the index of a name.
NAME_FLAG_BITS: dict[str, int] = {
    **({"LOAD_GLOBAL": 1} if PY311 else {}),
    **({"LOAD_ATTR": 1, "LOAD_SUPER_ATTR": 2} if PY312 else {}),
    **({"IMPORT_NAME": 2} if PY315 else {}),
}
# Where in the argument of COMPARE_OP the index of the operator stands.
COMPARE_SHIFT = 5 if PY313 else 4 if PY312 else 0

# One instruction that stands for two: their names; each has four bits of the argument.
SUPERINSTRUCTIONS: dict[str, tuple[str, str]] = (
    {
        "LOAD_FAST_LOAD_FAST": ("LOAD_FAST", "LOAD_FAST"),
        "STORE_FAST_LOAD_FAST": ("STORE_FAST", "LOAD_FAST"),
        "STORE_FAST_STORE_FAST": ("STORE_FAST", "STORE_FAST"),
        **({"LOAD_FAST_BORROW_LOAD_FAST_BORROW": ("LOAD_FAST", "LOAD_FAST")} if PY314 else {}),
    }
    if PY313
    else {}
)

# What LOAD_COMMON_CONSTANT pushes, by its argument.
COMMON_CONSTANTS: tuple[object, ...] = (
    AssertionError, NotImplementedError, tuple, all, any, *((list, set, None, "", True, False, -1) if PY315 else ()),
)  # fmt: skip
# What a loop keeps of its iterator on the stack: itself, and from 3.15 on where in it the loop is.
SLOTS_OF_ITERATOR = 2 if PY315 else 1
# What an exhausted loop skips: the instructions that it leads to, whatever they are, which should be these.
SKIPPED_AFTER_LOOPS: tuple[str, ...] = ("END_FOR", "POP_TOP") if PYTHON == (3, 13) else ("END_FOR",) if PY312 else ()
# What a comprehension loops over is asked for its iterator by the code around it, by the comprehension itself, or by
# both (3.13 from 3.13.1 on): here by the comprehension alone.
COMPREHENSIONS_ASK_ALONE = PY315 or sys.version_info[:3] == (3, 13, 4)
# The place of the subscript among BINARY_OP's operators.
SUBSCRIPT = 26 if PY314 else -1

COMPREHENSIONS_JUMP_BY_LINES = PY311 and not PY313  # jumps to jumps are shortened only on one line
FUSES_RETURNS = "RETURN_CONST" in OPCODES  # a constant that is loaded and returned at once
TERMINATORS = frozenset({"RETURN_VALUE", "RETURN_CONST", "RAISE_VARARGS", "RERAISE"})
UNCONDITIONAL_JUMPS = frozenset(
    {"JUMP_FORWARD", "JUMP_ABSOLUTE", "JUMP_BACKWARD", "JUMP_BACKWARD_NO_INTERRUPT"},
)
NO_FALLTHROUGH = TERMINATORS | UNCONDITIONAL_JUMPS  # control never comes from one to the instruction after it
GLOBAL_LOADS = frozenset({"LOAD_GLOBAL", "LOAD_NAME"})  # of a name in the globals, or else in the builtins
# How the suite of a class stores a name, which it may have declared global or nonlocal.
CLASS_STORES = frozenset({"STORE_NAME", "STORE_GLOBAL", "STORE_DEREF"})
# A list or set display of so many constants is filled from one constant, a tuple or frozenset of them.
FEWEST_FOLDED = 3
CODE_UNIT = 2  # bytes of an instruction, without its caches


def _cache_entries() -> dict[str, int]:
    """Code units of inline cache that follow each operation."""
    table = getattr(opcode, "_inline_cache_entries", {})
    if isinstance(table, Mapping):
        return {name: count for name, count in table.items() if count}
    return {OPNAMES[op]: count for op, count in enumerate(table) if count}


CACHES: dict[str, int] = _cache_entries()


def require_supported() -> None:
    """Raise UnsupportedPython, naming the versions that are supported, on any other interpreter."""
    if PYTHON not in SUPPORTED or sys.implementation.name != IMPLEMENTATION:
        names = ", ".join(f"{major}.{minor}" for major, minor in SUPPORTED)
        this = f"{sys.implementation.name} {PYTHON[0]}.{PYTHON[1]}"
        raise UnsupportedPython(f"unjit reads the bytecode of CPython {names}, not of {this}")
