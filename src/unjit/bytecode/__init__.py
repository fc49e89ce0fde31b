"""What CPython's code objects and functions contain: instructions, handlers, flags, cells. No meaning is given here."""

from __future__ import annotations

from unjit.bytecode.distinct import distinct
from unjit.bytecode.errors import BytecodeError, UnsupportedPython
from unjit.bytecode.functions.definition import Definition
from unjit.bytecode.functions.free_variables import free_variables
from unjit.bytecode.functions.globals import global_names, with_constants_for
from unjit.bytecode.instructions.decode import Handler, Instr
from unjit.bytecode.instructions.flow import Places, may_be_protected, places_of, stack_depths
from unjit.bytecode.instructions.remember import decode, decoding_once, places_in, positions_in, reachable_in
from unjit.bytecode.nested import with_nested

__all__ = [
    "BytecodeError",
    "Definition",
    "Handler",
    "Instr",
    "Places",
    "UnsupportedPython",
    "decode",
    "decoding_once",
    "distinct",
    "free_variables",
    "global_names",
    "may_be_protected",
    "places_in",
    "places_of",
    "positions_in",
    "reachable_in",
    "stack_depths",
    "with_constants_for",
    "with_nested",
]
