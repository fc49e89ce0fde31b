"""Drawings of a capture with thousands of functions, as a log has them, take work in proportion to these."""

from __future__ import annotations

import functools
from dataclasses import replace

import pytest
import torch

import unjit
from traced import instructions_of
from unjit.model import Name, Term
from unjit.report.drawings import flow, graphs
from unjit.report.drawings import time as times
from unjit.report.ids import Ids


@pytest.fixture(scope="module")
def captured():
    torch._dynamo.reset()
    with unjit.capture() as session:
        torch.compile(lambda x: torch.sin(x) + 1, backend="eager")(torch.ones(3))
    return session.data


def repeated(capture, count):
    """The same compile, of so many functions."""
    (function,), (compile_,), (run,) = capture.report.functions, capture.compiles, capture.run.compiles
    functions, compiles, runs = [], [], []
    for number in range(count):
        key, path = Name(f"function_{number}"), Term(f"functions/function_{number}/compile_0")
        compile_id = replace(compile_.compile.compile_id, frame=number)
        entries = tuple(replace(entry, compile_id=compile_id) for entry in function.entries)
        functions.append(replace(function, key=key, entries=entries))
        made = replace(compile_.compile, compile_id=compile_id)
        compiles.append(replace(compile_, function=key, path=path, compile=made))
        runs.append(replace(run, path=path, compile_id=compile_id))
    return replace(
        capture,
        report=replace(capture.report, functions=tuple(functions)),
        compiles=tuple(compiles),
        run=replace(capture.run, compiles=tuple(runs)),
    )


@pytest.mark.parametrize("drawing", [flow, graphs, times], ids=lambda one: one.__name__.rpartition(".")[2])
def test_eight_times_the_functions_take_some_eight_times_the_work_to_draw(captured, drawing):
    captures = [repeated(captured, count) for count in (40, 320)]
    few, many = (instructions_of(functools.partial(drawing.data, one, Ids(one))) for one in captures)
    assert many < 10 * few  # 64 times as much, if each was compared with all
