"""`unjit.compare` of what runs in a way of its own: compiled autograd, regions compiled once, jagged tensors."""

from __future__ import annotations

import pytest
import torch
import torch._dynamo
from torch._inductor import lowering

import unjit
from needs import since
from toys import needs_compiler
from unjit.api.compare import compare_on
from unjit.comparison.restoring.tensors import has_values
from unjit.comparison.runs.copying import copied
from unjit.comparison.values.differences import difference
from unjit.errors import UnjitError
from unjit.model import Unknown
from wrong_compiler import cos, exchanged, sin

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def outcomes(found):
    return {str(trial.backend): trial.outcome for trial in found.data.trials}


def jagged(*, grad=False):
    return torch.nested.nested_tensor(
        [torch.linspace(0, 1, 8).view(2, 4), torch.ones(3, 4)], layout=torch.jagged, requires_grad=grad
    )


def step(x, weight):
    loss = (x @ weight).sin().sum()
    loss.backward()
    return loss.detach()


def inputs_of_step():
    return torch.ones(2, 3), torch.ones(3, 3, requires_grad=True)


def test_a_list_that_compiled_autograd_empties_is_no_difference():
    with torch._dynamo.config.patch(compiled_autograd=True):
        found = compare_on(["eager", "aot_eager"], step, inputs_of_step(), {})
    assert found, str(found)
    assert found.data.trials[1].graphs == 3  # forward, and what autograd calls and what it compiles of that


@needs_compiler
def test_under_compiled_autograd_the_kernel_of_a_backward_is_named():
    with (
        torch._dynamo.config.patch(compiled_autograd=True),
        exchanged(lowering.lowerings, cos, lowering.lowerings[sin]),
    ):
        found = compare_on(["aot_eager", "inductor"], step, inputs_of_step(), {})
    assert outcomes(found) == {"aot_eager": "same", "inductor": "differs"}
    inside = found.data.first.first_graph.inside
    assert (inside.step, inside.half) == ("kernel", "backward")
    assert "cos" in inside.nodes


@pytest.mark.skipif(not hasattr(torch.compiler, "nested_compile_region"), reason="this torch has no such regions")
def test_a_graph_that_torch_cannot_run_as_captured_is_no_measure():
    region = torch.compiler.nested_compile_region(lambda x: x.sin())
    found = compare_on(["aot_eager"], lambda x: region(region(x)), (torch.ones(3, requires_grad=True),), {})
    (trial,) = found.data.trials
    assert (trial.outcome, trial.graphs) == ("same", 1)
    if since("2.15"):  # it can run this one, and finds no difference
        assert trial.first_graph is None
        return
    assert isinstance(trial.first_graph, Unknown)
    assert "graph 0 could not be run by itself: AssertionError" in trial.first_graph.reason


def test_a_graph_that_raises_where_the_program_does_is_compared():
    def out_of_range(x, index):
        return x.index_select(0, index)

    found = compare_on(["eager"], out_of_range, (torch.ones(3), torch.tensor([5])), {})
    assert [(trial.outcome, trial.first_graph) for trial in found.data.trials] == [("same", None)]


JAGGED = {
    "argument": (lambda n: n * 2, lambda: (jagged(),)),
    "gradients": (lambda n: n.sin(), lambda: (jagged(grad=True),)),
    "in a dict": (lambda d: {"r": d["n"] + 1}, lambda: ({"n": jagged()},)),
    "made by the function": (
        lambda a, b: torch.nested.as_nested_tensor([a, b], layout=torch.jagged) * 2,
        lambda: (torch.ones(2, 4), torch.ones(3, 4)),
    ),
    "changed": (lambda n: n.add_(1), lambda: (jagged(),)),
}


@pytest.mark.parametrize("name", JAGGED)
def test_jagged_tensors_agree(name):
    function, inputs = JAGGED[name]
    found = compare_on(["eager", "aot_eager"], function, inputs(), {})
    assert found, str(found)
    assert all(trial.graphs for trial in found.data.trials)


def test_copies_of_jagged_tensors_go_together_as_they_did():
    one = jagged(grad=True)
    found = compare_on(["eager"], lambda n, m, k: n + m + k, (one, one * 2, one.detach() * 3), {})
    assert found, str(found)
    assert found.data.trials[0].graphs == 1


def test_gradients_and_components_of_jagged_tensors_are_compared(monkeypatch):
    def wrong(graph, _inputs):
        return lambda *inputs: tuple(result * torch.tensor(1.5) for result in graph(*inputs))

    monkeypatch.setattr("unjit.comparison.runs.running.compiler_of", lambda _name: wrong)
    (trial,) = compare_on(["wrong"], lambda n: n * 2, (jagged(grad=True),), {}).data.trials
    assert [(str(told.where), str(told.says).split(",")[0]) for told in trial.differences] == [
        ("result", "in component 0: 7 of 8 values differ"),
        ("gradient of args[0]", "in component 0: 8 of 8 values differ"),
    ]


class Marked(torch.Tensor):
    """A class of tensors that says nothing of copies: torch copies none, as its `new_empty` gives a plain tensor."""


def marked(values, mark):
    made = values.as_subclass(Marked)
    made.mark = mark
    return made


@needs_compiler
def test_a_tensor_of_a_class_that_torch_does_not_copy():
    x = marked(torch.ones(3), [2])

    def function(x):
        x.mul_(2)
        return x.sin()

    found = compare_on(["eager", "inductor"], function, (x,), {})
    assert outcomes(found) == {"eager": "same", "inductor": "same"}
    assert x.tolist() == [1, 1, 1]  # each run has its own
    copy = copied([x])[0]
    assert (type(copy), copy.mark, copy.mark is x.mark) == (Marked, [2], False)


ONE_BYTE = [torch.float8_e4m3fn, torch.float8_e5m2, torch.float8_e8m0fnu]


@pytest.mark.parametrize("dtype", ONE_BYTE)
def test_types_in_which_torch_only_keeps_values_are_compared(dtype):
    def made(x):
        return (x * 8 if torch.compiler.is_compiling() and len(x) == 3 else x).to(dtype)

    assert compare_on(["eager"], made, (torch.rand(4) + 1,), {})
    found = str(compare_on(["eager"], made, (torch.rand(3) + 1,), {}))
    assert "result: 3 of 3 values differ" in found


def test_tensors_without_values_or_strides_are_compared():
    nothing = compare_on(["aot_eager"], lambda x: x * 2, (torch.ones(2, device="meta"),), {})
    compressed = compare_on(["eager"], lambda x: x @ torch.ones(3, 3), (torch.eye(3).to_sparse_csr(),), {})
    assert nothing
    assert compressed


def test_a_module_that_makes_its_tensors_at_its_first_call_is_refused():
    with pytest.raises(UnjitError, match="weight has no values before the first call of its module"):
        unjit.compare(torch.nn.LazyLinear(4), torch.ones(2, 3))


class Scaled(torch.Tensor):
    """Whole numbers and a scale, as torchao's quantized weights are; knows only what a layer asks of a weight."""

    @staticmethod
    def __new__(cls, numbers, scale):
        return torch.Tensor._make_wrapper_subclass(cls, numbers.shape, dtype=scale.dtype)

    def __init__(self, numbers, scale):
        self.numbers, self.scale = numbers, scale

    def __tensor_flatten__(self):
        return ["numbers", "scale"], None

    @staticmethod
    def __tensor_unflatten__(parts, metadata, size, stride):
        return Scaled(**parts)

    @classmethod
    def __torch_dispatch__(cls, function, types, args, kwargs=None):
        aten = torch.ops.aten
        if function in (aten.detach.default, aten.clone.default):
            return Scaled(*(function(part) for part in (args[0].numbers, args[0].scale)))
        if function is aten.copy_.default:
            args[0].numbers.copy_(args[1].numbers)
            args[0].scale.copy_(args[1].scale)
            return args[0]
        if function is aten.mul.Tensor:
            x, weight = args
            return x * (weight.numbers * weight.scale)
        raise NotImplementedError(function)


def scaled(scale=0.5):
    return Scaled(torch.arange(3, dtype=torch.int8), torch.tensor(scale))


def test_a_module_of_tensors_that_know_few_operations_is_compared():
    class Net(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.weight = torch.nn.Parameter(scaled(), requires_grad=False)

        def forward(self, x):
            return x * self.weight

    found = compare_on(["eager"], Net(), (torch.ones(3),), {})
    assert "All agree with eager." in str(found), str(found)


def test_tensors_of_tensors_differ_by_what_they_are_made_of():
    assert difference(scaled(), scaled()) is None
    assert difference(scaled(), scaled(0.25)).startswith("in its scale: 1 of 1 values differ")


@pytest.mark.filterwarnings("ignore:torch.quantize_per_tensor")
@pytest.mark.parametrize("dtype", [torch.qint8, torch.quint8, torch.qint32])
def test_quantized_tensors_are_compared(dtype):
    """To look at their bits as numbers ended the process."""

    given = torch.quantize_per_tensor(torch.eye(3), 0.125, 0, dtype)
    assert compare_on(["eager"], lambda x: x.dequantize() * 2, (given,), {}).same
    assert has_values(given, given.clone())
    assert not has_values(given, torch.quantize_per_tensor(torch.ones(3, 3), 0.125, 0, dtype))
