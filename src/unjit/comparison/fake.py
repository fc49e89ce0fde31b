"""Calls in which torch computes shapes alone: a kernel that is given such a tensor reads where nothing is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from unjit.errors import UnjitError
from unjit.torch_private.calling.fake import is_fake, makes_fakes


def check_has_values(given: Iterable[Any]) -> None:
    """Raises UnjitError in a mode that makes fake tensors, and where one of these is one."""
    if makes_fakes() or any(map(is_fake, given)):
        raise UnjitError("torch's fake tensors have a shape and no values: there is nothing to compare")
