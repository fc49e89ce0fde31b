"""What torch calls fake: tensors that have a shape and no values, and the mode in which it computes shapes alone.

And tensors that are no more than a face of others.
"""

from __future__ import annotations

from typing import Any

from unjit.model import Unknown, known_or
from unjit.torch_private.probes.program_probes import DISPATCH_MODES, IS_FAKE
from unjit.torch_private.probes.stage_probes import FAKE_MODE


def is_fake(tensor: Any) -> bool:
    """Whether it has no values, nor do those of which it is made."""
    return known_or(IS_FAKE.call(tensor), False) is True


def makes_fakes() -> bool:
    """Whether what this thread computes now has no values, as within `FakeTensorMode()`."""
    kind = FAKE_MODE.get()
    return not isinstance(kind, Unknown) and any(isinstance(mode, kind) for mode in known_or(DISPATCH_MODES.call(), ()))


def keeps_no_values(tensor: Any) -> bool:
    """Whether its class computes operations itself, and has its values in other tensors, as DTensor, or nowhere."""
    import torch

    return type(tensor).__torch_dispatch__ is not torch.Tensor.__torch_dispatch__
