"""Which ranks talk to each other, and whether they do."""

from __future__ import annotations

import sys
from typing import Any

from unjit.model import Constant, Maybe, Message, ProcessGroup, Term, Unknown
from unjit.model.words.wording import in_words
from unjit.torch_private.probes.rank_probes import COUNT_OF_MESSAGES, WORLD


def joined_job() -> Any:
    """torch.distributed, if the program has imported it and joined a job; else None."""
    distributed = sys.modules.get("torch.distributed")
    known = distributed is not None and distributed.is_available() and distributed.is_initialized()
    return distributed if known else None


def are_several_ranks() -> bool:
    """Whether this process has joined others in a job."""
    job = joined_job()
    return job is not None and int(job.get_world_size()) > 1


def messages_sent() -> Maybe[int]:
    """How often this rank has talked to others, in all its groups; Unknown where one of them does not count.

    NCCL counts collectives alone, and not what one rank sends to another.
    """
    world = WORLD.get()
    if isinstance(world, Unknown):
        return world
    try:
        return sum(int(COUNT_OF_MESSAGES.call_on(group)) for group in list(world.pg_map))
    except Exception as error:  # a backend that numbers nothing raises
        return Unknown(Message(f"a process group does not count its messages: {in_words(error)}"))


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
