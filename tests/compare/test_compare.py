"""`unjit.compare`: what agrees, what parts and where, and that nothing of it stays behind."""

from __future__ import annotations

import ctypes
import functools
from collections import deque
from queue import SimpleQueue

import numpy as np
import pytest
import torch
import torch._dynamo
from torch._dynamo.backends.registry import _COMPILER_FNS, register_backend
from torch.utils.checkpoint import checkpoint

import unjit
from needs import refused_before
from toys import needs_compiler, toy
from unjit.api.compare import compare_on
from unjit.errors import BadCall, UnjitError
from unjit.render.side_by_side.comparison import comparison_text


def on_eager(function, *args):
    return compare_on(["eager"], function, args, {})


@pytest.fixture
def wrong_backend():
    """A backend that subtracts where the program multiplies by two."""

    def wrong(graph, _inputs):
        for node in graph.graph.nodes:
            if node.target is torch.mul or getattr(node.target, "__name__", "") == "mul":
                node.target = torch.sub
        graph.recompile()
        return graph.forward

    register_backend(wrong, name="wrong")
    yield "wrong"
    _COMPILER_FNS.pop("wrong")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = torch.nn.Linear(4, 4)
        self.norm = torch.nn.BatchNorm1d(4)
        self.dropout = torch.nn.Dropout()

    def forward(self, x):
        return self.dropout(self.norm(self.linear(x))).relu()


@needs_compiler
def test_all_backends_agree_on_the_toy():
    a, b = torch.linspace(-1, 1, 6, requires_grad=True), -torch.ones(6)
    found = unjit.compare(toy, a, b)
    assert found
    assert [(trial.backend, trial.outcome, trial.graphs) for trial in found.data.trials] == [
        ("eager", "same", 2),
        ("aot_eager", "same", 2),
        ("inductor", "same", 2),
    ]
    assert "All agree with eager." in str(found)
    assert a.grad is None


def test_a_module_with_random_numbers_and_buffers_is_as_before():
    torch.manual_seed(3)
    net = Net()
    net(torch.ones(3, 4)).sum().backward()
    before = {name: value.clone() for name, value in net.state_dict().items()}
    gradients = [parameter.grad for parameter in net.parameters()]
    random_state = torch.get_rng_state()
    found = compare_on(["eager", "aot_eager"], net, (torch.randn(3, 4, requires_grad=True),), {})
    torch.set_rng_state(random_state)
    assert found, str(found)
    assert all(torch.equal(value, before[name]) for name, value in net.state_dict().items())
    assert all(one is other.grad for one, other in zip(gradients, net.parameters(), strict=True))


def test_the_first_graph_that_parts_is_named_with_its_lines(wrong_backend):
    def f(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 3

    found = compare_on(["eager", wrong_backend], f, (torch.ones(4),), {})
    assert not found
    assert found.data.first.backend == "wrong"
    assert found.data.first.outcome == "differs"
    graph = found.data.first.first_graph
    assert (graph.graph, graph.call) == ("graph 1", 1)
    assert [place.code for place in graph.lines] == ["return y * 3"]
    text = comparison_text(found.data)
    assert "result: 4 of 4 values differ, the worst at [0]: -1, in eager 6" in text
    assert "The first that does not agree with eager: wrong." in text


def test_nan_is_said(wrong_backend):
    def f(x):
        return (x * 4).sqrt()

    found = compare_on([wrong_backend], f, (torch.ones(2),), {})
    assert "2 of 2 values are nan and are not in eager" in str(found)


def test_a_nan_that_is_lost_is_said_also_where_float64_has_it():
    def f(x):
        return x.log().nan_to_num(1) if torch.compiler.is_compiling() else x.log()

    found = on_eager(f, torch.tensor([-1.0, 1.0]))
    assert not found
    assert "1 of 2 values are nan in eager and are not here" in str(found)


def test_a_nan_that_eager_alone_makes_of_an_overflow_is_no_fault():
    def f(x):
        return x.double().exp() / x.double().exp() if torch.compiler.is_compiling() else (x.exp() / x.exp()).double()

    assert on_eager(f, torch.full((2,), 100.0))


def test_changed_inputs_and_containers_are_compared():
    def f(x, seen):
        x.add_(1)
        seen.append(x.shape[0])
        return x

    x, seen = torch.zeros(2), []
    assert on_eager(f, x, seen)
    assert seen == []
    assert x.tolist() == [0, 0]


def test_an_error_takes_one_line_and_names_the_backend_as_the_user_does():
    def broken(_graph, _inputs):
        raise RuntimeError("not today")

    register_backend(broken, name="broken")
    try:
        found = compare_on(["broken"], lambda x: x * 2, (torch.ones(2),), {})
    finally:
        _COMPILER_FNS.pop("broken")
    assert "broken: failed: BackendCompilerFailed: backend='broken' raised: RuntimeError: not today\n" in str(found)
    raising = str(on_eager(lambda x: x.view(7), torch.ones(4)))
    assert max(map(len, raising.splitlines())) < 300
    assert len(raising.splitlines()) < 8


class Held:
    def __init__(self, value):
        self.value = value


@pytest.mark.parametrize(
    ("made", "told"),
    [
        (lambda x, wrong: Held(x * 2 if wrong else x), "result.value: 2 of 2 values differ"),
        pytest.param(
            *(lambda x, wrong: deque([x * 2 if wrong else x]), "result[0]: 2 of 2 values differ"),
            marks=refused_before("2.9", "does not trace a deque"),
        ),
        (lambda _x, wrong: {2 if wrong else 3}, "result is frozenset({2}), in eager frozenset({3})"),
        (lambda x, wrong: [x] if wrong else (x,), "result is a list, in eager a tuple"),
        (lambda _x, wrong: [] if wrong else {}, "result is a list, in eager a dict"),
        (lambda x, wrong: torch.nn.Parameter(x) if wrong else x, "result is a Parameter, in eager a Tensor"),
        (lambda x, wrong: {"a": x, "b": x} if wrong else {"b": x, "a": x}, "result['b'] comes in another order"),
        (lambda x, wrong: x.double() if wrong else x, "result has dtype float64, in eager float32"),
    ],
)
def test_all_that_a_result_is_made_of_is_compared(made, told):
    found = on_eager(lambda x: made(x, torch.compiler.is_compiling()), torch.ones(2))
    assert not found
    assert told in str(found)


def test_what_is_written_into_the_attributes_of_an_argument_is_compared():
    def f(holder):
        holder.twice = holder.value * (3 if torch.compiler.is_compiling() else 2)

    found = on_eager(f, Held(torch.ones(2)))
    assert "args[0].twice after the call: 2 of 2 values differ" in str(found)


def test_a_complex_number_may_be_rounded():
    def f(x):
        return complex(x.sum().item() * (1 + 1e-7 * torch.compiler.is_compiling()), 1)

    assert on_eager(f, torch.ones(3))


def test_arrays_are_compared(wrong_backend):
    def to_array(x):
        return [(x * 2).numpy()]

    (trial,) = compare_on([wrong_backend], to_array, (torch.ones(3),), {}).data.trials
    (told,) = trial.differences
    assert (told.where, told.says.split(",")[0]) == ("result[0]", "3 of 3 values differ")
    (trial,) = compare_on(["eager"], to_array, (torch.ones(3),), {}).data.trials
    assert trial.outcome == "same"


@refused_before("2.12", "draws the same again in its captured graph of a checkpoint")
def test_a_checkpoint_that_draws_again_when_it_recomputes_is_no_reference():
    """Dynamo's captured graph leaves keeping the random state of a checkpoint to the compilers after it."""

    def dropped(x):
        return checkpoint(lambda y: torch.dropout(y * x, 0.5, True), x, use_reentrant=False)

    x = torch.ones(64, requires_grad=True)
    found = compare_on(["eager", "aot_eager"], dropped, (x,), {})
    eager, aot_eager = found.data.trials
    assert (eager.outcome, aot_eager.outcome) == ("differs", "same")
    assert all("when its checkpoint recomputes" in trial.first_graph.reason for trial in (eager, aot_eager))
    assert "aot_eager: the same\n    whether its graphs differ: unknown (as captured, graph 0 draws" in str(found)


def test_an_array_in_place_of_a_scalar_is_said():
    (trial,) = compare_on(["eager"], lambda a: np.sin(a).mean(), (np.ones(3),), {}).data.trials
    assert [(told.where, told.says) for told in trial.differences] == [("result", "is a ndarray, in eager a float64")]


def test_a_program_that_is_not_deterministic_says_so():
    calls = ctypes.c_int(0)  # written in C: what a run changes in it stays

    @torch._dynamo.disable
    def f(x):
        calls.value += 1
        return x + calls.value

    found = on_eager(f, torch.zeros(2))
    assert not found
    assert "not deterministic" in str(found)
    assert str(found).endswith("Nothing can be said about the backends: eager does not agree with itself.")
    assert "eager does not agree with itself" in repr(found)


def test_a_backend_that_happens_to_agree_with_an_unsteady_program_is_no_agreement():
    answers, calls = [1.0, 2.0, 1.0, 1.0], ctypes.c_int(0)

    @torch._dynamo.disable
    def f(x):
        calls.value += 1
        return x + answers[calls.value - 1]

    found = on_eager(f, torch.zeros(2))
    assert found.data.first is None
    assert not found
    assert "agree with eager" not in str(found)


def test_errors_are_results():
    def f(x):
        if x.shape[0] == 3:
            raise ValueError("three")
        return x

    found = on_eager(f, torch.ones(3))
    assert found
    assert found.data.raised == "ValueError: three"
    assert "eager    raises ValueError: three\n" in str(found)
    assert "All raise what eager raises" in str(found)
    assert on_eager(f, torch.ones(2)).data.raised is None


def test_a_graph_that_float64_cannot_run_prints_nothing(capfd):
    found = on_eager(lambda x: torch.ones(3).lerp_(x, 0.5), torch.zeros(3))
    assert found
    assert found.data.trials[0].graphs == 1
    assert "Traceback" not in capfd.readouterr().err


@pytest.mark.parametrize(
    ("function", "lacks"),
    [
        (lambda x: torch.ones(3).lerp_(x, 0.5), "in float64 it raises RuntimeError: "),
        (lambda x: x + torch.rand_like(x).sin(), "in float64 it draws other random numbers"),
        (lambda x: x.sin() + 1, None),
    ],
)
def test_a_graph_without_a_run_in_float64_says_so(function, lacks):
    def wrong(graph, inputs):
        return lambda *given: tuple(value + 1 for value in graph(*given))

    found = compare_on([wrong], function, (torch.zeros(3),), {})
    told = found.data.first.first_graph
    assert (told.no_reference or "").startswith(lacks or "")
    assert (told.no_reference is None) is (lacks is None)
    assert (f"      held against no run in float64: {lacks}" in str(found)) is (lacks is not None)


def test_without_a_graph_nothing_is_said_to_agree():
    found = on_eager(lambda x: 1 if torch.compiler.is_compiling() else 2, torch.ones(1))
    assert "no graph was called: the difference is in the code that Dynamo made of the program's" in str(found)
    assert "by itself" not in str(found)


def test_a_call_that_does_not_fit_is_no_agreement():
    with pytest.raises(BadCall, match=r"do not fit toy.*unexpected keyword argument 'backends'"):
        unjit.compare(toy, torch.ones(2), torch.ones(2), backends=["eager"])


@pytest.mark.parametrize("compiled", [lambda module: module, torch.compile, lambda module: module.forward])
def test_a_call_that_does_not_fit_a_module_or_method_is_no_agreement(compiled):
    module = torch.nn.Dropout(0.5).eval()
    with pytest.raises(BadCall, match=r"do not fit Dropout.forward.*unexpected keyword argument 'backends'"):
        unjit.compare(compiled(module), torch.ones(2), backends=["eager"])


def test_a_hook_ahead_of_a_module_may_make_a_call_fit():
    module = torch.nn.Dropout(0.5).eval()
    module.register_forward_pre_hook(lambda module, args, kwargs: (args[:1], {}), with_kwargs=True)
    assert compare_on(["eager"], module, (torch.ones(2),), {"extra": 1})


def test_a_backend_that_fails_is_told_in_its_words():
    found = compare_on(["no_such_backend"], toy, (torch.ones(2), torch.ones(2)), {})
    assert found.data.first.outcome == "failed"
    assert "no_such_backend" in str(found)


@pytest.mark.skipif(torch.__version__ < "2.13", reason="entries can be taken out of the cache from 2.13 on")
def test_no_cache_entry_stays_and_the_users_stay():
    torch._dynamo.reset()
    compiled = torch.compile(toy, backend="eager")
    compiled(torch.ones(3), torch.ones(3))
    before = [entry.compile_id for entry in unjit.explain(compiled).entries]
    assert unjit.compare(compiled, torch.ones(3), torch.ones(3)).data.trials[0].outcome == "same"
    assert [entry.compile_id for entry in unjit.explain(compiled).entries if entry.data.invalid is None] == before


def test_comparisons_do_not_count_against_the_limit_of_entries(nothing_compiled):
    f, net = torch.compile(toy, backend="eager"), torch.nn.Sequential(torch.nn.Linear(2, 2))
    compiled = torch.compile(net, backend="eager")
    for target, inputs in ((f, (torch.ones(3), torch.ones(3))), (compiled, (torch.ones(1, 2),))):
        found = [on_eager(target, *inputs) for _ in range(10)]  # the limit is 8
        assert all(each.data.trials[0].graphs for each in found)
        target(*inputs)
        compiled_for = [entry for each in unjit.explain(target).functions for entry in each.entries]
        assert any(entry.data.invalid is None for entry in compiled_for)


def test_what_cannot_be_compared_is_refused():
    with pytest.raises(unjit.UnjitError, match="not written in Python"):
        unjit.compare(len, [1])
    with pytest.raises(UnjitError, match="cannot be copied"):
        on_eager(lambda x, g: x + next(g), torch.ones(1), (n for n in range(3)))


@pytest.fixture
def sizes_seen():
    """What a backend was told of its graphs' first inputs' sizes: whether they vary.

    In a queue that is written in C: what a backend keeps in Python is put back.
    """
    seen = SimpleQueue()

    def telling(graph, inputs):
        seen.put(any(isinstance(one, torch.SymInt) for one in inputs))
        return graph.forward

    register_backend(telling, name="telling")
    yield seen
    _COMPILER_FNS.pop("telling")


def doubled(x):
    return x * 2


@pytest.mark.parametrize("dynamic", [None, False, True])
@pytest.mark.parametrize("form", ["function", "module", "cached", "compiled in place"])
def test_sizes_vary_as_the_program_lets_them(sizes_seen, dynamic, form):
    torch._dynamo.reset()
    module = torch.nn.ReLU() if form in ("module", "compiled in place") else None
    if form == "compiled in place":
        module.compile(backend="eager", dynamic=dynamic)
        compiled = module
    else:
        compiled = torch.compile(module or doubled, backend="eager", dynamic=dynamic)
    compiled = functools.lru_cache(compiled) if form == "cached" else compiled
    assert compare_on(["telling"], compiled, (torch.ones(5),), {})
    assert sizes_seen.get_nowait() is (dynamic is True)
    assert sizes_seen.empty()


@needs_compiler
def test_the_programs_own_backend_is_compared_with_its_options():
    def adding(graph, _inputs, options):
        return lambda *args: [one + options["a"] for one in graph.forward(*args)]

    compiled = torch.compile(doubled, backend=adding, options={"a": 1})
    found = unjit.compare(compiled, torch.ones(3))
    assert found.data.trials[-1].backend == "adding with a=1 (the program's own)"
    assert found.data.trials[-1].outcome == "differs"


@needs_compiler
def test_a_decorators_own_variables_are_not_taken_for_torchs():
    def calling(callback, self):
        def inner(x):
            return callback(x) + self

        return inner

    found = unjit.compare(calling(doubled, 1), torch.ones(3))
    assert found, str(found)
    assert [trial.backend for trial in found.data.trials] == ["eager", "aot_eager", "inductor"]


def test_what_parts_in_a_graph_has_the_name_that_the_program_gives_it(wrong_backend):
    class Scaled(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = torch.nn.ModuleList([torch.nn.Linear(2, 2)])

        def forward(self, x):
            return (self.parts[0].weight * 2 + x["values"]).sum()

    found = compare_on([wrong_backend], Scaled(), ({"values": torch.ones(2)},), {})
    told = [str(one.where) for one in found.data.first.first_graph.differences]
    assert "gradient of self.parts[0].weight" in told, told


def never(_graph, _inputs):
    raise AssertionError("not among the backends that are compared")


@pytest.mark.parametrize("named", ["force_eager", "eager_on_recompile", "fail_on_recompile", never])
def test_the_programs_stance_does_not_hold_for_what_is_compared(named):
    stance = {"force_backend": named} if callable(named) else {"stance": named}
    with torch.compiler.set_stance(**{"stance": "default", **stance}):
        [trial] = compare_on(["eager"], lambda x: x * 2, (torch.ones(2),), {}).data.trials
        assert torch._dynamo.eval_frame._stance.stance == stance.get("stance", "default")
    assert (trial.outcome, trial.graphs) == ("same", 1)
