"""Inductor made to compile something else than it is asked for."""

from __future__ import annotations

import contextlib

import torch
from torch._inductor import config

sin, cos = torch.ops.aten.sin.default, torch.ops.aten.cos.default


@contextlib.contextmanager
def exchanged(table, key, value):
    """Another value in one of its tables within the block, in which what it makes is not kept for others."""
    missing = object()
    before = table.get(key, missing)
    table[key] = value
    try:
        with config.patch(fx_graph_cache=False):
            yield
    finally:
        if before is missing:
            del table[key]
        else:
            table[key] = before
