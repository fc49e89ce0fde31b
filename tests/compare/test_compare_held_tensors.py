"""`unjit.compare` of graphs that hold parameters themselves, as that of an optimizer's step does, and write to them."""

from __future__ import annotations

import functools
from typing import NamedTuple

import pytest
import torch
import torch._dynamo
import torch.nn.utils.parametrize
from torch._dynamo.backends.registry import _COMPILER_FNS, register_backend

from unjit.api.compare import compare_on

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def step_of(optimizer, module):
    def step(x, y):
        optimizer.zero_grad()
        loss = ((module(x) - y) ** 2).mean()
        loss.backward()
        optimizer.step()
        return loss.detach()

    return step


@pytest.fixture
def step():
    torch.manual_seed(0)
    module = torch.nn.Linear(4, 4)
    return step_of(torch.optim.SGD(module.parameters(), lr=0.1), module)


def batch():
    return torch.linspace(-1, 1, 8).view(2, 4), torch.linspace(1, -1, 8).view(2, 4)


def test_a_training_step_agrees_and_its_graphs_leave_the_parameters_alone(step):
    found = compare_on(["eager", "aot_eager"], step, batch(), {})
    assert found, str(found)
    assert found.data.trials[0].graphs == 3  # forward, the optimizer's step, the rest


def test_a_module_that_a_graph_holds_agrees_and_keeps_its_gradients():
    module = torch.nn.Linear(4, 4)
    module(torch.ones(2, 4)).sum().backward()
    before = module.weight.grad.clone()
    with torch._dynamo.config.patch(inline_inbuilt_nn_modules=False):
        found = compare_on(["eager", "aot_eager"], module, (torch.ones(3, 4),), {})
    assert found, str(found)
    assert torch.equal(module.weight.grad, before)


def test_a_step_that_is_wrong_is_told_by_the_parameter_that_it_writes(step):
    def twice(graph, _inputs):
        for node in graph.graph.nodes:
            if node.target == "add_":
                node.kwargs = {"alpha": node.kwargs["alpha"] * 2}
        graph.recompile()
        return graph.forward

    register_backend(twice, name="twice")
    try:
        found = compare_on(["eager", "twice"], step, batch(), {})
    finally:
        _COMPILER_FNS.pop("twice")
    assert [str(trial.outcome) for trial in found.data.trials] == ["same", "differs"]
    told = found.data.first.first_graph
    assert told.graph == "graph 1"
    assert all(str(one.where).endswith("after the call") for one in told.differences)
    assert len(told.differences) == 2  # weight and bias


class Named(NamedTuple):
    value: torch.Tensor


class Prepared(torch.nn.Module):
    __slots__ = ("in_slot",)

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.ones(3))
        self.as_attribute, self.in_list = self.weight.exp(), [self.weight.exp()]
        self.in_slot = self.as_attribute
        self.register_buffer("as_buffer", self.weight.exp())

    def forward(self, x):
        return (x * self.as_attribute * self.in_list[0] * self.in_slot * self.as_buffer).sum()


def test_what_the_program_has_computed_before_keeps_the_graph_that_it_came_of():
    module = Prepared()
    in_closure = (module.weight.exp(), (1, torch.ones(3)))
    in_named = [Named(module.weight.exp()), torch.stack([module.weight] * 2).max(0)]
    targets = [module, lambda x: (x * in_closure[0] + in_named[0].value + in_named[1].values).sum()]
    held = [module.as_attribute, module.in_list[0], module.in_slot, module.as_buffer]
    for target in targets:
        found = compare_on(["eager", "aot_eager"], target, (torch.ones(3),), {})
        assert found, str(found)
    after = [module.as_attribute, module.in_list[0], module.in_slot, module.as_buffer]
    assert all(one is other for one, other in zip(held, after, strict=True))
    assert module.weight.grad is None
    sum(target(torch.ones(3)) for target in targets).backward()
    assert module.weight.grad.tolist() == pytest.approx([4 * torch.e**4 + 2 * torch.e + 1] * 3)


class Holder:
    value = None


def with_default(x, factor=None):
    return (x * factor).sum()


def test_what_classes_defaults_partials_and_sets_hold_keeps_its_graph():
    weight = torch.nn.Parameter(torch.ones(3))
    Holder.value = in_class = weight.exp()
    with_default.__defaults__ = (in_default := weight.exp(),)
    in_partial, in_keyword, in_set = functools.partial(torch.mul, weight.exp()), {"other": weight.exp()}, {weight.exp()}
    keyword = functools.partial(torch.mul, **in_keyword)

    def target(x):
        (held,) = in_set
        return with_default(x * Holder.value * held) + in_partial(x).sum() + keyword(x).sum()

    assert compare_on(["eager", "aot_eager"], target, (torch.ones(3),), {})
    assert Holder.value is in_class
    assert with_default.__defaults__[0] is in_default
    assert keyword.keywords["other"] is in_keyword["other"]
    target(torch.ones(3)).backward()
    assert weight.grad.tolist() == pytest.approx([3 * torch.e**3 + 2 * torch.e] * 3)


class Doubled(torch.nn.Module):
    def forward(self, x):
        return x * 2


def test_a_call_within_a_block_of_cached_parametrizations_leaves_the_program_its_graph():
    module = torch.nn.Linear(3, 3)
    torch.nn.utils.parametrize.register_parametrization(module, "weight", Doubled())
    with torch.nn.utils.parametrize.cached():
        for _ in range(2):  # the second with what the program's own call has computed
            assert compare_on(["eager"], module, (torch.ones(2, 3),), {})
            module(torch.ones(2, 3)).sum().backward(retain_graph=True)
    assert module.parametrizations.weight.original.grad is not None


def test_what_is_written_to_such_a_tensor_is_compared():
    def once_more(graph, _inputs):
        for node in graph.graph.nodes:
            if node.target == "add_":
                node.args = (node.args[0], 2)
        graph.recompile()
        return graph.forward

    class Counts(Prepared):
        def forward(self, x):
            with torch.no_grad():
                self.as_buffer.add_(1)
            return x * 2

    register_backend(once_more, name="once_more")
    try:
        found = compare_on(["eager", "once_more"], Counts(), (torch.ones(3),), {})
    finally:
        _COMPILER_FNS.pop("once_more")
    assert [str(trial.outcome) for trial in found.data.trials] == ["same", "differs"], str(found)


def test_the_reference_begins_as_each_run_does():
    def a_little_more(graph, _inputs):
        return lambda *inputs: [one * 1.05 if one.dtype == torch.float32 else one for one in graph.forward(*inputs)]

    class Counts(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.register_buffer("count", torch.zeros(()))

        def forward(self, x):
            self.count.add_(1)
            return x * self.count

    register_backend(a_little_more, name="a_little_more")
    try:
        found = compare_on(["eager", "a_little_more"], Counts(), (torch.ones(3),), {})
    finally:
        _COMPILER_FNS.pop("a_little_more")
    assert [str(one.where) for one in found.data.trials[1].differences] == ["result"], str(found)
