"""What can be asked about, and one clear sentence for what cannot."""

from __future__ import annotations

import functools
import inspect
import sys

import pytest
import torch
import torch._dynamo

import unjit
from needs import lacking, refused_before, since
from of_file import of_file
from unjit.errors import BadTarget
from unjit.observe.functions.names import identifier_of_name
from unjit.observe.functions.sources import listing
from unjit.torch_private.cache import targets
from unjit.torch_private.probes.cache_probes import PRECOMPILE_ENTRIES
from unjit.torch_private.probes.guard_probes import NODE_TYPE

pytestmark = pytest.mark.usefixtures("nothing_compiled")


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.fc = torch.nn.Linear(3, 3)

    def forward(self, x):
        return self.fc(x).relu()

    def other(self, x):
        return self.fc(x) + 1


class Callable:
    def __call__(self, x):
        return x + 1


def ids(explanation):
    return [str(entry.compile_id) for entry in explanation.entries]


def test_a_module_in_all_its_forms():
    net = Net()
    compiled = torch.compile(net, backend="eager")
    compiled(torch.ones(2, 3))
    answers = [unjit.explain(target) for target in (net, compiled, net.forward, Net.forward, Net)]
    assert [ids(answer) for answer in answers] == [["0/0"]] * len(answers)
    module, *others = (answer.report for answer in answers[:3])
    of_class, *more = (answer.report for answer in answers[3:])
    assert {module, *others} == {module}
    assert {of_class, *more} == {of_class}, "which says of no entry that it can run for one module"
    assert "module (" in str(answers[0]) or lacking(NODE_TYPE)
    bare = unjit.explain(Net.forward.__code__)
    assert ids(bare) == ["0/0"]
    assert bare.report == of_class or sys.version_info < (3, 11)  # there code has no qualified name


def test_a_module_compiled_in_place():
    net = Net()
    net.compile(backend="eager")
    net(torch.ones(2, 3))
    assert ids(unjit.explain(net)) == ["0/0"]


@pytest.mark.parametrize("name", ["__call__", "_call_impl"])
def test_the_method_by_which_a_module_is_called(name):
    """Dynamo begins at the forward that it calls, after the hooks."""
    net, x = Net(), torch.ones(2, 3)
    net.register_forward_pre_hook(lambda module, args: None)
    compiled = torch.compile(getattr(net, name), backend="eager")
    assert unjit.why(compiled, x).outcome == "compiles"
    compiled(x)
    explained = unjit.explain(compiled)
    assert (explained.report.roots, len(explained.entries)) == (("Net_forward",), 1)
    answer = unjit.why(compiled, x)
    assert answer.outcome == "runs an entry"
    assert "A hook runs ahead of its forward" in answer.data.detail
    assert explained.entries[0].check(x)


def test_a_bound_method():
    net = Net()
    compiled = torch.compile(net.other, backend="eager")
    compiled(torch.ones(2, 3))
    assert ids(unjit.explain(compiled)) == ids(unjit.explain(net.other)) == ids(unjit.explain(Net.other)) == ["0/0"]


def test_a_module_of_torch_is_entered_through_a_helper():
    linear = torch.nn.Linear(3, 3)
    compiled = torch.compile(linear, backend="eager")
    compiled(torch.ones(2, 3))
    explanation = unjit.explain(compiled)
    text = str(explanation)
    assert "never begins a compile at it" in text
    assert "See inner below, which calls it. All that torch wraps share it" in text
    assert "inner is a function optimised by Dynamo" in text
    assert repr(explanation) == "<unjit.Explanation of Linear_forward, inner: 1 cache entry, 2 functions>"
    assert explanation.entries[0].check(torch.ones(2, 3))
    assert not explanation.entries[0].check(torch.ones(2, 3, dtype=torch.int64))


def assert_debugged(target):
    """What was compiled before the block can be stepped through in it, where this torch lets entries be put in."""
    if not lacking(PRECOMPILE_ENTRIES):
        with unjit.debug(target, quiet=True) as session:
            assert session.stops


def test_a_module_of_torch_leads_to_what_was_compiled_of_it():
    linear, other, x = torch.nn.Linear(3, 3), torch.nn.Linear(3, 3), torch.ones(2, 3)
    compiled = torch.compile(linear, backend="eager")
    compiled(x)
    assert str(unjit.explain(linear)) == str(unjit.explain(compiled))
    assert unjit.explain(linear).entries[0].run(x).equal(linear(x))
    assert unjit.why(linear, x).outcome == "runs an entry"
    assert unjit.explain(other).entries == []
    assert "Explain the function that calls it." in str(unjit.explain(other))
    assert_debugged(linear)


def test_a_function_that_torch_decorated_leads_to_what_was_compiled_of_it():
    @torch.no_grad()
    def step(x):
        return x + 1

    @torch.no_grad()
    def other(x):
        return x + 2

    compiled, x = torch.compile(step, backend="eager"), torch.ones(3)
    compiled(x)
    assert str(unjit.explain(step)) == str(unjit.explain(compiled))
    told = unjit.why(step, x)
    assert told.outcome == "runs an entry"
    assert "a call of the original runs it as written" in str(told)
    assert unjit.explain(other).entries == []
    assert_debugged(step)


def test_a_decorator_of_torchs_around_what_was_compiled_leads_there():
    @torch.no_grad()
    @torch.compile(backend="eager")
    def step(x):
        return x + 1

    x = torch.ones(3)
    step(x)
    assert len(unjit.explain(step).entries) == 1
    with torch.no_grad():
        assert unjit.why(step, x).outcome == "runs an entry"


class Raises(dict):
    """A register of the program's own, which runs code when it is asked."""

    def get(self, key, default=None):
        raise AssertionError(f"asked for {key}")


class Pretends(Raises):
    @property
    def __class__(self):
        raise AssertionError("asked for its class")


@pytest.mark.parametrize("kind", [Raises, Pretends])
def test_what_holds_a_target_of_torchs_own_is_not_asked(kind):
    step, linear, x = torch.no_grad()(lambda x: x + 1), torch.nn.Linear(3, 3), torch.ones(3)
    kept = [torch.compile(what, backend="eager") for what in (step, linear)]
    for compiled in kept:
        compiled(x)
    held = kind(first=linear, second=step, __wrapped__=step, _orig_mod=linear)
    assert len(unjit.explain(linear).entries) == len(unjit.explain(step).entries) == 2
    assert len(held) == 4


def test_all_that_is_alive_is_looked_through_only_where_nothing_else_leads_to_what_was_compiled(monkeypatch):
    linear, x = torch.nn.Linear(3, 3), torch.ones(3)
    asked = [torch.compile(what, backend="eager") for what in (linear, torch.no_grad()(lambda x: x + 1), Net())]
    looked = []
    monkeypatch.setattr(targets.gc, "get_referrers", lambda *whats: looked.append(whats) or [])
    for compiled in asked:
        compiled(x)
        assert unjit.explain(compiled).functions
        assert unjit.why(compiled, x).outcome == "runs an entry"
    assert looked == []
    unjit.explain(linear)
    assert looked


def test_modules_that_share_a_helper_are_told_apart_when_their_entries_are_asked():
    first, second = (torch.compile(torch.nn.Linear(3, n), backend="eager") for n in (3, 4))
    x = torch.ones(2, 3)
    first(x), second(x)
    for module in (first, second):
        ours = [entry for entry in unjit.explain(module).entries if entry.check(x)]
        assert [entry.run(x).shape for entry in ours] == [module(x).shape]


def test_partials_callables_and_copies():
    def f(x, k):
        return x * k

    @functools.wraps(f)
    def copy(*args):
        return f(*args)

    torch.compile(f, backend="eager")(torch.ones(2), 3)
    assert ids(unjit.explain(functools.partial(f, k=3))) == ["0/0"]
    assert ids(unjit.explain(functools.wraps(torch.compile(f))(copy))) == ["0/0"]
    call = Callable()
    torch.compile(call.__call__, backend="eager")(torch.ones(2))
    assert len(unjit.explain(call).entries) == 1


def test_the_source_of_code_that_was_given_another_name():
    """As kornia does for each class that inherits a forward, so that Dynamo counts their entries apart."""
    code = Net.forward.__code__.replace(co_name="Child.forward")
    found = listing(code)
    assert found.text == inspect.getsource(Net.forward).rstrip("\n")
    (reason,) = {listing(code.replace(co_name=name)).reason for name in ("other", "Net.other")}
    assert reason.endswith("has changed since the function was made, or its code was renamed")


def test_a_name_that_is_no_identifier():
    torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
    (function,) = of_file(unjit.explain(), __file__)
    assert function.name == "lambda_"


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("_GeneratorContextManagerBase.__init__", "GeneratorContextManagerBase_init"),
        ("__call__", "call"),
        ("Net._step", "Net__step"),
        ("a__b__c", "a__b__c"),
        ("_", "_"),  # as people call what they register for a type
        ("torch_dynamo_resume_in___init___at_5", "init_resumes_at_5"),
    ],
)
def test_a_name_between_underscores_is_read_without_them(name, word):
    assert identifier_of_name(name) == word


def test_an_object_that_refuses_to_be_true_or_false():
    class Odd:
        def __bool__(self):
            raise RuntimeError("no truth value")

        def __len__(self):
            raise RuntimeError("no length")

        def __call__(self, x):
            return x + 1

    assert unjit.explain(Odd()).entries == []


@pytest.mark.parametrize(
    "target", [len, 3, None, "f", torch.relu, int, [], object()], ids=lambda target: type(target).__name__
)
def test_what_has_no_python_code_is_refused_in_one_sentence(target):
    with pytest.raises(BadTarget) as caught:
        unjit.explain(target)
    assert len(str(caught.value).splitlines()) == 1
    assert isinstance(caught.value, unjit.UnjitError)


@pytest.mark.parametrize("ask", [unjit.explain, unjit.why, unjit.getsource, unjit.wrap, unjit.debug])
def test_what_only_comes_from_where_modules_do_is_no_module(ask):
    found = torch.nn.Linear(2, 2).load_state_dict(torch.nn.Linear(2, 2).state_dict())
    with pytest.raises(unjit.UnjitError):
        ask(found)


class Scaled:
    factor = 3

    def __call__(self, x):
        return x * self.factor


class Doubling:
    @torch.compile(backend="eager")
    def __call__(self, x):
        return x * 2

    @property
    @torch.compile(backend="eager")
    def two(self):
        return torch.ones(3) * 2

    @functools.cached_property
    @torch.compile(backend="eager")
    def once(self):
        return torch.ones(3)


@pytest.mark.parametrize("target", [Scaled(), functools.partial(lambda x, k: x * k, k=3)])
def test_an_object_that_was_compiled_answers_as_what_was_returned_for_it(nothing_compiled, target):
    compiled = torch.compile(target, backend="eager")
    compiled(torch.ones(3))
    assert len(unjit.explain(target).entries) == len(unjit.explain(compiled).entries) == 1
    assert unjit.why(target, torch.ones(3)).outcome == "runs an entry"


def test_another_object_of_the_class_is_not_what_was_compiled(nothing_compiled):
    torch.compile(Scaled(), backend="eager")(torch.ones(3))
    assert not unjit.explain(Scaled()).entries
    assert unjit.why(Scaled(), torch.ones(3)).outcome == "compiles"


def test_a_call_that_leads_to_a_compiled_function_is_no_call_of_the_original(nothing_compiled):
    compiled = torch.compile(lambda x: x + 1, backend="eager")
    for target in (functools.partial(functools.partial(compiled)), Doubling()):
        target(torch.ones(3))
        assert "a call of the original runs it as written" not in str(unjit.why(target, torch.ones(3)))


def test_what_a_property_computes(nothing_compiled):
    made = Doubling()
    assert made.two.sum() + made.once.sum() == 9
    assert len(unjit.explain(Doubling.two).entries) == len(unjit.explain(vars(Doubling)["once"]).entries) == 1


def numbered(number, graph, _inputs, other=None):
    return graph.forward


class Calling:
    def __call__(self, graph, _inputs):
        return graph.forward

    def method(self, graph, _inputs):
        return graph.forward


@refused_before("2.10", "does not keep which backend an entry is of")
@pytest.mark.parametrize(
    ("backend", "name"),
    [
        (functools.partial(numbered, 2, other=object()), "partial of numbered"),
        (functools.partial(lambda number, graph, _inputs: graph.forward, 2), "partial of <lambda>"),
        (functools.partial(Calling()), "partial of Calling"),
        (functools.partial(Calling().method), "partial of method"),
        (Calling(), "Calling"),
        (Calling().method, "method"),
    ],
)
def test_a_backend_without_a_name_is_called_the_same_in_each_run(nothing_compiled, backend, name):
    function = lambda x: x * 2  # noqa: E731
    torch.compile(function, backend="eager")(torch.ones(2))
    torch.compile(function, backend=backend)(torch.ones(2))
    explanation = unjit.explain(function)
    assert [entry.backend for entry in explanation.entries] == [name, "eager"]
    named = f"it was compiled for the backend eager, and the call was for {name}"
    assert (named if since("2.13") else "did not fit: it was compiled for another backend") in str(explanation)


class OfParts(torch.nn.Module):
    def __init__(self, *parts):
        super().__init__()
        self.first, self.second = parts

    def forward(self, x):
        return self.second(self.first(x))


def test_the_compiled_parts_of_a_module_that_is_not_compiled_itself():
    """All that torch wraps share one code object: whose an entry of it is cannot be told, but who to ask can."""
    whole = OfParts(torch.compile(torch.nn.Linear(3, 3), backend="eager"), torch.nn.Linear(3, 3))
    whole(torch.ones(2, 3))
    said = str(unjit.explain(whole))
    assert "compiled by themselves: first. Explain each: module.first." in said
    assert len(unjit.explain(whole.first).entries) == 1
    plain = OfParts(torch.nn.Linear(3, 3), torch.nn.Linear(3, 3))
    assert "compiled by themselves" not in str(unjit.explain(plain))
    assert "compiled by themselves" not in str(unjit.explain(torch.compile(whole, backend="eager")))
