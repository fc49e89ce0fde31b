"""Listings of resume functions, which torch makes for whoever listens to its trace.

A listing has the repr of each constant, and Dynamo puts objects of the program among them, a module's whole namespace
too: that would call the program, which may print something, take long, or fail, and the compile with it.
"""

from __future__ import annotations

import dis
from types import CodeType, SimpleNamespace
from typing import Any, Final

from unjit.bytecode.constants.shown import listable
from unjit.torch_private.following.standing_in import StandIn
from unjit.torch_private.probes.trace_probes import LISTER


def _listed(code: Any, **options: Any) -> dis.Bytecode:
    return dis.Bytecode(listable(code) if isinstance(code, CodeType) else code, **options)


LISTINGS: Final = StandIn(LISTER, SimpleNamespace(**{**vars(dis), "Bytecode": _listed}))
