"""What torch keeps of parametrized tensors for a while, where whoever runs a module fills it."""

from __future__ import annotations

from typing import Any

from unjit.model import known_or
from unjit.torch_private.probes import state_probes


def parametrizations() -> dict[Any, Any]:
    """What the modules in a block of `torch.nn.utils.parametrize.cached` have computed; nothing outside of one."""
    found: Any = known_or(state_probes.PARAMETRIZATIONS.get(), {})
    return found if isinstance(found, dict) else {}
