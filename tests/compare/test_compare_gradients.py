"""`unjit.compare` of what reads gradients that are there before the call: an optimizer's step, clipping, adding up."""

from __future__ import annotations

import pytest
import torch

from needs import refused_before
from unjit.api.compare import compare_on
from unjit.comparison.runs.copying import copied
from unjit.comparison.runs.in_float64 import InFloat64
from unjit.comparison.runs.program import Program

pytestmark = pytest.mark.usefixtures("nothing_compiled")
BACKENDS = ["eager", "aot_eager"]
OPTIMIZERS = {
    "SGD": lambda parameters: torch.optim.SGD(parameters, lr=0.1, momentum=0.9),
    "AdamW": lambda parameters: torch.optim.AdamW(parameters, lr=0.1),
    "Adam, one by one": lambda parameters: torch.optim.Adam(parameters, lr=0.1, foreach=False),
}


@pytest.fixture
def net():
    torch.manual_seed(0)
    made = torch.nn.Linear(4, 3)
    made(torch.randn(5, 4)).square().sum().backward()
    return made


def values_of(net):
    return [value.clone() for one in net.parameters() for value in (one, one.grad)]


def does_nothing(_graph, _inputs):
    return lambda *_given: ()


@pytest.mark.parametrize("made", OPTIMIZERS)
@pytest.mark.parametrize("before", [0, 1], ids=["first", "later"])
def test_the_step_of_an_optimizer_is_compared_on_the_gradients_that_are_there(net, made, before):
    optimizer = OPTIMIZERS[made](net.parameters())
    for _ in range(before):
        optimizer.step()
    held, gradients = values_of(net), [one.grad for one in net.parameters()]
    found = compare_on(BACKENDS, optimizer.step, (), {})
    assert found, str(found)
    assert [trial.graphs for trial in found.data.trials] == [1, 1]
    assert all(map(torch.equal, held, values_of(net)))
    assert all(one.grad is gradient for one, gradient in zip(net.parameters(), gradients, strict=True))
    assert len(optimizer.state) == 2 * before


def test_a_step_that_does_nothing_is_told_by_the_parameters_and_what_is_kept(net):
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1, momentum=0.9)
    optimizer.step()
    found = compare_on(["eager", does_nothing], optimizer.step, (), {})
    right, wrong = found.data.trials
    assert right.outcome == "same"
    told = {str(one.where) for one in wrong.differences}
    assert "optimizer's parameter 0 after the call" in told
    assert "optimizer.state[1]['momentum_buffer'] after the call" in told


def test_clipping_is_compared(net):
    def clipped():
        return torch.nn.utils.clip_grad_norm_(net.parameters(), 0.5)

    before = values_of(net)
    found = compare_on(BACKENDS, clipped, (), {})
    assert found, str(found)
    assert all(trial.graphs > 0 for trial in found.data.trials)
    assert all(map(torch.equal, before, values_of(net)))


def test_gradients_are_added_to_those_that_are_there(net):
    x, before = torch.ones(2, 4), net.weight.grad.clone()
    program = Program.of(net, (x,), {}, [])
    eager = program.run(net)
    added = dict(eager.values)["gradient of module.weight"]
    assert not torch.equal(added, before)
    net.weight.grad = None
    alone = dict(Program.of(net, (x,), {}, []).run(net).values)["gradient of module.weight"]
    assert torch.allclose(added, before + alone)


def test_so_they_are_in_float64(net):
    program = Program.of(net, (torch.ones(2, 4),), {}, [])
    eager = program.run(net)
    exact = InFloat64(program, eager).values()["gradient of module.weight"]
    assert exact.dtype == torch.float64
    assert torch.allclose(exact.float(), dict(eager.values)["gradient of module.weight"])


def norm_of(parameters):
    return torch.stack([one.grad.norm() for one in parameters]).norm()


@pytest.mark.parametrize("given", ["parameters", "tensors", "module"])
def test_those_of_what_is_passed_are_there_as_well(net, given):
    def norm(arguments):
        return norm_of(arguments if isinstance(arguments, list) else arguments.parameters())

    tensors = [one.detach().requires_grad_() for one in net.parameters()]
    for tensor, parameter in zip(tensors, net.parameters(), strict=True):
        tensor.grad = parameter.grad
    inputs = {"parameters": list(net.parameters()), "tensors": tensors, "module": net}[given]
    found = compare_on(BACKENDS, norm, (inputs,), {})
    assert found, str(found)
    assert found.data.raised is None
    assert all(trial.graphs > 0 for trial in found.data.trials)


def test_a_gradient_that_is_passed_with_its_parameter_is_one_tensor_with_it(net):
    args, _ = copied(([net.weight, net.weight.grad], {}))
    assert args[0].grad is args[1]
    (exact,) = copied([net.weight], dtype=torch.float64)
    assert exact.grad.dtype == torch.float64
    assert torch.equal(exact.grad.float(), net.weight.grad)
    assert exact.grad is not net.weight.grad


def test_a_gradient_in_what_copies_itself_is_left_to_its_class():
    class Own:
        def __init__(self, weight):
            self.weight = weight

        def __deepcopy__(self, memo):
            return Own(self.weight.detach().clone().requires_grad_())

    own = Own(torch.nn.Parameter(torch.ones(3)))
    own.weight.grad = torch.ones(3)
    (made,) = copied([own])
    assert made.weight is not own.weight
    assert made.weight.grad is None


@refused_before("2.13", "may do what the program does")
def test_gradients_that_a_backend_leaves_are_told_in_the_order_of_what_has_them():
    def drop_gradients(parameters):
        with torch.no_grad():
            for one in parameters:
                same = one.sub_(one.grad)
                same.grad = None  # which torch 2.13 forgets

    parameters = [torch.nn.Parameter(torch.ones(3)) for _ in range(9)]
    for one in parameters:
        (one * 2).sum().backward()
    (trial,) = compare_on(["eager"], drop_gradients, (parameters,), {}).data.trials
    told = [str(one.where) for one in trial.differences]
    assert told == [f"gradient of args[0][{number}]" for number in range(9)]
