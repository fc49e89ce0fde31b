"""The table of private names, in the order in which docs/private-names.md lists them."""

from __future__ import annotations

from typing import Final

from unjit.torch_private.probes import (
    cache_probes,
    call_probes,
    graph_probes,
    guard_probes,
    history_probes,
    install_probes,
    program_probes,
    rank_probes,
    stage_probes,
    state_probes,
    trace_probes,
)
from unjit.torch_private.probes.probe import Probe

_MODULES: Final = (
    cache_probes,
    guard_probes,
    graph_probes,
    call_probes,
    history_probes,
    install_probes,
    program_probes,
    rank_probes,
    stage_probes,
    state_probes,
    trace_probes,
)
PROBES: Final[tuple[Probe, ...]] = tuple(
    value for module in _MODULES for value in vars(module).values() if isinstance(value, Probe)
)
