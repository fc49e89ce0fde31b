"""Functions of two captures that look like one under another name: what is said of them, and the work that it takes."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

import unjit
from traced import instructions_of
from unjit.differences.pairing import pairs
from unjit.differences.renames import renames
from unjit.model import Message, Name, Unknown

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def called(capture, *names):
    """The capture of one function, under each of these names."""
    (function,), (compiled,) = capture.report.functions, capture.compiles
    functions = tuple(replace(function, key=Name(name)) for name in names)
    compiles = tuple(replace(compiled, function=Name(name)) for name in names)
    return replace(capture, report=replace(capture.report, functions=functions), compiles=compiles)


@pytest.fixture
def capture():
    with unjit.capture() as session:
        torch.compile(lambda x: x.sin() * 2, backend="eager")(torch.ones(3))
    return session.data


def said(one, other):
    return [str(note) for note in renames(pairs(one.report.functions, other.report.functions), one, other)]


def test_guards_are_called_the_same_where_they_are_known(capture):
    looks = "mine of the second looks like main of the first under another name: it has the same"
    assert said(called(capture, "main"), called(capture, "mine")) == [f"{looks} graphs and guards"]
    (function,) = capture.report.functions
    entries = tuple(replace(entry, guards=Unknown(Message("not kept"))) for entry in function.entries)
    bare = replace(capture, report=replace(capture.report, functions=(replace(function, entries=entries),)))
    assert said(called(bare, "main"), called(bare, "mine")) == [f"{looks} graphs"]


def test_of_several_that_look_alike_nothing_is_said(capture):
    assert said(called(capture, "main"), called(capture, "mine", "yours")) == []


def test_four_times_the_functions_take_some_four_times_the_work(capture):
    def work(count):
        sides = [called(capture, *(f"{side}_{number}" for number in range(count))) for side in ("main", "mine")]
        return instructions_of(lambda: said(*sides))

    said(called(capture, "main"), called(capture, "mine"))  # what is made once
    assert work(32) < 6 * work(8)
