"""What the flow of a function says, and that it says no more than is known."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch

import unjit
from toys import toy
from unjit.model import Guards, Unknown
from unjit.report.drawings import boxes, flow
from unjit.report.drawings.ways import Condition, truth_of, ways
from unjit.report.ids import Ids


@pytest.fixture(scope="module")
def capture():
    torch._dynamo.reset()
    with unjit.capture() as session:
        compiled = torch.compile(toy, backend="eager")
        for size, sign in ((3, 1), (3, -1), (4, 1)):
            compiled(torch.ones(size), torch.ones(size) * sign)
    return session.data


def charts_of(capture):
    return flow.data(capture, Ids(capture))["charts"]


def test_a_chart_holds_all_that_a_call_can_come_to(capture):
    (chart,) = charts_of(capture)
    kinds = [box["kind"] for box in chart["boxes"]]
    assert kinds[0] == "yours"
    assert (kinds.count("code"), kinds.count("graph"), kinds.count("resume"), kinds.count("end")) == (5, 5, 2, 3)
    ids = {box["id"] for box in chart["boxes"]}
    assert {arrow[end] for arrow in chart["arrows"] for end in ("from", "to")} == ids
    branches = {(arrow["label"], arrow["to"]) for arrow in chart["arrows"] if arrow["kind"] == "resumes"}
    assert len(branches) == 2
    assert {label for label, _ in branches} == {"if b.sum() < 0 is true", "if b.sum() < 0 is false"}


def test_what_is_not_known_is_not_drawn_as_if_it_were(capture):
    gone = Unknown("a log does not tell it")

    def logged(function):
        entries = (replace(one, code=gone, guards=gone, graphs=(), resume_functions=()) for one in function.entries)
        status = replace(function.status, state=gone)
        return replace(function, entries=tuple(entries), status=status, resume_functions=())

    functions = tuple(map(logged, capture.report.functions))
    charts = charts_of(replace(capture, report=replace(capture.report, functions=functions)))
    assert len(charts) == 3  # nothing leads to the resume functions, and they are shown
    assert [box["kind"] for box in charts[0]["boxes"]].count("graph") == 2
    assert not [arrow for chart in charts for arrow in chart["arrows"] if arrow["kind"] in ("fails", "resumes")]
    assert not [box for chart in charts for box in chart["boxes"] if "tried" in box["says"] and box["kind"] == "guards"]


def test_ways_have_all_their_conditions():
    source = """
def f(a):
    t = graph(a)
    if not t[0]:
        return first(a)
    for x in t:
        if x > 1:
            with ctx():
                second(x)
        else:
            continue
        third(x)
    return lambda: graph
"""
    found = {way.name: way for way in ways(source, ["graph", "first", "second", "third"])}
    no, yes = Condition("t[0]", False, True), Condition("t[0]", True, True)
    large = Condition("x > 1", True, False)
    assert (found["first"].conditions, found["first"].repeated) == ((no,), False)
    assert (found["second"].conditions, found["second"].repeated) == ((yes, large), True)
    assert found["third"].conditions == (yes, large)
    assert ways("def f(:", ["graph"]) == ()


@pytest.mark.parametrize(
    ("line", "value"),
    [
        ("if b.sum() < 0:", "b.sum() < 0"),
        ("elif flag:", "flag"),
        ("while x.any():", "x.any()"),
        ("if not x:", None),
        ("if a and b:", None),
        ("if 0 < x < 1:", None),
        ("y = f(x)", None),
        ("if (y := x):", None),
    ],
)
def test_only_the_truth_of_one_value_is_told_in_the_users_words(line, value):
    assert truth_of(line) == value


@pytest.mark.parametrize("kind", ["TENSOR_MATCH", "LAMBDA", "SYMBOLIC_SHAPE"])
def test_what_a_call_is_likely_to_change_is_said_first(capture, kind):
    entries = [(function, entry) for function in capture.report.functions for entry in function.entries]
    function, entry = next(one for one in entries if isinstance(one[1].guards, Guards))
    quiet = replace(next(iter(entry.guards)), kind="TYPE_MATCH", topic="arguments", condition="said last")
    telling = replace(quiet, kind=kind, condition="said first")
    guards = replace(entry.guards, tree=replace(entry.guards.tree, guards=(), children=()), epilogue=(quiet, telling))
    box = boxes.of_guards(replace(function, entries=()), replace(entry, guards=guards), None, Ids(capture))
    assert [line["text"] for line in box["lines"]] == ["said first", "said last"]
