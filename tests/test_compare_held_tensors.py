"""`unjit.compare` of graphs that hold parameters themselves, as that of an optimizer's step does, and write to them."""

from __future__ import annotations

import pytest
import torch
import torch._dynamo
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
