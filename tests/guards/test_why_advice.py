"""What `unjit.why` advises: on each guard that fails, and nothing that would not help."""

from __future__ import annotations

import functools

import numpy as np
import pytest
import torch
import torch._dynamo

import unjit
from asking import asked
from needs import needs, refused_before
from unjit.torch_private.probes.guard_probes import NODE_TYPE


@needs(NODE_TYPE)
def test_advice_names_what_varies_as_it_is_passed(nothing_compiled):
    @functools.wraps(torch.mul)
    def wrapped(*args, **kwargs):
        return kwargs["x"] * 2 + args[0].sum()

    compiled = torch.compile(wrapped, backend="eager", dynamic=False)
    compiled(torch.ones(2), x=torch.ones(3, 4, 5))
    advice = " ".join(unjit.why(compiled, torch.ones(2), x=torch.ones(3, 6, 7)).data.advice)
    assert "several sizes of x, " in advice
    assert "mark_dynamic(x, [1, 2])" in advice
    (advice,) = unjit.why(compiled, torch.ones(2), x=torch.ones(1, 4, 5)).data.advice
    assert advice.startswith("torch makes an entry of its own for a size of 0 or 1: pad x, ")


@needs(NODE_TYPE)
@pytest.mark.parametrize(
    ("first", "second", "advice"),
    [
        (torch.ones(2, 3), torch.ones(3, 2).t(), "Give x the same layout in all calls, for example by x.contiguous()."),
        (torch.ones(2, 3), torch.ones(3), "Give x the same number of dimensions in all calls"),
        (np.ones(3), np.ones(4), "several sizes of x, compile with dynamic=True, or pass a tensor."),
        (np.ones(3), np.ones(6)[::2], "same layout in all calls, for example by numpy.ascontiguousarray(x)."),
        (np.ones(3), np.ones(3, np.float32), "Convert x to one dtype"),
        (torch.ones(3) * 1j, (torch.ones(3) * 1j).conj(), "pass x.resolve_conj()"),
        (torch.ones(3) * 1j, torch._neg_view(torch.ones(3) * 1j), "pass x.resolve_neg()"),
        (torch.ones(3), torch.ones(3).to_sparse(), "Pass x with the expected properties, or accept"),
    ],
)
def test_advice_on_tensors_and_arrays(first, second, advice):
    torch._dynamo.reset()
    run = torch.compile(lambda x: x + 1, backend="eager", dynamic=False)
    run(first)
    assert advice in " ".join(unjit.why(run, second).data.advice)


ONE, FOUR = torch.ones(1), torch.ones(4)


@needs(NODE_TYPE)
@pytest.mark.parametrize(
    ("function", "first", "second", "advice"),
    [
        (lambda x: x + 1, (FOUR,), (ONE,), "torch makes an entry of its own for a size of 0 or 1: pad x, "),
        (lambda x: x * 2 if x.shape[0] > 3 else x, (FOUR,), (torch.ones(3),), "in which `4 <= x.size()[0]` holds"),
        (lambda x, y: x + y, (FOUR, FOUR), (FOUR, FOUR + 1), "in which `x is y` holds"),
        (lambda x, y: x + y, (FOUR, FOUR + 1), (FOUR, FOUR), "Pass a tensor in two places in all calls or in none"),
        (lambda x, to: x.to(to), (FOUR, torch.float64), (FOUR, torch.half), "to is a constant to Dynamo: keep it"),
        (lambda x, d: x * d["a"], (FOUR, {"a": 2}), (FOUR, {"b": 2}), "Make sure that d['a'] is there in all calls."),
    ],
)
def test_advice_is_on_what_fails(function, first, second, advice):
    answer = asked(function, first, second, dynamic=True)
    assert advice in " ".join(answer.data.advice)
    assert not any("mark_dynamic" in sentence for sentence in answer.data.advice)


SCALE = torch.ones(4)


@needs(NODE_TYPE)
def test_advice_on_what_is_no_tensor_any_more(monkeypatch):
    def masked(x, mask):
        return x if mask is None else x * mask

    (advice,) = asked(masked, (FOUR, FOUR), (FOUR, None)).data.advice
    assert advice == "None and anything else need an entry each: always pass mask, or never, or accept both."
    (advice,) = asked(masked, (FOUR, FOUR + 1), (FOUR, 2.0)).data.advice
    assert advice.startswith("Pass mask as a tensor in all calls, or accept an entry for each")

    scaled = torch.compile(lambda x: x if SCALE is None else x * SCALE, backend="eager")
    scaled(FOUR)
    monkeypatch.setitem(globals(), "SCALE", None)
    (advice,) = unjit.why(scaled, FOUR).data.advice
    assert advice.endswith(": set SCALE once, before the first call, or accept both.")


@needs(NODE_TYPE)
def test_a_mark_that_comes_too_late():
    x = torch.ones(3)
    torch._dynamo.mark_dynamic(x, 0)
    (advice,) = asked(lambda x: x + 1, (torch.ones(3),), (x,)).data.advice
    assert advice.startswith("Mark the same dimensions of x in all calls, from the first on")


@refused_before("2.10", "skips the guards of a module whose dicts are as they were")
@refused_before("2.13", "runs an entry though a parameter was changed in place")
def test_advice_on_modules():
    module = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.Dropout())
    compiled = torch.compile(module, backend="eager")
    torch._dynamo.reset()
    compiled(torch.ones(1, 2))
    module.eval()
    assert "train() and eval() need an entry each" in " ".join(unjit.why(compiled, torch.ones(1, 2)).data.advice)
    module.train()[0].weight.requires_grad_(False)
    (advice,) = unjit.why(compiled, torch.ones(1, 2)).data.advice
    assert "as it is between calls" in advice


@refused_before("2.11", "prints too little of some guards, which are asked of torch alone")
def test_settings_are_told_by_name_and_advised_on_once():
    run = torch.compile(lambda x: x + 1, backend="eager")
    torch._dynamo.reset()
    run(FOUR)
    with torch.autocast("cpu"):
        answer = unjit.why(run, FOUR)
    assert (answer.failed(0)[0].expected, answer.failed(0)[0].actual) == ("autocast=off", "autocast=cpu to bfloat16")
    (advice,) = answer.data.advice
    assert advice.endswith("as at the compile (autocast=off).")
    torch.set_default_device("meta")
    try:
        answer = unjit.why(run, FOUR)
    finally:
        torch.set_default_device(None)
    assert ("default device None", "default device meta") in [(f.expected, f.actual) for f in answer.failed(0)]
    assert "(default device None)" in " ".join(answer.data.advice)


@refused_before("2.9", "tells guards on tensors as a whole")
def test_each_property_that_differs_is_advised_on():
    def g(x, flag):
        return x * 2 if flag else x

    torch._dynamo.reset()
    compiled = torch.compile(g, backend="eager")
    compiled(torch.ones(3, 4), True)
    advice = " ".join(unjit.why(compiled, torch.ones(5, 4).double(), True).data.advice)
    assert "one dtype" in advice
    assert "mark_dynamic(x, 0)" in advice
    assert "every argument whose size changes with it" in advice
    for other in (None, 1.5, [torch.ones(3, 4)]):
        advice = " ".join(unjit.why(compiled, other, True).data.advice)
        assert "contiguous" not in advice, "what is no tensor has no layout"
        assert "dtype" not in advice
    (advice,) = unjit.why(compiled, torch.ones(3, 4), False).data.advice
    assert "as a tensor" not in advice, "a test of it would break the graph"
    (advice,) = unjit.why(compiled, torch.ones(3, 4), None).data.advice
    assert "None and anything else" in advice


class Adapted(torch.nn.Module):
    active = None

    def forward(self, x):
        return x - 1 if self.active is None else x * 2


@refused_before("2.9", "asks for the identity of what a module has")
def test_what_a_module_has_or_has_not_is_not_passed(nothing_compiled):
    module = Adapted()
    compiled = torch.compile(module, backend="eager")
    module.active = None
    compiled(torch.ones(3))
    module.active = "an adapter"
    (advice,) = unjit.why(compiled, torch.ones(3)).data.advice
    assert advice.endswith("an entry each: let self.active be either in all calls, or accept both.")


def up_to_its_size(x):
    return sum(x[at] * at for at in range(x.shape[0]))


@refused_before("2.9", "tells guards on tensors as a whole")
def test_a_size_that_the_code_needs_as_a_number_is_not_advised_to_vary(nothing_compiled):
    compiled = torch.compile(up_to_its_size, backend="eager")
    for size in (3, 4, 5):
        compiled(torch.ones(size, 2))
    (advice,) = unjit.why(compiled, torch.ones(6, 2)).data.advice
    assert advice.startswith("Several sizes of x have an entry each (3, 4, 5 in dimension 0)")
    (advice,) = unjit.why(compiled, torch.ones(1, 2)).data.advice
    assert "for a size of 0 or 1" in advice
    (advice,) = unjit.why(compiled, torch.ones(5, 3)).data.advice
    assert "mark_dynamic(x, 1)" in advice  # of the other dimension one size alone was seen


def test_a_slice_of_a_larger_tensor_is_advised_to_be_copied(nothing_compiled):
    compiled = torch.compile(lambda x: x * 2, backend="eager", dynamic=True)
    compiled(torch.ones(8)[5:])
    (advice,) = unjit.why(compiled, torch.ones(3)).data.advice
    assert advice.startswith("x begins at another place of its memory, as a slice of a larger tensor does: pass")


def test_what_is_no_view_is_not_advised_to_be_padded(nothing_compiled):
    compiled = torch.compile(lambda x: x + 1, backend="eager", dynamic=True)
    compiled(torch.ones(8)[2:5]), compiled(torch.ones(8)[1:4])
    (advice,) = unjit.why(compiled, torch.ones(3)).data.advice
    assert "pad" not in advice


@refused_before("2.9", "tells guards on tensors as a whole")
def test_advice_is_about_the_entry_for_as_many_dimensions(nothing_compiled):
    compiled = torch.compile(lambda x: x * 2, backend="eager")
    for shape in ((3,), (4, 2), (4, 3, 2)):
        compiled(torch.ones(shape))
    (advice,) = unjit.why(compiled, torch.ones(5)).data.advice
    assert "mark_dynamic(x, 0)" in advice


@refused_before("2.9", "tells guards on tensors as a whole")
def test_a_size_that_varies_already_is_not_advised_to(nothing_compiled):
    compiled = torch.compile(lambda x: x * 2, backend="eager")
    compiled(torch.ones(3, 7)), compiled(torch.ones(4, 7))
    (advice,) = unjit.why(compiled, torch.ones(5, 8)).data.advice
    assert "mark_dynamic(x, 1)" in advice


def test_a_tensor_that_is_missing_is_advised_to_be_there(nothing_compiled):
    compiled = torch.compile(lambda d: d["a"] * 2, backend="eager")
    compiled({"a": torch.ones(3)})
    (advice,) = unjit.why(compiled, {"b": torch.ones(3)}).data.advice
    assert advice == "Make sure that d['a'] is there in all calls."


@needs(NODE_TYPE)
@pytest.mark.parametrize(
    ("function", "specialize", "advice"),
    [
        pytest.param(
            torch.nn.functional.dropout,
            False,
            "is a constant to Dynamo, as the code needs it as a number: pass it",
            marks=refused_before("2.12", "makes another guard of it"),
        ),
        (lambda x, p: x * p, True, "or set torch._dynamo.config.specialize_float = False"),
    ],
)
def test_advice_on_a_float_says_why_it_does_not_vary(nothing_compiled, function, specialize, advice):
    compiled = torch.compile(function, backend="eager")
    with torch._dynamo.config.patch(specialize_float=specialize):
        for p in (0.1, 0.2):
            compiled(FOUR, p)
        assert advice in " ".join(unjit.why(compiled, FOUR, 0.3).data.advice)


@needs(NODE_TYPE)
def test_inference_mode_is_told_once_whatever_tensors_are_used_in_it(nothing_compiled):
    layer = torch.nn.Linear(3, 3)
    compiled = torch.compile(layer, backend="eager", dynamic=False)
    x = torch.ones(3)
    with torch.inference_mode():
        compiled(x)
    with torch.no_grad():  # where torch's settings are the same
        (advice,) = unjit.why(compiled, x).data.advice
    assert advice.startswith("Call it, and make its tensors, under torch.inference_mode() in all calls or in none: ")


@refused_before("2.10", "prints too little of its guard on settings")
def test_autocast_is_told_by_itself(nothing_compiled):
    layer = torch.nn.Linear(3, 3)
    compiled = torch.compile(layer, backend="eager")
    compiled(torch.ones(3))
    with torch.autocast("cpu"):
        (advice,) = unjit.why(compiled, torch.ones(3)).data.advice
    assert advice == "Call it under the same settings of torch as at the compile (autocast=off)."


def test_settings_are_never_told_by_the_programs_own_values(nothing_compiled):
    compiled = torch.compile(lambda x: x + 1, backend="eager")
    compiled(torch.ones(3))
    with torch.set_grad_enabled(False):
        of_settings = [one for one in unjit.why(compiled, torch.ones(3)).failed(0) if one.kind == "GLOBAL_STATE"]
    assert of_settings
    assert "tensor" not in of_settings[0].actual


@needs(NODE_TYPE)
def test_functorch_transforms_are_advised_on(nothing_compiled):
    compiled = torch.compile(lambda x: x * 2, backend="eager")
    compiled(torch.ones(3))
    told = []
    torch.func.vmap(lambda x: (told.extend(unjit.why(compiled, x).data.advice), x)[1])(torch.ones(2, 3))
    assert told[0].startswith("Call it within the same functorch transforms (vmap, grad, jvp) in all calls, ")


@refused_before("2.9", "prints guards on tensors in a form of its own")
def test_a_module_of_torchs_own_is_asked_about_in_the_names_of_its_forward():
    module = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    compiled = torch.compile(module, backend="eager")
    torch._dynamo.reset()
    compiled(torch.ones(5, 2))
    module[0].weight.requires_grad_(False)
    answer = unjit.why(compiled, torch.ones(3, 2))
    assert {str(one.subject) for one in answer.failed(0)} == {"input", "self[0].weight"}
    assert "args[0]" not in str(answer)
    assert "mark_dynamic(input, 0)" in str(answer)


def test_no_advice_on_what_a_tensor_keeps_to_itself(nothing_compiled):
    """Nobody passes those tensors: they are of another kind where the whole is, or as lengths in it are."""

    def ragged(*lengths, width=4):
        return torch.nested.nested_tensor([torch.ones(length, width) for length in lengths], layout=torch.jagged)

    doubled = torch.compile(lambda rows: rows * 2, backend="eager")
    doubled(ragged(2, 3))
    for other in (ragged(2, 3, width=6), ragged(2, 3).double()):
        answer = unjit.why(doubled, other)
        assert "rows._values" in [failed.subject for failed in answer.failed(0)]
        assert answer.data.advice
        assert not any("rows._" in advice for advice in answer.data.advice)
    (advice,) = unjit.why(doubled, ragged(1, 3)).data.advice
    assert advice.endswith("a size of 0 or 1, here of rows._min_seqlen_tensor: accept one more entry.")


def test_advice_on_what_a_program_puts_on_a_tensor(nothing_compiled):
    """It is no part of the tensor, and differs by itself."""

    def of(scale, dtype):
        x = torch.ones(3, dtype=dtype)
        x.scale = scale
        return x

    scaled = torch.compile(lambda x: x * x.scale, backend="eager")
    scaled(of(2, torch.float32))
    advice = unjit.why(scaled, of(3, torch.float64)).data.advice
    of_itself = ("x to one dtype", "Pass x with the expected properties")  # torch before 2.9 does not tell which
    assert any(what in said for said in advice for what in of_itself)
    assert any("x.scale is a constant" in said for said in advice)


def calls(x, function):
    return function(x)


@pytest.mark.parametrize(
    ("first", "second"),
    [
        (lambda x: x + 1, lambda x: x + 2),
        (lambda x: x + 1, functools.partial(torch.add, other=1)),
        (lambda x: x + 1, torch.sin),
        pytest.param(torch.sin, torch.cos, marks=refused_before("2.13", "does not say that it is a function")),
    ],
    ids=["another lambda", "no function", "one of torch's", "two of torch's"],
)
def test_advice_on_a_function_that_is_passed_is_about_the_function(nothing_compiled, first, second):
    compiled = torch.compile(calls, backend="eager")
    compiled(torch.ones(3), first)
    (advice,) = unjit.why(compiled, torch.ones(3), second).data.advice
    assert advice.startswith("What function does is compiled in: pass the same function")
    assert advice.endswith("in all calls, or accept one entry for each function.")
    with unjit.capture() as session:
        compiled(torch.ones(3), second)
    assert "What function does is compiled in: pass the same function in all calls" in session.summary()


def test_what_is_a_view_in_some_calls(nothing_compiled):
    """Dynamo asks for sizes of the tensor that x is a view of, and torch says `'NoneType' object has no attribute`."""

    def of(rows, *, is_view):
        values = torch.ones(rows, 8, requires_grad=True) * 2
        return values.view(rows, 2, 4) if is_view else torch.ones(rows, 2, 4, requires_grad=True)

    function = torch.compile(lambda x: x.sin().sum(), backend="eager")
    function(of(2, is_view=True))
    function(of(3, is_view=True))
    why = unjit.why(function, of(5, is_view=False))
    if "_base" not in str(why):
        pytest.skip("this torch asks no tensor for the one that it is a view of")
    assert "x._base.size()[0]: x is no view of another tensor" in str(why)
    assert any(said.startswith("In some calls x is a view of another tensor") for said in why.data.advice)
    with unjit.capture() as session:
        function(of(5, is_view=False))
    assert "In some calls a tensor is a view of another tensor" in session.summary()
