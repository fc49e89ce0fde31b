"""`unjit.diff`: guards, graphs and code of two entries side by side."""

from __future__ import annotations

import json

import pytest
import torch
import torch._dynamo

import unjit
from needs import needs
from unjit.errors import BadTarget
from unjit.torch_private.probes import guard_probes


def f(x, k):
    return x * k if k > 1 else x.sin()


@pytest.fixture
def entries():
    torch._dynamo.reset()
    compiled = torch.compile(f, backend="eager", dynamic=False)
    compiled(torch.ones(3), 1)
    compiled(torch.ones(3).double(), 2)
    return unjit.explain(f).entries


@needs(guard_probes.NODE_TYPE)
def test_guards_that_differ_are_paired_by_what_they_look_at(entries):
    data = unjit.diff(*entries).data
    found = {str(guard.subject): (guard.first, guard.second) for guard in data.guards}
    assert found["k"] == ("2", "1")
    assert "float64 on cpu" in found["x"][0]
    assert "float32 on cpu" in found["x"][1]
    assert data.same_guards > 3
    only_one = [guard for guard in data.guards if guard.first is None or guard.second is None]
    assert [str(guard.subject) for guard in only_one] != ["k"]


@needs(guard_probes.NODE_TYPE)
def test_several_guards_of_a_kind_on_one_value_are_paired_each_with_its_like():
    def g(x, options):
        for name in ("a", "b", "c"):
            x = x + 1 if name in options else x
        return x

    torch._dynamo.reset()
    compiled = torch.compile(g, backend="eager")
    compiled(torch.ones(3), {"b": 0})
    compiled(torch.ones(3), {"a": 0, "b": 0})
    data = unjit.diff(*unjit.explain(g).entries).data
    told = [(guard.first, guard.second) for guard in data.guards if guard.kind == "DICT_CONTAINS"]
    assert told == [("'a'", "no 'a'")]


def test_code_and_graphs_beside_each_other(entries):
    answer = unjit.diff(*entries)
    (graph,) = answer.data.graphs
    assert "l_x_.sin()" in graph.second
    assert "l_x_ * 2" in graph.first
    assert answer.data.code.is_same
    text = str(answer)
    assert any("l_x_ * 2" in line and "sin()" in line and " | " in line for line in text.splitlines())
    assert "code: the same" in text


def test_an_entry_and_itself(entries):
    answer = unjit.diff(entries[0], entries[0].data)
    assert answer.data.guards == ()
    assert "all the same" in str(answer)
    assert json.loads(json.dumps(answer.data.to_dict()))["guards"] == []


def test_what_is_no_entry():
    with pytest.raises(BadTarget, match="not a cache entry"):
        unjit.diff(f, f)
    with pytest.raises(BadTarget, match="an int is not a cache entry"):
        unjit.diff(1, 2)
