"""Every operation with a lifting, by name: the union of the family tables. A name absent here is refused."""

from __future__ import annotations

from collections.abc import Callable

from unjit.bytecode import Instr
from unjit.decompiler.lift.machine import Machine
from unjit.decompiler.lift.operations import (
    calls,
    displays,
    exception_groups,
    exceptions,
    functions,
    intrinsics,
    namespaces,
    patterns,
    stores,
    templates,
    values,
)

Operation = Callable[[Machine, Instr], None]

OPERATIONS: dict[str, Operation] = {
    **values.OPERATIONS,
    **stores.OPERATIONS,
    **displays.OPERATIONS,
    **templates.OPERATIONS,
    **calls.OPERATIONS,
    **functions.OPERATIONS,
    **exceptions.OPERATIONS,
    **exception_groups.OPERATIONS,
    **namespaces.OPERATIONS,
    **intrinsics.OPERATIONS,
    **patterns.OPERATIONS,
}
