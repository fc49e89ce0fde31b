"""A function that was compiled for one call, asked about another that does not fit."""

from __future__ import annotations

import torch
import torch._dynamo

import unjit


def asked(function, first, second, *, dynamic=None):
    """What `unjit.why` says of a call with the arguments `second`, where `first` were those of the only call."""
    torch._dynamo.reset()
    run = torch.compile(function, backend="eager", dynamic=dynamic)
    run(*first)
    answer = unjit.why(run, *second)
    assert answer.outcome == "compiles"
    return answer
