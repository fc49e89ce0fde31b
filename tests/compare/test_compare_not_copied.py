"""Inputs of a comparison that no run gets a copy of: what the function holds, and what cleans up after itself."""

from __future__ import annotations

import os

import pytest
import torch

import unjit
from unjit.api.compare import compare_on

pytestmark = pytest.mark.usefixtures("nothing_compiled")
X = torch.ones(3)
MISSING = object()
CACHE = torch.zeros(2, 3)


class Settings:
    scale = 3.0


SETTINGS = Settings()


def agrees(function, *inputs):
    """Whether all that was compared agrees, and the function ran to its end."""
    found = compare_on(["aot_eager"], function, inputs, {})
    return found.same and found.data.raised is None


def test_what_a_function_holds_is_itself_among_its_inputs():
    def scaled(x, times=MISSING, settings=None):
        if times is MISSING:
            times = 2.0
        if settings is not SETTINGS:
            raise ValueError("other settings")
        return x * times * settings.scale

    assert agrees(scaled, X, MISSING, SETTINGS)


def test_a_tensor_that_it_holds_is_changed_wherever_it_looks():
    def filled(x, cache, row):
        cache.add_(x)
        row.add_(1)
        if CACHE[1, 0] != 2 or CACHE[0, 0] != 1:
            raise ValueError("changed elsewhere")
        return CACHE.sum()

    assert agrees(filled, X, CACHE, CACHE[1])
    assert CACHE.tolist() == [[0] * 3] * 2


def test_what_a_view_of_it_gets_in_a_run_is_taken_off():
    row = CACHE[0].requires_grad_()
    assert agrees(lambda x: (x * row).sum() + CACHE.sum(), row)
    assert (row.grad, row.tolist()) == (None, [0] * 3)


def test_a_view_with_a_graph_is_cut_off_from_it():
    held = torch.nn.Parameter(torch.eye(3))
    turned = held.t()
    assert agrees(lambda x: (X @ x @ held).sin().sum(), turned)
    (turned * 2).sum().backward()
    assert held.grad.tolist() == [[2] * 3] * 3


def test_of_other_inputs_each_run_has_its_own():
    given = torch.zeros(3)

    def counted(x, held):
        x.add_(1)
        held["calls"] += 1
        return x * held["calls"]

    held = {"calls": 0}
    assert agrees(counted, given, held)
    assert (given.tolist(), held) == ([0] * 3, {"calls": 0})


class Pipe:
    """Closes its ends when it goes, as a copy of it would do."""

    def __init__(self):
        self.ends = os.pipe()
        self.sent = 0
        self.given = torch.zeros(3)

    def __del__(self):
        for end in self.ends:
            os.close(end)


def test_what_cleans_up_when_it_goes_is_not_copied_and_what_changed_in_it_is_put_back():
    def sends(x, to):
        to["pipe"].sent += 1
        to["pipe"].given += x
        return x * to["pipe"].sent + to["pipe"].given

    pipe = Pipe()
    assert agrees(sends, X, {"pipe": pipe})
    assert (pipe.sent, pipe.given.tolist()) == (0, [0] * 3)
    assert os.write(pipe.ends[1], b"open") == 4


class Holds(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.pipe = Pipe()
        self.linear = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.linear(x) * (1.001 if torch.compiler.is_compiling() else 1)


def test_nor_is_it_for_a_run_in_float64():
    net = Holds()
    found = unjit.compare(net, X)
    assert not found.same
    assert "known in float64" in str(found.data.reference)
    assert os.write(net.pipe.ends[1], b"open") == 4


class Closing(Holds):
    def __del__(self):
        os.close(self.pipe.ends[0])
        self.pipe.ends = self.pipe.ends[1:]


def test_a_module_that_cleans_up_itself_has_no_run_in_float64():
    net = Closing()
    found = unjit.compare(net, X)
    assert "a copy of Closing would clean up" in str(found.data.reference)
    assert os.write(net.pipe.ends[1], b"open") == 4
