"""What a program has torch call while it compiles."""

from __future__ import annotations

from typing import Any, Final

from unjit.model import Unknown
from unjit.torch_private.probes import program_probes as probes
from unjit.torch_private.probes.stage_probes import BEFORE_FUSION

_PLACES: Final = (
    probes.PRE_GRAD_PASS,
    probes.JOINT_PRE_PASS,
    probes.JOINT_POST_PASS,
    probes.POST_GRAD_PRE_PASS,
    probes.POST_GRAD_POST_PASS,
    BEFORE_FUSION,
    probes.POST_FUSION_PASS,
    probes.BYTECODE_HOOKS,
    probes.BEFORE_COMPILES,
    probes.AFTER_COMPILES,
)


def called_in_compiles() -> list[Any]:
    """Inductor's passes, hooks on bytecode and callbacks, each by itself; those of torch's own and of unjit's, too."""
    found = [place for place in (probe.get() for probe in _PLACES) if not isinstance(place, Unknown)]
    return [one for place in found for one in _each(place)]


def _each(place: Any) -> list[Any]:
    """torch keeps hooks by their numbers, callbacks in lists, and passes alone or, some of them, in a list."""
    if isinstance(place, dict):
        return list(place.values())
    return list(place) if isinstance(place, list | tuple) else [place]
