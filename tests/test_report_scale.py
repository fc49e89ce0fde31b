"""Drawings of a capture with thousands of functions, as a log has them, take time in proportion to these."""

from __future__ import annotations

import time
from dataclasses import replace

import pytest
import torch

import unjit
from unjit.model import Name, Term
from unjit.report.drawings import flow, graphs
from unjit.report.drawings import time as times
from unjit.report.ids import Ids

FEW, MANY = 400, 1600
MOST = 9  # times as long for four times as much; 16 where each function is compared with each


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


def seconds(data, capture):
    ids = Ids(capture)
    taken = []
    for _ in range(3):
        start = time.process_time()
        data(capture, ids)
        taken.append(time.process_time() - start)
    return min(taken)


@pytest.mark.parametrize("drawing", [flow, graphs, times], ids=lambda one: one.__name__.rpartition(".")[2])
def test_the_time_of_a_drawing_grows_with_the_functions(captured, drawing):
    few, many = (seconds(drawing.data, repeated(captured, count)) for count in (FEW, MANY))
    assert many < few * MOST
