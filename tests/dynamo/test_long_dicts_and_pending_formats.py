"""Made code that no plain source says: dicts of many keys made at once, formats that a graph breaks in the midst of."""

from __future__ import annotations

import enum

import pytest
import torch

from replacing import both, differences

Mode = enum.Enum("Mode", [f"M{k}" for k in range(20)])
DTYPES = [getattr(torch, name + size) for name in ("int", "float", "complex") for size in ("32", "64")]
KINDS = [type(f"Kind{k}", (), {}) for k in range(20 - len(DTYPES))]


def modes(x, w):
    y = x + 1
    table = dict.fromkeys(Mode, y)
    torch._dynamo.graph_break()
    return list(table.values()), len(table), table[Mode.M17] * w


def classes(x, w):
    y = x + 1
    table = dict.fromkeys([*DTYPES, *KINDS], y)
    torch._dynamo.graph_break()
    return list(table.values()), table[torch.int32] * w


def wide(x, w):
    y = x + 1
    text = f"{x.ndim}|{w.dim():>{w.item()}}|{x.ndim!r:^{w.item()}}"
    return text, y * 2


@pytest.mark.parametrize("function", [modes, classes, wide])
def test_it_has_source_and_does_the_same(function):
    def program(backend):
        return tuple(torch.compile(function, backend=backend)(torch.ones(3), torch.tensor(6)))

    plain, replaced = both(program, "eager")
    assert replaced.answers
    assert replaced.opaque() == []
    assert differences(plain, replaced) == []
