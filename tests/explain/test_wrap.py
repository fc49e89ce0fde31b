"""`unjit.wrap`: acts like the compiled function and says what it is."""

from __future__ import annotations

import copy
import inspect
import pickle
import re

import pytest
import torch
import torch._dynamo

import unjit

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def branch(x):
    """Doubles or halves."""
    return x * 2 if x.sum() > 0 else x / 2


def test_repr_says_what_it_is():
    wrapped = unjit.wrap(branch, backend="eager")
    assert repr(wrapped) == "<branch, compiled: no cache entries yet>"
    assert torch.equal(wrapped(torch.ones(3)), torch.full((3,), 2.0))
    said = "<branch, optimised by Dynamo: backend (eager|unknown .*), 1 cache entry, 2 graphs, last break: Data"
    assert re.match(said, repr(wrapped))
    assert f"{__file__}:{branch.__code__.co_firstlineno + 2}>" in repr(wrapped)


class _Silent(Exception):
    """An error of a program that cannot even say what it is."""

    def __str__(self):
        raise RuntimeError("no words")


class Locked:
    """An object that can be made to refuse every look at it."""

    locked = False

    def __call__(self, x):
        return x + 1

    def __getattribute__(self, name):
        if Locked.locked:
            raise _Silent
        return object.__getattribute__(self, name)


def test_the_repr_of_an_object_that_refuses_to_be_looked_at_raises_nothing(monkeypatch):
    wrapped = unjit.wrap(Locked(), backend="eager")
    monkeypatch.setattr(Locked, "locked", True)
    told = repr(wrapped)
    monkeypatch.undo()
    assert re.fullmatch(r"<compiled \w+ \(not read: _Silent\)>", told)


def test_attributes_pass_through():
    compiled = torch.compile(branch, backend="eager")
    wrapped = unjit.wrap(compiled)
    assert (wrapped.__name__, wrapped.__doc__, wrapped.__module__) == ("branch", "Doubles or halves.", __name__)
    assert inspect.signature(wrapped) == inspect.signature(branch)
    wrapped.mark = 1
    assert compiled.mark == 1
    del wrapped.mark
    assert not hasattr(compiled, "mark")
    assert "get_compiler_config" in dir(wrapped)
    assert wrapped.__wrapped__ is compiled


def test_modules_and_their_parameters():
    net = torch.nn.Sequential(torch.nn.Linear(2, 2))
    wrapped = unjit.wrap(net, backend="eager")
    assert list(wrapped.parameters()) == list(net.parameters())
    assert torch.equal(wrapped(torch.ones(1, 2)), net(torch.ones(1, 2)))
    assert repr(wrapped).startswith("<Sequential.forward")


def test_a_method_bound_from_a_compiled_function():
    class Scaled:
        factor = 2

        @torch.compile(backend="eager")
        def times(self, x):
            return x * self.factor

    wrapped = unjit.wrap(Scaled().times)
    assert torch.equal(wrapped(torch.ones(2)), torch.full((2,), 2.0))
    assert "1 cache entry" in repr(wrapped)
    assert "a call of the original" not in str(unjit.why(Scaled().times, torch.ones(2)))


def test_as_decorator_and_as_method():
    class Holder:
        factor = 3

        @unjit.wrap(backend="eager")
        def times(self, x):
            return x * self.factor

    assert torch.equal(Holder().times(torch.ones(2)), torch.full((2,), 3.0))


def test_explain_sees_through_it():
    wrapped = unjit.wrap(branch, backend="eager")
    wrapped(torch.ones(2))
    assert unjit.explain(wrapped).report == unjit.explain(branch).report


def test_what_cannot_be_wrapped():
    with pytest.raises(unjit.UnjitError, match="not written in Python"):
        unjit.wrap(len)
    with pytest.raises(unjit.UnjitError, match="compiled already, so backend would have no effect"):
        unjit.wrap(torch.compile(branch), backend="eager")


def test_a_copy_of_a_wrapped_module_has_weights_of_its_own():
    model = unjit.wrap(torch.nn.Linear(2, 2), backend="eager")
    average = copy.deepcopy(model)
    assert torch.equal(average(torch.ones(1, 2)), model(torch.ones(1, 2)))
    with torch.no_grad():
        average.weight.zero_()
    assert model.weight.abs().sum() > 0
    assert "compiled" in repr(average) or "optimised" in repr(average)
    again = pickle.loads(pickle.dumps(model))
    assert torch.equal(again.weight, model.weight)
    assert type(copy.copy(model)) is type(model)


def test_a_module_with_parts_has_their_number(nothing_compiled):
    parts = torch.nn.Sequential(torch.nn.Linear(2, 2), torch.nn.ReLU())
    if not hasattr(type(torch.compile(parts)), "__len__"):
        pytest.skip("refused: what torch.compile returns has no length here")
    assert len(unjit.wrap(parts, backend="eager")) == len(torch.compile(parts, backend="eager")) == 2
    assert unjit.wrap(lambda x: x + 1, backend="eager")
    with pytest.raises(TypeError, match="has no len"):
        len(unjit.wrap(lambda x: x + 1, backend="eager"))


def test_it_is_seen_through_wherever_something_is_asked_about_it(nothing_compiled):
    """Wrapped once more it was compiled a second time, by another backend; and why() spoke of the original."""
    wrapped = unjit.wrap(branch, backend="eager")
    assert unjit.wrap(wrapped) is wrapped
    with pytest.raises(unjit.UnjitError, match="compiled already"):
        unjit.wrap(wrapped, backend="inductor")
    wrapped(torch.ones(3))
    told = str(unjit.why(wrapped, torch.ones(3)))
    assert told.startswith("branch: It would run entry 0/0.\n")
    assert unjit.getsource(wrapped).startswith("# entry 0\n")


def test_a_condition_that_calls_it_is_refused_as_torch_would_wait_for_ever(nothing_compiled, monkeypatch):
    monkeypatch.setitem(globals(), "wrapped", unjit.wrap(branch, backend="eager"))
    globals()["wrapped"](torch.ones(3))
    with pytest.raises(unjit.UnjitError, match="would call wrapped, among whose entries"):
        unjit.explain(branch).entries[0].copy(guards="wrapped(x)")


def test_a_module_without_a_length_is_compiled_as_a_part_of_another(nothing_compiled):
    """torch asks what it compiles whether it is true, and makes that ask this module for its length."""

    class Double(torch.nn.Module):
        def forward(self, x):
            return x * 2

    outer = torch.compile(unjit.wrap(Double(), backend="eager"), backend="eager")
    assert outer(torch.ones(1)).item() == 2
