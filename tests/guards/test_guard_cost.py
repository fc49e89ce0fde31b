"""`entry.guards.cost`: the time of a check, its dearest parts, and what torch's guard filters would save."""

from __future__ import annotations

import json

import pytest
import torch
import torch._dynamo

import unjit
from needs import lacking, needs
from unjit.errors import BadCall
from unjit.torch_private.probes.guard_probes import NODE_TYPE

SCALE = 2.0


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Linear(3, 3) for _ in range(12))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x)
        return x * SCALE


@pytest.fixture
def guards():
    torch._dynamo.reset()
    net = Net()
    compiled = torch.compile(net, backend="eager")
    compiled(torch.ones(2, 3))
    found = unjit.explain(compiled).entries[0].guards
    found.kept = net  # the entry lives as long as the module
    return found


ONE, TWO, THREE, FOUR, FIVE, SIX, SEVEN, EIGHT, NINE, TEN = map(float, range(1, 11))
NET = Net()


def of_many_globals(x):
    return NET(x) * (ONE + TWO + THREE + FOUR + FIVE + SIX + SEVEN + EIGHT + NINE + TEN)


def test_many_globals_are_told_one_by_one_the_dearest_first(nothing_compiled):
    torch.compile(of_many_globals, backend="eager")(torch.ones(2, 3))
    cost = unjit.explain(of_many_globals).entries[0].guards.cost(torch.ones(2, 3)).data
    subjects = [str(part.subject) for part in cost.check.parts]
    assert "globals" not in subjects
    assert subjects[0].startswith("NET")
    assert len(subjects) <= 10


def test_where_the_time_goes(guards):
    cost = guards.cost(torch.ones(2, 3)).data
    assert 0 < cost.check.seconds < 1
    assert 0 < cost.check.thorough < 1
    assert cost.guards == len(guards)
    parts = cost.check.parts
    assert parts[0].seconds == max(part.seconds for part in parts)
    assert any(str(part.subject).startswith("self.layers") for part in parts)
    assert 0 < sum(part.guards for part in parts) <= cost.guards
    options = {str(saving.option).rpartition(".")[2]: saving for saving in cost.savings}
    if not hasattr(torch.compiler, "skip_guard_on_globals_unsafe"):
        assert options == {}  # torch has such filters from 2.8 on
        return
    if lacking(NODE_TYPE):  # which guards are on modules is told by their look alone
        assert "skip_guard_on_globals_unsafe" in options
        return
    modules = options["skip_guard_on_all_nn_modules_unsafe"]
    assert modules.guards > 50
    assert "unnoticed" in modules.risk
    assert options["skip_guard_on_globals_unsafe"].guards >= 1


def test_the_cost_is_data(guards):
    cost = guards.cost(torch.ones(2, 3)).data
    assert json.loads(json.dumps(cost.to_dict()))["guards"] == len(guards)


def test_a_capture_has_the_times_of_the_guards_that_were_made():
    torch._dynamo.reset()
    with unjit.capture() as session:
        torch.compile(Net(), backend="eager")(torch.ones(2, 3))
    check = session.data.run.compiles[0].guards
    assert 0 < check.seconds < 1
    assert 0 < check.thorough < 1
    sources = {str(node.source) for node in session.data.report.functions[0].entries[0].guards.tree.walk()}
    assert {str(part.source) for part in check.parts} <= sources


def test_the_entry_is_as_before(guards):
    before = unjit.explain(Net.forward).to_json()
    text = str(guards.cost(torch.ones(2, 3)))
    assert "µs" in text
    assert unjit.explain(Net.forward).to_json() == before


def test_a_check_that_fails_has_no_cost(guards):
    with pytest.raises(BadCall, match="do not hold"):
        guards.cost(torch.ones(5, 3, 3))


class Block(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner, self.scale, self.shift = torch.nn.Linear(3, 3), 2.0, 1

    def forward(self, x):
        return self.inner(x) * self.scale + self.shift


class Blocks(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.blocks = torch.nn.ModuleList(Block() for _ in range(4))

    def forward(self, x):
        for block in self.blocks:
            x = block(x)
        return x


@pytest.mark.skipif(
    not hasattr(torch.compiler, "skip_guard_on_inbuilt_nn_modules_unsafe"), reason="refused: this torch has no filters"
)
@needs(NODE_TYPE)  # which guards are on modules is told by their look alone, without it
def test_containers_and_modules_of_the_users_in_them_are_not_left_out_with_torchs_own(nothing_compiled):
    net, x, filtered = Blocks(), torch.ones(2, 3), torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe
    torch.compile(net, backend="eager")(x)
    whole, number = (found := unjit.explain(net).entries[0].guards), len(found)
    told = {str(saving.option): saving.guards for saving in whole.cost(x).data.savings}
    torch._dynamo.reset()
    torch.compile(net, backend="eager", options={"guard_filter_fn": filtered})(x)
    left_out = number - len(unjit.explain(net).entries[0].guards)
    assert told["torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe"] == left_out > 0


WEIGHTS, SHIFT = torch.ones(3), torch.nn.Parameter(torch.ones(3))


class Own(torch.nn.Parameter):
    """A parameter of a class of the program's own."""


class Holding(torch.nn.Module):
    """A module with tensors of each kind, in a function that reads others from globals."""

    def __init__(self):
        super().__init__()
        self.inner, self.scale, self.held = torch.nn.Linear(3, 3), 2.0, torch.ones(3)
        self.register_buffer("buffer", torch.ones(3))
        self.own = Own(torch.ones(3))

    def forward(self, x, y, by=1):
        return self.inner(x) * self.buffer * self.held * self.scale * self.own * WEIGHTS + SHIFT * y.sum() * by


@pytest.mark.skipif(
    not hasattr(torch.compiler, "keep_tensor_guards_unsafe"), reason="refused: this torch has no filters"
)
@pytest.mark.parametrize("dynamic", [False, True])
def test_where_tensors_alone_are_guarded_those_that_are_no_parameters_are(nothing_compiled, dynamic):
    net, x, filtered = Holding(), torch.ones(4, 3), torch.compiler.keep_tensor_guards_unsafe
    torch.compile(net, backend="eager", dynamic=dynamic)(x, x + 1)
    whole = (found := unjit.explain(net).entries[0].guards).cost(x, x + 1).data
    (saving,) = (one for one in whole.savings if str(one.option).endswith("keep_tensor_guards_unsafe"))
    assert saving.risk == "only changes of tensors that are no parameters are noticed"
    number = len(found)
    torch._dynamo.reset()
    torch.compile(net, backend="eager", dynamic=dynamic, options={"guard_filter_fn": filtered})(x, x + 1)
    assert saving.guards == number - len(unjit.explain(net).entries[0].guards) > 0


TABLE = {1: {"by": 2.0}, "a": 3}


@pytest.mark.skipif(
    not hasattr(torch.compiler, "skip_guard_on_globals_unsafe"), reason="refused: this torch has no filters"
)
def test_what_is_in_a_global_dict_is_left_out_with_it(nothing_compiled):
    def function(x):
        return x * TABLE[1]["by"] * sum(value for value in TABLE.values() if isinstance(value, int))

    x, filtered = torch.ones(2), torch.compiler.skip_guard_on_globals_unsafe
    torch.compile(function, backend="eager")(x)
    whole, number = (found := unjit.explain(function).entries[0].guards), len(found)
    told = {str(saving.option): saving.guards for saving in whole.cost(x).data.savings}
    torch._dynamo.reset()
    torch.compile(function, backend="eager", options={"guard_filter_fn": filtered})(x)
    assert told["torch.compiler.skip_guard_on_globals_unsafe"] == number - len(
        unjit.explain(function).entries[0].guards
    )
