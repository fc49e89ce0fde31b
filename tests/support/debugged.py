"""What is debugged in tests of `unjit.debug`, and the lines of files that a call runs through."""

from __future__ import annotations

from pathlib import Path
from types import CodeType

import torch
import torch._dynamo

from traced import traced_by
from unjit.torch_private.cache.entries import entries_of


def breaks(a, b):
    x = a / (torch.abs(a) + 1)
    if b.sum() < 0:
        b = b * -1
    return x * b


def fails(x, items):
    y = x + 1
    torch._dynamo.graph_break()
    return y * items[3]


def run(compiled):
    a = torch.arange(4.0, requires_grad=True)
    out = compiled(a, torch.ones(4))
    out.sum().backward()
    return out.tolist(), a.grad.tolist()


def codes(function):
    return [entry.code for entry in entries_of(function.__code__) if isinstance(entry.code, CodeType)]


def backends(function):
    return sorted(str(entry.backend) for entry in entries_of(function.__code__))


def lines_run(call, directory):
    """The lines of files in a directory that a call runs through, as a debugger would see them: path and number."""
    seen = []

    def tracer(frame, event, _argument):
        if not frame.f_code.co_filename.startswith(directory):
            return None
        if event == "line":
            seen.append((Path(frame.f_code.co_filename), frame.f_lineno))
        return tracer

    with traced_by(tracer):
        call()
    return seen

