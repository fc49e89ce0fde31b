"""The calls in which compiles began: each with its line, what several have in common once, torch's own folded."""

from __future__ import annotations

import pytest
import torch

import unjit
from toys import branch
from unjit.cli import main
from unjit.model import Unknown
from unjit.render.captures.call_tree import OUTSIDE, TORCH, Branch, Folded, call_tree


def through(function, value):
    return function(value)


def run():
    compiled = torch.compile(branch, backend="eager")
    through(compiled, torch.ones(3))
    through(compiled, torch.ones(4))
    block = torch.nn.Sequential(torch.nn.ReLU())
    torch.compile(block, backend="eager")(torch.ones(3))


@pytest.fixture(scope="module")
def session(tmp_path_factory):
    torch._dynamo.reset()
    with unjit.capture(tmp_path_factory.mktemp("calls") / "out") as found:
        run()
    torch._dynamo.reset()
    return found


def test_every_call_is_there_with_its_line(session):
    first, second = session.compiles_of("branch")
    inner = first.stack[-3:]
    assert [frame.place.function for frame in inner[:2]] == ["run", "through"]
    assert [frame.of_torch for frame in inner] == [False, False, True]
    assert [frame.place.code for frame in inner[:2]] == ["through(compiled, torch.ones(3))", "return function(value)"]
    assert isinstance(inner[2].place.code, Unknown)
    assert first.entered == inner[1].place == second.entered
    assert unjit.load(session.directory).data == session.data
    rest = next(one for one in session.compiles if one.function.startswith("branch_resumes"))
    assert rest.stack[-1].place.function == "branch"


def test_they_part_where_the_calls_do(session):
    (top,) = call_tree(session.data)
    assert top.calls[-1].place.code == "run()"
    runner = top.calls[-2]
    assert (type(runner), runner.whose) == (Folded, OUTSIDE)
    assert all(isinstance(frame, Folded) or not frame.of_torch for frame in top.calls)
    lines = [one.calls[0].place.code for one in top.began]
    assert lines[:2] == ["through(compiled, torch.ones(3))", "through(compiled, torch.ones(4))"]
    first = top.began[0]
    assert first.calls[-1].whose == TORCH
    compile_, rest = first.began
    assert (compile_.function, compile_.number) == ("branch", 0)
    assert isinstance(rest, Branch)
    assert set(top.compiles) == set(session.compiles)


def test_show_has_it_as_text_and_as_data(session, capsys):
    assert main(["show", str(session.directory), "--select", "call_tree"]) == 0
    shown = capsys.readouterr().out
    assert f"calls {OUTSIDE})" in shown
    assert "(1 call within torch)\n" in shown
    assert "→ branch, compile 1: compiled, 1 graph break, again, as no entry fitted" in shown
    assert "test_call_tree.py" in shown
