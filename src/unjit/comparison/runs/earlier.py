"""What the program's calls have left in Dynamo's cache, beside eager: an entry may run that has become wrong.

Guards do not ask about all that a call depends on, and an entry for many sizes has other kernels than one for the sizes
of the call. What is compiled for the comparison shows neither. So what is there runs as well, where all else agrees.
"""

from __future__ import annotations

from typing import Final

from unjit.comparison.restoring.randomness import drew_alike
from unjit.comparison.runs.gpus import may_be_replayed
from unjit.comparison.runs.outcome import Outcome, told_error
from unjit.comparison.runs.program import Program
from unjit.comparison.runs.uncompiled import compiled_earlier, has_regions
from unjit.comparison.values.differences import Reference, parted_beyond_rounding
from unjit.errors import NoRoom
from unjit.model import BackendTrial, Maybe, Message, Term, Unknown
from unjit.torch_private.cache.backends import Compiler

_NAME: Final = Term("what was compiled earlier")
_NO_GRAPH: Final = Unknown(Message("what runs is not compiled for this comparison, which sees no graphs of it"))


def differing_earlier(
    program: Program, backend: Maybe[Compiler], eager: Outcome, reference: Reference, narrowest: str | None
) -> list[BackendTrial]:
    """The trial of what is there, if that differs. What agrees may be eager itself, where nothing there fits the call.

    None before torch 2.13, where what a comparison compiled may be among it, nor where it would be recorded as a CUDA
    graph. Where it draws random numbers a difference says nothing: Inductor's code draws others than eager.
    """
    if not has_regions() or may_be_replayed(backend):
        return []
    try:
        with compiled_earlier(program.function) as function:
            found = program.run(function)
    except NoRoom as lacking:
        return [BackendTrial(_NAME, "unknown", (), _NO_GRAPH, 0, Message(str(lacking)), made="earlier")]
    if found.error is not None and eager.error is None:
        return [BackendTrial(_NAME, "failed", (), _NO_GRAPH, 0, told_error(found), made="earlier")]
    told = tuple(parted_beyond_rounding(eager, found, reference, narrowest))
    begun = program.state.random
    if not told or not drew_alike(begun, begun, found.random):
        return []
    return [BackendTrial(_NAME, "differs", told, _NO_GRAPH, 0, None, made="earlier")]
