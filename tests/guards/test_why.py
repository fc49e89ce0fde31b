"""`unjit.why`: which entry a call would run, and all guards that fail; nothing is compiled by asking."""

from __future__ import annotations

import collections
import functools
import itertools
import json
import re
import sys

import numpy as np
import pytest
import torch
import torch._dynamo
from torch.overrides import TorchFunctionMode

import unjit
from asking import asked
from needs import lacking, needs, refused_before
from unjit.errors import BadCall
from unjit.model import Unknown
from unjit.torch_private.cache import settings
from unjit.torch_private.probes.guard_probes import NODE_TYPE

SCALE = 2.0
FOUR = torch.ones(4)


def f(x, k, options, mode="mul"):
    y = x * k if mode == "mul" else x + k
    for value in options.values():
        y = y + value
    return y * SCALE


@pytest.fixture
def compiled():
    torch._dynamo.reset()
    function = torch.compile(f, backend="eager")
    function(torch.ones(3), 1, {"a": 1})
    function(torch.ones(3).double(), 1, {"a": 1, "b": 2})
    return function


def failures(answer, index):
    return {str(failed.subject): (failed.expected, failed.actual) for failed in answer.failed(index)}


@needs(NODE_TYPE)
def test_the_entry_that_would_run_and_every_guard_of_the_others(compiled):
    answer = unjit.why(compiled, torch.ones(3), 1, {"a": 1})
    assert (answer.outcome, answer.entry) == ("runs an entry", 1)
    assert failures(answer, 0) == {
        "x": ("dtype torch.float64", "dtype torch.float32"),
        "options": ("dict of 2", "dict of 1"),
    }
    assert answer.failed(1) == ()
    assert re.search(r"entry 0/0 \((eager|backend unknown: .*)\): runs", str(answer))


@needs(NODE_TYPE)
def test_none_fits(compiled):
    answer = unjit.why(compiled, torch.ones(4), 3, {"b": 1})
    assert (answer.outcome, answer.entry) == ("compiles", None)
    found = failures(answer, 1)
    assert found["x"] == ("shape (3,)", "shape (4,)")
    assert found["k"] == ("1", "3")
    assert found["list(dict.keys(options))[0]"] == ("'a'", "'b'")
    cause = next(failed.cause for failed in answer.failed(1) if failed.subject == "k")
    assert cause.code == 'y = x * k if mode == "mul" else x + k'
    assert cause.file == __file__
    advice = " ".join(answer.data.advice)
    assert "mark_dynamic(x, 0)" in advice
    assert "k is a constant to Dynamo" in advice
    assert "Give options the same keys in the same order" in advice


@needs(NODE_TYPE)
def test_tensors_that_are_one_object_are_named():
    answer = asked(lambda x, y, z: x + y + z, (FOUR, FOUR + 1, FOUR + 2), (FOUR, FOUR + 1, FOUR))
    assert [(f.expected, f.actual) for f in answer.failed(0)] == [("different objects", "x and z are one object")]


@refused_before("2.9", "does not tell how many items a guarded dict has")
def test_what_is_about_a_value_that_is_missing_is_not_told_to_fail(nothing_compiled):
    """Dynamo asks whether tensors are one object, and what sizes are to each other, when all others have held."""

    @torch.compile(backend="eager", dynamic=True)
    def total(**tensors):
        return sum(tensor.sum() for tensor in tensors.values())

    total(a=torch.ones(3), b=torch.ones(4))
    answer = unjit.why(total, a=torch.ones(3))
    assert [(f.expected, f.actual) for f in answer.failed(0)] == [("dict of 2", "dict of 1")]


@needs(NODE_TYPE)
def test_a_class_of_tensors_is_no_tensor():
    answer = asked(lambda x: x if isinstance(x, type) else x + 1, (FOUR,), (torch.Tensor,))
    assert "Tensor" in answer.failed(0)[0].actual


class Unbound:
    """A stand-in for what is not there yet, as frameworks have for the request at hand: it answers nothing."""

    def __getattr__(self, name):
        raise RuntimeError("nothing is bound")

    __class__ = property(lambda self: self.__getattr__("__class__"))


@pytest.mark.parametrize("first", [3, None])
def test_an_object_that_answers_nothing_is_told_by_its_class(first):
    answer = asked(lambda x, k: x + 1 if k is None else x * k, (FOUR, first), (FOUR, Unbound()))
    assert any(failed.actual.startswith("an Unbound") for failed in answer.failed(0))


class Closed(dict):
    """It tells its keys to nobody."""

    def __iter__(self):
        raise RuntimeError("closed")


@needs(NODE_TYPE)
def test_the_keys_of_a_dict_that_cannot_be_iterated_over_are_told():
    answer = asked(lambda x, d: x + ("a" in d), (FOUR, {"a": 1}), (FOUR, Closed(b=1)))
    assert "the keys are ['b']" in [failed.actual for failed in answer.failed(0)]


def test_nothing_is_advised_where_dynamo_is_switched_off(compiled):
    with torch.compiler.set_stance("force_eager"):
        assert not unjit.why(compiled, torch.ones(9), 1, {"a": 1}).data.advice


@refused_before("2.11", "prints too little of some guards, which are asked of torch alone")
def test_settings_of_torch_and_globals(compiled, monkeypatch):
    with torch.no_grad():
        answer = unjit.why(compiled, torch.ones(3), 1, {"a": 1})
    assert answer.outcome == "compiles"
    assert [(f.expected, f.actual) for f in answer.failed(1)] == [("grad_mode=True", "grad_mode=False")]
    monkeypatch.setitem(globals(), "SCALE", 3.0)
    assert failures(unjit.why(compiled, torch.ones(3), 1, {"a": 1}), 1) == {"SCALE": ("2.0", "3.0")}


def test_asking_compiles_nothing_and_counts_nothing(compiled):
    before = unjit.explain(f).to_json()
    for size in (3, 4, 5):
        str(unjit.why(compiled, torch.ones(size), size, {}))
    assert unjit.explain(f).to_json() == before


@needs(NODE_TYPE)
def test_the_guard_that_torch_names_is_among_them(compiled):
    torch._dynamo.utils.guard_failures.clear()
    arguments = (torch.ones(7), 1, {"a": 1})
    answer = unjit.why(compiled, *arguments)
    compiled(*arguments)
    told = torch._dynamo.utils.guard_failures[f.__code__]
    assert any("tensor 'x' size mismatch at index 0. expected 3, actual 7" in text for text in told)
    assert failures(answer, 1) == {"x": ("shape (3,)", "shape (7,)")}


def test_resume_functions_are_not_known_without_running():
    def g(x):
        y = x + 1
        torch._dynamo.graph_break()
        return y * 2

    torch._dynamo.reset()
    compiled = torch.compile(g, backend="eager")
    compiled(torch.ones(3))
    answer = unjit.why(compiled, torch.ones(3))
    assert answer.data.not_known == unjit.explain(compiled).entries[0].data.resume_functions
    assert "Not known without running" in str(answer)


@refused_before("2.13", "has other words for some of it")
def test_what_is_called_at_a_break_is_said_to_be_left_out(nothing_compiled):
    def called(x, by):
        torch._dynamo.graph_break()
        return x * by

    def calls(x, options):
        y = x + 1
        return called(y, options["by"])

    def prints(x, options):
        print("here")
        return x + 1

    options = {"by": 2}
    for function in (calls, prints):
        compiled = torch.compile(function, backend="eager", dynamic=False)
        compiled(torch.ones(3), options)
        answer = unjit.why(compiled, torch.ones(3), options)
        assert answer.outcome == "runs an entry"
        line = function.__code__.co_firstlineno + 2
        told = f"This says nothing of what it calls at test_why.py:{line}, where its graph broke: that may compile by"
        assert (told in str(answer)) is (function is calls)


def test_where_torch_forgot_a_break_it_is_said_that_what_it_calls_is_unknown(nothing_compiled):
    def prints(x):
        print("here")
        return x + 1

    def computes(x):
        return x + 1

    for function, is_told in ((prints, True), (computes, False)):
        compiled = torch.compile(function, backend="eager")
        compiled(torch.ones(3))
        torch._dynamo.utils.clear_compilation_metrics()
        torch._dynamo.utils.graph_break_reasons.clear()
        answer = str(unjit.why(compiled, torch.ones(3)))
        assert ("Whether it calls what may compile by itself is unknown: history lost" in answer) is is_told


def test_of_a_resume_function_without_entries_none_would_run(nothing_compiled):
    def ends(x):
        x = x + 1
        torch._dynamo.graph_break()
        return 3

    compiled = torch.compile(ends, backend="eager")
    compiled(torch.ones(3))
    answer = unjit.why(compiled, torch.ones(3))
    assert (answer.outcome, answer.data.not_known) == ("runs an entry", ())


@refused_before("2.9", "has no setting by which the limit is an error")
def test_at_the_limit():
    def g(x, k):
        return x + k

    torch._dynamo.reset()
    compiled = torch.compile(g, backend="eager", dynamic=False)
    with torch._dynamo.config.patch(cache_size_limit=2):
        for size in (2, 3):
            compiled(torch.ones(size), 1)
        answer = unjit.why(compiled, torch.ones(9), 1)
        assert answer.outcome == "runs uncompiled"
        assert "the limit of 2 is reached" in str(answer)
        assert settings.recompile_limit_name() in " ".join(answer.data.advice)
    with torch._dynamo.config.patch(error_on_recompile=True):
        assert unjit.why(compiled, torch.ones(9), 1).outcome == "raises"
    with torch._dynamo.config.patch(cache_size_limit=2, fail_on_recompile_limit_hit=True):
        assert unjit.why(compiled, torch.ones(9), 1).outcome == "raises"
        with pytest.raises(Exception, match="fail_on_recompile_limit_hit"):
            compiled(torch.ones(9), 1)


@pytest.mark.skipif(not hasattr(torch.compiler, "set_stance"), reason="a newer torch has stances")
def test_a_stance_that_asks_fewer_guards_is_not_guessed():
    def g(x, k=2):
        return x * k

    torch._dynamo.reset()
    compiled = torch.compile(g, backend="eager")
    with torch.compiler.set_stance(skip_guard_eval_unsafe=True):
        assert unjit.why(compiled, torch.ones(3)).outcome == "raises"
        with pytest.raises(RuntimeError, match="skip_guard_eval_unsafe"):
            compiled(torch.ones(3))
    compiled(torch.ones(3))
    with torch.compiler.set_stance(skip_guard_eval_unsafe=True):
        assert compiled(torch.ones(3), 3).tolist() == [2, 2, 2], "the entry for 2 runs"
        answer = unjit.why(compiled, torch.ones(3), 3)
        assert isinstance(answer.outcome, Unknown)
        assert "tell its entries apart" in str(answer)


@refused_before("2.9", "tells guards on tensors as a whole")
def test_tensors_without_sizes_or_strides_and_of_a_class_known_by_its_address():
    class Own(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            return super().__torch_function__(function, types, args, kwargs or {})

    def g(x):
        return x * 2

    torch._dynamo.reset()
    compiled = torch.compile(g, backend="eager")
    compiled(torch.ones(3))
    nested = torch.nested.nested_tensor([torch.ones(2), torch.ones(3)])
    for value, told in ((torch.eye(3).to_sparse_csr(), "stride none"), (nested, "shape none")):
        answer = unjit.why(compiled, value)
        assert answer.outcome == "compiles"
        assert told in str(answer)
    torch._dynamo.reset()
    compiled(torch.ones(3).as_subclass(Own))
    assert unjit.why(compiled, torch.ones(3).as_subclass(Own)).entry == 0
    answer = unjit.why(compiled, torch.ones(3))
    assert answer.outcome == "compiles"
    assert "another class" in str(answer)
    assert "dtype" in str(unjit.why(compiled, torch.ones(3).double().as_subclass(Own)))


def test_before_the_first_call_and_for_a_disabled_function():
    torch._dynamo.reset()
    assert unjit.why(torch.compile(f, backend="eager"), torch.ones(3), 1, {}).outcome == "compiles"
    assert unjit.why(torch.compiler.disable(f), torch.ones(3), 1, {}).outcome == "runs uncompiled"
    assert "the original runs it as written" in str(unjit.why(f, torch.ones(3), 1, {}))


def test_modules_and_relations_of_sizes():
    class Net(torch.nn.Module):
        def forward(self, a, b):
            return a + b

    torch._dynamo.reset()
    net = Net()
    compiled = torch.compile(net, backend="eager", dynamic=True)
    compiled(torch.ones(3), torch.ones(3))
    assert unjit.why(compiled, torch.ones(5), torch.ones(5)).entry == 0
    answer = unjit.why(compiled, torch.ones(5), torch.ones(6))
    assert any("a.size()[0] is 5" in failed.actual for failed in answer.failed(0))
    same = torch.ones(5)
    assert [failed.kind for failed in unjit.why(compiled, same, same).failed(0)] == ["NO_TENSOR_ALIASING"]


def test_the_answer_is_data(compiled):
    data = unjit.why(compiled, torch.ones(4), 1, {}).data.to_dict()
    assert json.loads(json.dumps(data))["outcome"] == "compiles"


def test_arguments_that_do_not_fit(compiled):
    with pytest.raises(BadCall, match="missing a required argument: 'options'"):
        unjit.why(compiled, torch.ones(3), 1)


def test_a_module_of_torch_is_asked_at_the_wrapper_that_has_its_entries():
    torch._dynamo.reset()
    net = torch.compile(torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU()), backend="eager")
    assert unjit.why(net, torch.ones(1, 2)).outcome == "compiles"
    net(torch.ones(1, 2))
    answer = unjit.why(net, torch.ones(1, 2))
    assert (answer.outcome, answer.entry) == ("runs an entry", 0)
    assert str(answer).startswith("Sequential.forward: It would run entry 0/0.")
    other = unjit.why(net, torch.ones(1, 2).double())
    assert other.outcome == "compiles"
    told = failures(other, 0)
    assert told.keys() == {"input"}
    if not lacking(NODE_TYPE):
        assert told["input"] == ("dtype torch.float32", "dtype torch.float64")


class Adds:
    def __call__(self, x):
        return x + 1


@refused_before("2.9", "has another wrapper for a partial")
def test_a_class_is_expected_by_its_name_where_torch_prints_a_hint_after_it():
    torch.compile(Adds(), backend="eager")(torch.ones(1))
    called = unjit.why(torch.compile(functools.partial(torch.add, other=1), backend="eager"), torch.ones(1))
    assert f"fn: expected {Adds.__module__}.Adds, actual functools.partial" in str(called)


@needs(NODE_TYPE)
def test_a_tensor_of_inference_mode_differs_by_its_dispatch_keys():
    torch._dynamo.reset()
    function = torch.compile(lambda x: x + 1, backend="eager")
    function(torch.ones(3))
    with torch.inference_mode():
        made = torch.ones(3)
    assert failures(unjit.why(function, made), 0) == {
        "x": (
            "dispatch keys CPU, BackendSelect, ADInplaceOrView, AutogradCPU",
            "dispatch keys CPU, BackendSelect, ADInplaceOrView",
        )
    }


def doubled(x):
    return x * 2


class Scales:
    def __call__(self, x):
        return x * 2


@pytest.mark.parametrize(
    ("target", "name"),
    [
        (functools.partial(f, k=2, options={}), "f"),
        (Scales(), "Scales.__call__"),
        (torch.no_grad()(doubled), "doubled"),
        (torch.nn.Linear(3, 3), "Linear.forward"),
    ],
)
def test_what_torch_puts_a_wrapper_around_goes_by_its_own_name(nothing_compiled, target, name):
    compiled = torch.compile(target, backend="eager")
    compiled(torch.ones(3))
    has_bare_name = name == "Scales.__call__" and sys.version_info < (3, 11)  # there code has no other
    told = "__call__" if has_bare_name else name
    assert str(unjit.why(compiled, torch.ones(3))).startswith(f"{told}: It would run entry")


class Doubles(torch.nn.Module):
    def forward(self, x):
        return x * 2


@pytest.mark.parametrize(
    "compile_it",
    [lambda net: torch.compile(net, backend="eager"), lambda net: net.compile(backend="eager") or net],
    ids=["apart", "in place"],
)
def test_hooks_that_run_ahead_of_a_forward_may_change_what_it_gets(nothing_compiled, compile_it):
    net = Doubles()
    net.register_forward_pre_hook(lambda _module, args: (args[0].double(),))
    compiled = compile_it(net)
    compiled(torch.ones(3))
    answer = str(unjit.why(compiled, torch.ones(3)))  # the forward gets another type, which no answer can know
    assert "A hook runs ahead of its forward: this holds where it leaves arguments and module as they are" in answer


@pytest.mark.parametrize("own", [0, 1])
def test_hooks_of_all_modules_run_ahead_of_a_forward_as_well(nothing_compiled, own):
    net = Doubles()
    compiled = torch.compile(net, backend="eager")
    compiled(torch.ones(3))
    for _ in range(own):
        net.register_forward_pre_hook(lambda _module, _args: None)
    handle = torch.nn.modules.module.register_module_forward_pre_hook(lambda _module, args: (args[0].double(),))
    try:
        answer = str(unjit.why(compiled, torch.ones(3)))
    finally:
        handle.remove()
    assert ("A hook runs", "2 hooks run")[own] in answer


def test_hooks_that_are_compiled_together_with_a_forward_are_no_doubt(nothing_compiled):
    net = torch.nn.Linear(3, 3)
    net.register_forward_pre_hook(lambda _module, args: (args[0] + 1,))
    compiled = torch.compile(net, backend="eager")
    compiled(torch.ones(3))
    assert "hook" not in str(unjit.why(compiled, torch.ones(3)))


def test_functorch_transforms_that_are_active_in_words(nothing_compiled):
    compiled = torch.compile(lambda x: x.sin(), backend="eager")
    compiled(FOUR)
    torch.func.vmap(compiled, randomness="same")(torch.ones(2, 4))
    within, without = unjit.explain(compiled).entries
    assert "if not functorch_transforms_are(('Vmap', 1, 'same')): return False" in within.guards.source
    assert "transform" not in without.guards.source.partition("def guards")[2].partition("may run")[2]  # not asked for
    told = "vmap at level 1 (randomness: same)"
    failed = failures(unjit.why(compiled, FOUR), 0)
    assert failed["torch"] == (f"functorch transforms {told}", "functorch transforms none")


@refused_before("2.9", "has no guard on them by itself")
def test_hooks_on_saved_tensors_are_told_where_others_are_asked_for(nothing_compiled):
    compiled = torch.compile(lambda x: x.sin(), backend="eager")
    compiled(FOUR)
    pack, unpack = (torch.fx.symbolic_trace(lambda x: x) for _ in range(2))
    with torch.autograd.graph.saved_tensors_hooks(pack, unpack):
        failed = failures(unjit.why(compiled, FOUR), 0)
    told = f"hooks on saved tensors those at {id(pack):#x} and at {id(unpack):#x}"
    assert failed["torch"] == ("hooks on saved tensors None", told)


def test_relations_of_sizes_of_an_array_are_told_by_the_tensor_that_dynamo_makes_of_it(nothing_compiled):
    def nearest(x, means):
        return np.argmin(np.linalg.norm(x[:, None, :] - means[None], axis=2), axis=1)

    compiled = torch.compile(nearest, backend="eager")
    points = np.arange(12.0).reshape(4, 3)
    compiled(points, points[:2])
    compiled(points[::2], points[:2])  # strides of which torch makes symbols
    answer = unjit.why(compiled, points[:1], points[:2])
    assert [one.actual for one in answer.failed(0)] == ["torch.as_tensor(x).size()[0] is 1"]
    assert "for a size of 0 or 1: pad x, or accept" in str(answer)


def test_what_stands_for_a_number_is_not_compared_as_one(nothing_compiled, recwarn):
    """To ask a tensor whether it is NaN makes torch warn, once in a process: the program's own call would not."""
    compiled = torch.compile(lambda x, by: x * by, backend="eager")
    for by in (2.0, 3.0):
        compiled(torch.ones(2), by)
    answer = unjit.why(compiled, torch.ones(2), torch.ones(1, requires_grad=True))
    assert [one.actual for one in answer.failed(0)] == ["torch.Tensor"]
    assert [one for one in recwarn if "scalar" in str(one.message)] == []


class Counted(dict):
    def __len__(self):
        return 99


@refused_before("2.9", "asks for the keys before the class")
def test_what_has_no_length_is_told_as_it_is(nothing_compiled):
    """An int of 2 in the place of two items was told to be two items."""

    def first(x, items):
        return x * items[0]

    def each(x, table):
        for key in table:
            x = x + table[key]
        return x

    x = torch.ones(2)
    torch.compile(first, backend="eager")(x, [3, 4])
    torch.compile(each, backend="eager")(x, {"a": 1})
    lengths = [unjit.why(first, x, given).failed(0)[-1] for given in (2, [3])]
    assert [(str(one.expected), str(one.actual)) for one in lengths] == [("2 items", "2"), ("2 items", "1 item")]
    dicts = [unjit.why(each, x, given).failed(0)[0] for given in (2, None, {}, Counted(a=1))]
    assert [str(one.actual).rpartition(".")[2] for one in dicts] == ["int", "NoneType", "dict of 0", "Counted of 1"]


class Whole(int):
    pass


class Sequence(list):
    pass


def plus_next(x, given):
    return x + next(given)


def plus_all(x, given):
    for one in given:
        x = x + one
    return x


def plus(x, given):
    return x + given


def plus_first(x, given):
    return x + given[0]


@refused_before("2.13", "lets some of these pass")
@pytest.mark.parametrize(
    ("function", "first", "second", "told"),
    [
        (plus_all, iter((1, 2)), iter((1, 2, 3)), ("given", "2 left", "3 left")),
        (plus_all, iter((1, 2)), [1], ("given", "2 left", "[1]")),
        (plus_next, iter(range(3)), iter(range(1, 3)), ("given", "(0, 3, 1)", "(1, 3, 1)")),
        (plus_next, itertools.count(1), itertools.count(2, 3), ("given", "(1, 1)", "(2, 3)")),
        (plus_all, iter((1, 2)), iter((3, 2)), ("tuple(given)[0]", "1", "3")),
        (plus, Whole(3), Whole(4), ("given", "3", "4")),
        (plus_first, Sequence([3]), Sequence([4]), ("given[0]", "3", "4")),
    ],
)
def test_both_sides_are_told_of_iterators_and_of_subclasses(nothing_compiled, function, first, second, told):
    """"a tuple_iterator" stood beside "2 left", "it does not hold" beside 3, and names of torch's for the user's."""
    torch.compile(function, backend="eager", dynamic=False)(torch.ones(2), first)
    failed = unjit.why(function, torch.ones(2), second).failed(0)[0]
    assert (str(failed.subject), str(failed.expected), str(failed.actual)) == told
    assert "___" not in " ".join(str(one.condition) for one in unjit.explain(function).entries[0].guards)


def test_parts_of_modules_with_any_name_are_told_as_they_are_written(nothing_compiled):
    class Named(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.parts = torch.nn.ModuleDict({"a b": torch.nn.Linear(2, 2), "it's": torch.nn.Linear(2, 2)})

        def forward(self, x):
            for part in self.parts.values():
                x = part(x)
            return x

    torch.compile(Named(), backend="eager")(torch.ones(1, 2))
    told = {str(guard.subject) for guard in unjit.explain(Named).entries[0].guards}
    assert {"self.parts['a b'].weight", "self.parts[\"it's\"].weight"} <= told


class Plain(TorchFunctionMode):
    def __torch_function__(self, func, types, args=(), kwargs=None):
        return func(*args, **(kwargs or {}))


def test_modes_are_told_by_one_name_on_both_sides(nothing_compiled):
    compiled = torch.compile(plus, backend="eager", dynamic=False)
    with Plain():
        compiled(torch.ones(2), 1)
    failed = unjit.why(compiled, torch.ones(2), 1).failed(0)[0]
    name = f"{Plain.__module__}.Plain"
    assert (failed.expected, failed.actual) == (f"torch function modes {name}", "torch function modes none")


@refused_before("2.9", "asks for the keys before the class")
def test_what_is_of_another_class_than_a_dict_is_not_advised_to_have_its_keys(nothing_compiled):
    torch.compile(plus_all, backend="eager", dynamic=False)(torch.ones(2), {1: 2})
    for given in (collections.OrderedDict({1: 2}), 3):
        advice = unjit.why(plus_all, torch.ones(2), given).data.advice
        assert [str(one)[:33] for one in advice] == ["Pass given with the same class in"]
