"""Which ranks talk to each other."""

from __future__ import annotations

import sys

from unjit.model import Constant, Maybe, Message, ProcessGroup, Term, Unknown
from unjit.model.wording import in_words
from unjit.torch_private.probes.rank_probes import WORLD


def process_groups() -> Maybe[tuple[ProcessGroup, ...]]:
    """The process groups that this rank is in, in the order of their making. Asks nobody else."""
    world = WORLD.get()
    if isinstance(world, Unknown):
        return world
    distributed = sys.modules["torch.distributed"]
    try:
        return tuple(
            ProcessGroup(
                Term(name),
                Constant(getattr(group, "group_desc", "") or "undefined"),
                tuple(distributed.get_process_group_ranks(group)),
            )
            for group, name in list(world.pg_names.items())
        )
    except Exception as error:
        return Unknown(Message(f"the process groups could not be read: {in_words(error)}"))
