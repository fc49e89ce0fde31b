"""What `unjit summary` advises on a recompile: what torch says of it is all that there is."""

from __future__ import annotations

import asyncio
import contextlib
import functools
import random
import sys

import numpy as np
import pytest
import torch
import torch._dynamo

import unjit
from needs import needs_dict_sizes, needs_guards_of_attributes, refused_before, since
from unjit.findings import concerns


def scaled_by(x, options):
    return x * options["by"]


def advice(*calls, run=lambda x: x + 1):
    """What is advised on a function that is called so, each time in a context of its own."""
    torch._dynamo.reset()
    compiled = torch.compile(run, backend="eager", dynamic=False)
    with unjit.capture() as session:
        for around, *arguments in calls:
            with around:
                compiled(*arguments)
    return next(one.advice for one in concerns(session.data) if one.kind == "recompile")


class Options(dict):
    pass


@refused_before("2.13", "may name it otherwise")
def test_a_number_in_a_dict_of_a_class_of_its_own_is_told_as_one_of_its_values(nothing_compiled):
    told = advice(*((contextlib.nullcontext(), torch.ones(3), Options(by=by)) for by in (1, 2)), run=scaled_by)
    assert told.startswith("Dynamo takes list(options.values())[0] for a constant: pass it as a tensor")


@refused_before("2.13", "gives compiled autograd's graphs other arguments")
@pytest.mark.parametrize("dynamic", [None, True])
def test_sizes_of_a_backward_are_not_advised_to_be_marked(nothing_compiled, dynamic):
    net = torch.nn.Linear(4, 4)
    compiler = torch.compile(backend="eager", dynamic=dynamic)
    with unjit.capture() as session, torch._dynamo.compiled_autograd._enable(compiler):
        for size in (2, 3, 4):
            net(torch.ones(size, 4)).relu().sum().backward()
    told = [one.advice for one in concerns(session.data) if one.kind == "recompile"]
    assert len(told) == (0 if dynamic else 1)
    assert all(one.startswith("Compiled autograd had it compiled for a backward pass") for one in told)


@refused_before("2.9", "tells less of a guard that did not hold")
@needs_guards_of_attributes
def test_the_most_common_cause_comes_first(nothing_compiled):
    class Keeps(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.seen = []

        def forward(self, x, number):
            torch._dynamo.graph_break()
            self.seen.append(number)
            return x + number if number % 3 == 0 else x * 2

    torch._dynamo.reset()
    with unjit.capture() as session:
        compiled = torch.compile(Keeps(), backend="eager")
        for number in range(6):
            compiled(torch.ones(4 + number % 2), number)
    again = {one.function: one for one in concerns(session.data) if one.kind == "recompile"}
    rest = next(one for name, one in again.items() if "resumes" in name)
    assert rest.place.code == "self.seen.append(number)"
    assert rest.advice.startswith("Dynamo makes an entry for each length of self.seen")
    assert "mark_dynamic" not in rest.advice, "what is marked there was made in the function"
    assert "self.seen) ==" in rest.what.partition("; ")[0]
    assert "did not hold; " in rest.what
    assert "1 graph break," in session.summary(max_tokens=5000), "one place, though each recompile met it again"


@refused_before("2.9", "tells less of a guard that did not hold")
def test_advice_on_what_is_missing_or_is_no_function(nothing_compiled):
    def of(run, first, second):
        return advice(here(torch.ones(3), first), here(torch.ones(3), second), run=run)

    assert "Make sure that d['k'] is there in all calls" in of(lambda x, d: x * d.get("k", 1), {"k": 2}, {"j": 2})
    assert "What f does is compiled in" in of(lambda x, f: f(x), lambda x: x + 1, functools.partial(torch.add, other=1))


def here(*arguments):
    return (contextlib.nullcontext(), *arguments)


def test_advice_follows_from_what_torch_says_of_a_tensor(nothing_compiled):
    def of(first, second):
        return advice(here(first), here(second))

    assert "for example by x.contiguous()" in of(torch.ones(2, 3), torch.ones(3, 2).t())
    assert "compile with dynamic=True, or pass it as a tensor" in of(np.ones(3), np.ones(4))
    assert "mark_dynamic(x, 0)" in of(torch.ones(3), torch.ones(4))
    assert "x.detach() will do where it needs no gradient" in of(torch.ones(3), torch.ones(3, requires_grad=True))
    assert "an entry of its own for a size of 0 or 1: pad x, " in of(torch.ones(3), torch.ones(1))
    with torch.inference_mode():
        inference = torch.ones(3)
    assert "made under torch.inference_mode is of another kind" in of(torch.ones(3), inference)
    assert "Pass x with the same class" in of(torch.ones(3), torch.nn.Parameter(torch.ones(3)))
    said = advice(here(torch.ones(3)), here(None), run=lambda x: torch.ones(3) if x is None else x + 1)
    assert said.startswith("Dynamo makes an entry for None and one for a tensor: pass x in all calls or in none")


@refused_before("2.13", "compiles the first call alone, or tells less of a guard that did not hold")
def test_a_key_that_is_there_in_some_calls_is_advised_to_be_in_all_or_none(nothing_compiled):
    class Keeps(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.cache = {}

        def forward(self, x):
            if x.shape not in self.cache:
                self.cache[x.shape] = x + 1
            return x + self.cache[x.shape]

    x = torch.ones(3)
    told = advice(here(x), here(x), run=Keeps())
    assert told == "Put torch.Size([3]) into self.cache in all calls or in none, or accept an entry for each."


@refused_before("2.9", "tells less of a guard that did not hold")
def test_advice_follows_from_what_the_code_asks_of_a_size_that_varies(nothing_compiled):
    def of(*sizes, run):
        torch._dynamo.reset()
        with unjit.capture() as session:
            for size in sizes:
                torch.compile(run, backend="eager", dynamic=True)(torch.ones(size))
        return next(one.advice for one in concerns(session.data) if one.kind == "recompile")

    small = "torch makes an entry of its own for a size of 0 or 1: pad x, or accept one more entry."
    assert of(3, 1, run=lambda x: x * x.shape[0]) == small
    told = of(4, 5, run=lambda x: x.view(-1, 2) if x.shape[0] % 2 == 0 else x)
    assert told.startswith("The code asks for more of the sizes of x than that they vary")


@refused_before("2.13", "tells less of a guard that did not hold")
def test_a_relation_of_two_sizes_is_no_constant(nothing_compiled):
    def f(x):
        rows, columns = x.shape
        return x + 3 if rows + columns == 10 else x

    torch._dynamo.reset()
    with unjit.capture() as session:
        for sizes in ((4, 6), (6, 7)):
            torch.compile(f, backend="eager", dynamic=True)(torch.ones(sizes))
    (told,) = (one.advice for one in concerns(session.data) if one.kind == "recompile")
    assert told.startswith("The code asks for more of the sizes of x than that they vary")
    assert "constant" not in told


class Layer(torch.nn.Module):
    def __init__(self, place):
        super().__init__()
        self.place = place

    def forward(self, x):
        return x + self.place[0]


@needs_guards_of_attributes
def test_advice_on_a_tuple_that_differs_comes_first_where_it_is_the_most_common_cause(nothing_compiled):
    layers = [Layer((number, "conv")) for number in range(4)]
    with unjit.capture() as session:
        for layer in layers:
            layer.compile(backend="eager")
            layer(torch.ones(3))
    (told,) = (one.advice for one in concerns(session.data) if one.kind == "recompile")
    assert told.startswith("Dynamo makes an entry for each value of self.place: keep it the same in all calls")


@refused_before("2.10", "does not tell the backend of an entry")
def test_advice_on_a_backend_that_is_made_for_each_call(nothing_compiled):
    def f(x):
        return x + 1

    with unjit.capture() as session:
        for _ in range(3):
            torch.compile(f, backend=lambda graph, inputs: graph)(torch.ones(3))
    (told,) = (one.advice for one in concerns(session.data) if one.kind == "recompile")
    assert told.startswith("An entry serves one backend: make it once, and give torch.compile that one each time")


@refused_before("2.13", "tells less of a guard that did not hold")
def test_advice_follows_from_what_torch_says_of_its_settings(nothing_compiled):
    x = torch.ones(3, 3)
    settings = "Call it under the same settings of torch as at the compile"
    assert f"{settings} (grad_mode), or accept an entry for each." in advice(here(x), (torch.no_grad(), x))
    told = advice(here(x), (torch.no_grad(), x), (torch.autocast("cpu", dtype=torch.bfloat16), x))
    assert told.count(settings) == 1
    assert f"{settings} (grad_mode, autocast(cpu)_enabled), or accept an entry for each." in told
    autocast = torch.autocast("cpu", dtype=torch.bfloat16)
    assert f"{settings} (autocast" in advice(here(x), (autocast, x), run=lambda x: x @ x)
    assert "the same default device and modes" in advice(here(x), (torch.device("cpu"), x))


class Small(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.drop = torch.nn.Dropout(0.5)

    def forward(self, x):
        return self.drop(x)


class CallsLinear(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.first, self.second = torch.nn.Linear(4, 4), torch.nn.Linear(4, 4)

    def forward(self, x):
        x = self.first(x)
        return self.second(x)


@refused_before("2.9", "does not quote the line that needs a size")
def test_a_size_that_a_module_of_torchs_needs_is_told_at_the_line_that_calls_it(nothing_compiled):
    compiled = torch.compile(CallsLinear(), backend="eager", dynamic=True)
    for _ in range(2):  # in the second capture torch names fewer files
        torch._dynamo.reset()
        with unjit.capture() as session:
            for size in (3, 1):
                compiled(torch.ones(size, 4))
        (told,) = concerns(session.data)
        (guard,) = session.data.compiles[1].compile.failed_guards
        assert guard.condition == "2 <= x.size()[0]"
        assert told.place == guard.cause
        assert (guard.cause.file, guard.cause.code) == (__file__, "x = self.first(x)")


class Layers(torch.nn.Module):
    def __init__(self, number):
        super().__init__()
        self.layers = torch.nn.ModuleList(torch.nn.Identity() for _ in range(number))

    def forward(self, x):
        for layer in self.layers:
            x = layer(x) + 1
        return x


@needs_dict_sizes
@refused_before("2.9", "tells less of a guard that did not hold")
def test_modules_with_other_submodules_are_not_advised_to_be_stacked(nothing_compiled):
    x = torch.ones(3)
    with unjit.capture() as session:
        for number in (2, 3):
            torch.compile(Layers(number), backend="eager")(x)
    (told,) = (one.advice for one in concerns(session.data) if one.kind == "recompile")
    assert told.startswith("self.layers has other submodules than at the compile. In another module of the class:")
    (why,) = unjit.why(torch.compile(Layers(4), backend="eager"), x).data.advice
    assert why == told


@refused_before("2.9", "tells less of a guard that did not hold")
def test_advice_follows_from_what_torch_says_of_a_plain_value(nothing_compiled):
    x = torch.ones(3)

    def of(first, second, run):
        return advice(here(x, first), here(x, second), run=run)

    said = of(1.5, 2.5, lambda x, f: x * f)
    assert "Dynamo takes f for a constant: pass it as a tensor" in said
    assert "Dynamo lets most numbers vary by themselves from the second value on, unless" in said
    for first, second in (("a", "b"), (True, False), (None, "b"), (None, 5)):
        said = of(first, second, lambda x, f: x + 2 if f is None else x + 1 if f == "a" or f is True else x - 1)
        which = "None and anything else need" if first is None else "Dynamo makes an entry for each value of f"
        assert which in said, (first, second)
    assert "an entry for each length of f" in of([x, x], [x, x, x], lambda x, f: x + len(f))
    assert "stack tensors of one shape" in of({"a": 1}, {"a": 1, "b": 2}, lambda x, f: x + len(f))
    said = of({"a": x, "b": x}, {"b": x, "a": x}, lambda x, f: x + sum(f.values()))
    assert "an entry for other keys of f, or another order of them" in said
    if since("2.13"):  # older torch does not say that it is a function
        assert "What f does is compiled in:" in of(torch.sin, torch.cos, lambda x, f: f(x))
    assert "What f does is compiled in:" in of(lambda x: x + 1, lambda x: x + 2, lambda x, f: f(x))


def gathers(x, *args, **kwargs):
    return x + len(args) + len(kwargs)


@refused_before("2.9", "tells less of a guard that did not hold")
def test_of_arguments_that_a_parameter_gathers_it_is_said_to_pass_the_same(nothing_compiled):
    compiled = torch.compile(gathers, backend="eager", dynamic=False)
    x, said = torch.ones(3), []
    for first, second in (({"a": 1}, {"a": 1, "b": 2}), ({}, {"a": 1})):
        torch._dynamo.reset()
        with unjit.capture() as session:
            compiled(x, **first), compiled(x, **second)
        said += [one.advice for one in concerns(session.data) if one.kind == "recompile"]
    assert said == ["Pass the same keyword arguments in all calls, or accept one entry for each set of them."] * 2
    answer = unjit.why(compiled, x, 1, 2)
    assert "Pass as many positional arguments in all calls" in " ".join(answer.data.advice)


class Grows(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.step = 3
        self.register_buffer("scale", torch.ones(3))

    def forward(self, x):
        return x * self.scale * self.step


@refused_before("2.9", "tells less of a guard that did not hold")
def test_what_dynamo_never_lets_vary_is_not_said_to_vary_by_itself(nothing_compiled):
    net = Grows()
    compiled = torch.compile(net, backend="eager")
    for name, values in (("step", (3, 4, 5)), ("scale", (torch.ones(3), torch.ones(4), torch.ones(5)))):
        torch._dynamo.reset()
        with unjit.capture() as session:
            for value in values:
                setattr(net, name, value)
                compiled(torch.ones(1))
        (said,) = [one.advice for one in concerns(session.data) if one.kind == "recompile"]
        assert f"self.{name}" in said
        assert "by itself" not in said, said
        assert "by themselves" not in said, said
    weights = [torch.nn.Parameter(torch.ones(size)) for size in (3, 4, 5)]
    said = advice(*((contextlib.nullcontext(), one) for one in weights))
    assert "torch._dynamo.config.force_parameter_static_shapes = False" in said
    assert "vary" not in said


@contextlib.contextmanager
def evaluating(model):
    model.eval()
    yield
    model.train()


@refused_before("2.9", "tells less of a guard that did not hold")
@needs_guards_of_attributes
def test_advice_on_the_mode_of_a_module_asks_for_no_tensor(nothing_compiled):
    model = Small()
    x = torch.ones(3)
    assert "one entry for training and one for evaluation" in advice(here(x), (evaluating(model), x), run=model)


def up_to_its_size(x):
    return sum(x[at] * at for at in range(x.shape[0]))


def test_a_size_that_the_code_needs_as_a_number_is_not_advised_to_vary(nothing_compiled):
    with unjit.capture() as session:
        compiled = torch.compile(up_to_its_size, backend="eager")
        compiled(torch.ones(3, 2)), compiled(torch.ones(4, 2))
    (again,) = (one for one in concerns(session.data) if one.kind == "recompile")
    assert "mark_dynamic(x, 0)" in again.advice  # the first recompile does not tell yet
    with unjit.capture() as session:
        compiled = torch.compile(up_to_its_size, backend="eager")
        for size in (5, 6):
            compiled(torch.ones(size, 2))
    (again,) = (one for one in concerns(session.data) if one.kind == "recompile")
    assert " needs the size of x in dimension 0 as one number, so that each size has an entry (3, 4, 5)" in again.advice
    assert "Let the size of" not in again.advice
    with unjit.capture() as session:
        compiled = torch.compile(up_to_its_size, backend="eager", dynamic=False)
        for size in (7, 8, 9):
            compiled(torch.ones(size, 2))
    (again,) = (one for one in concerns(session.data) if one.kind == "recompile")
    assert "Several sizes of x have an entry each" in again.advice


def test_a_slice_of_a_larger_tensor_is_advised_to_be_copied(nothing_compiled):
    sliced = torch.compile(lambda x: x * 2, backend="eager", dynamic=True)
    with unjit.capture() as session:
        sliced(torch.ones(8)[5:]), sliced(torch.ones(3))
    (again,) = (one for one in concerns(session.data) if one.kind == "recompile")
    assert "pass x.clone() in all calls" in again.advice


@refused_before("2.13", "makes other entries of an optimizer")
def test_advice_on_an_optimizer_is_about_its_state_and_its_learning_rate(nothing_compiled):
    def recompile(lr, steps):
        net = torch.nn.Linear(3, 1)
        optimizer = torch.optim.SGD(net.parameters(), lr=lr, momentum=0.9)
        step = torch.compile(optimizer.step, backend="aot_eager")  # eager lets the number vary
        with unjit.capture() as session:
            for _ in range(steps):
                net(torch.ones(2, 3)).sum().backward()
                step()
                optimizer.param_groups[0]["lr"] *= 0.5
        return "".join(str(one.advice) for one in concerns(session.data) if one.kind == "recompile")

    told = recompile(0.1, steps=4)
    assert told.startswith("An optimizer makes its state in its first step, and Dynamo an entry for each of the two")
    assert (
        "for a constant, at first and in some optimizers each time: make the optimizer with lr=torch.tensor(…)" in told
    )
    torch._dynamo.reset()
    assert "learning rate" not in recompile(torch.tensor(0.1), steps=4)


@refused_before("2.13", "gives the value as a constant")
def test_a_number_after_a_break_that_varies_by_itself_is_said_to(nothing_compiled):
    def scaled_by_chance(x):
        chance = random.random()
        return x * chance

    compiled = torch.compile(scaled_by_chance, backend="eager")
    with unjit.capture() as session, torch._dynamo.config.patch(specialize_float=False):
        for _ in range(4):
            compiled(torch.ones(1))
    told = [one for one in concerns(session.data) if one.kind == "recompile"]
    if not told and since("2.14"):
        pytest.skip("refused: this torch does not compile again for it")
    (again,) = told
    assert again.what.startswith("once: ")
    assert "Dynamo takes random.random() for a constant where scaled_by_chance goes on" in again.advice
    assert "from the second value on" in again.advice


@refused_before("2.13", "has other words for it")
def test_an_await_in_what_is_compiled_is_advised_on(nothing_compiled):
    async def serving(x):
        await asyncio.sleep(0)
        return x * 2

    with unjit.capture() as session, contextlib.suppress(AssertionError):
        asyncio.run(torch.compile(serving, backend="eager")(torch.ones(3)))
    failures = [one for one in concerns(session.data) if one.kind == "failed"]
    if not failures and sys.version_info >= (3, 12):
        pytest.skip("refused: torch does not fail there on this Python")
    (failed,) = failures
    assert failed.advice.startswith("In a generator or coroutine Dynamo cannot go on after a graph break")


def test_what_is_left_after_a_break_is_not_taken_for_the_function_or_for_its_line(nothing_compiled):
    def calling(y):
        y.add_(1)
        torch._dynamo.graph_break()
        return len("nothing to compile")

    with unjit.capture() as session:
        torch.compile(calling, backend="eager")(torch.ones(3))
    told = [str(one.what) for one in concerns(session.data) if one.kind == "not compiled"]
    assert told
    name = getattr(calling.__code__, "co_qualname", "calling")  # Python 3.10 has none
    assert all(one.startswith(f"the rest of {name}, from this line on: ") for one in told)


class Calling:
    def __init__(self, by):
        self.by = by

    def __call__(self, x):
        return x * self.by


@refused_before("2.9", "compiles them otherwise")
def test_the_wrapper_of_torch_is_not_taken_for_a_decorator(nothing_compiled):
    with unjit.capture() as session:
        for called in (Calling(2), functools.partial(torch.mul, torch.ones(3))):
            torch.compile(called, backend="eager")(torch.ones(3))
    (again,) = [one for one in concerns(session.data) if one.kind == "recompile"]
    assert again.advice.startswith("torch compiles modules of its own, partials and callable objects through one")
    assert "decorate" not in again.advice


@refused_before("2.13", "has other words for it")
def test_marks_on_dimensions_that_come_later_are_to_be_there_from_the_first_call_on(nothing_compiled):
    """Torch names the attribute that it keeps them in."""
    with unjit.capture() as session:
        compiled = torch.compile(lambda x: x + 1, backend="eager")
        for marked in ((), (0,), (1,)):
            x = torch.ones(4, 5)
            for dimension in marked:
                torch._dynamo.maybe_mark_dynamic(x, dimension)
            compiled(x)
    (again,) = [one for one in concerns(session.data) if one.kind == "recompile"]
    told = {guard.told for compiled in session.data.compiles for guard in compiled.compile.failed_guards}
    assert "a tensor has dimensions that are marked, as by mark_dynamic, and had none" in told
    assert again.advice.startswith("Mark the same dimensions of the tensor in all calls, from the first on")


def test_a_number_that_left_the_range_of_a_branch(nothing_compiled):
    def within(x, n):
        return x + n if 0 <= n <= 5 else x - n

    compiled = torch.compile(within, backend="eager", dynamic=True)
    with unjit.capture() as session:
        compiled(torch.ones(3), 3)
        compiled(torch.ones(3), 9)
    (told,) = (one for one in concerns(session.data) if one.kind == "recompile")
    assert "` holds: make only such calls, or accept one more entry." in told.advice


def test_the_line_of_a_backend_that_raised_is_told(nothing_compiled):
    def broken(graph, inputs):
        raise ValueError("not today")

    with unjit.capture() as session, pytest.raises(Exception, match="not today"):
        torch.compile(lambda x: x + 1, backend=broken)(torch.ones(3))
    (told,) = (one for one in concerns(session.data) if one.kind == "failed")
    assert (told.place.function, told.place.code) == ("broken", 'raise ValueError("not today")')
