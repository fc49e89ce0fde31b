"""What a program has torch call around whatever runs: hooks of all modules, modes, and hooks on saved tensors."""

from __future__ import annotations

from typing import Any, Final

from unjit.model import Unknown, known_or
from unjit.torch_private.probes import program_probes as probes
from unjit.torch_private.probes.cache_probes import GLOBAL_PRE_HOOKS

_HOOKS: Final = (
    GLOBAL_PRE_HOOKS,
    probes.HOOKS_AFTER_FORWARDS,
    probes.HOOKS_BEFORE_BACKWARDS,
    probes.HOOKS_AFTER_BACKWARDS,
)
_MODES: Final = (probes.DISPATCH_MODES, probes.FUNCTION_MODES)


def called_around() -> list[Any]:
    """All that is in force in this thread; modes are objects, some of torch's own, as the one that counts flops."""
    hooks = [hook for probe in _HOOKS for hook in known_or(probe.get(), {}).values()]
    modes = [mode for probe in _MODES for mode in known_or(probe.call(), ())]
    saved = probes.HOOKS_ON_SAVED.call(True)  # those as well that torch leaves out while it traces
    return [*hooks, *modes, *(() if saved is None or isinstance(saved, Unknown) else saved)]


def implementing(operator: Any) -> list[Any]:
    """The functions that `torch.library.custom_op` was given for an operator; none for anything else."""
    kind = type(operator)
    is_one = kind.__name__ == probes.OPERATOR.attribute and kind is probes.OPERATOR.get()  # of most the name is enough
    return list(vars(operator).values()) if is_one else []
