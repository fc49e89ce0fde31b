"""What CPython's code objects and functions contain: instructions, handlers, flags, cells. No meaning is given here."""

from __future__ import annotations

from unjit.bytecode.decode import Handler, Instr
from unjit.bytecode.definition import Definition
from unjit.bytecode.distinct import distinct
from unjit.bytecode.errors import BytecodeError, UnsupportedPython
from unjit.bytecode.flow import Places, may_be_protected, places_of, stack_depths
from unjit.bytecode.free_variables import free_variables
from unjit.bytecode.globals import global_names, with_constants_for
from unjit.bytecode.nested import with_nested
from unjit.bytecode.remember import decode, decoding_once, places_in, positions_in, reachable_in

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
