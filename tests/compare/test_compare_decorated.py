"""`unjit.compare` of what is compiled already and stands in something: methods, caches, decorators."""

from __future__ import annotations

import functools

import pytest
import torch

import unjit
from unjit.api.compare import compare_on
from unjit.comparison.runs.running import BACKENDS

compiled = torch.compile(backend="eager")
pytestmark = pytest.mark.usefixtures("nothing_compiled")


def doubled(function):
    @functools.wraps(function)
    def wrapper(*args):
        return function(*args) * 2

    return wrapper


class Scale:
    by = 3.0

    @compiled
    def of_object(self, x):
        return x * self.by

    @classmethod
    @compiled
    def of_class(cls, x):
        return x * cls.by

    @functools.lru_cache  # noqa: B019 (what is tested)
    @compiled
    def kept(self, count):
        return torch.ones(count) * self.by

    @doubled
    @doubled
    @compiled
    def decorated(self, x):
        return x * self.by


@functools.lru_cache
@compiled
def ones(count):
    return torch.ones(count) * 2


@torch.no_grad()
@compiled
def without_gradients(x):
    return x * 2


class Calling:
    def __init__(self, function):
        functools.update_wrapper(self, function)
        self.function = function

    def __call__(self, x):
        return self.function(x) * 2


TARGETS = {
    "method": (Scale().of_object, torch.ones(2)),
    "class method": (Scale.of_class, torch.ones(2)),
    "cached function": (ones, 2),
    "cached method": (Scale().kept, 2),
    "decorated twice": (Scale().decorated, torch.ones(2)),
    "no_grad": (without_gradients, torch.ones(2, requires_grad=True)),
    "object": (Calling(torch.compile(torch.sin, backend="eager")), torch.ones(2)),
    "single dispatch": (functools.singledispatch(compiled(torch.cos)), torch.ones(2)),
}


def wrong(graph, _inputs):
    return lambda *inputs: tuple(result + 1 for result in graph(*inputs))


@pytest.mark.parametrize("name", TARGETS)
def test_it_is_compared_and_a_wrong_backend_is_seen(name, monkeypatch):
    function, argument = TARGETS[name]
    backends = {"eager": lambda graph, _inputs: graph.forward, "wrong": wrong}
    monkeypatch.setattr("unjit.comparison.runs.running.compiler_of", backends.__getitem__)
    found = compare_on(["eager", "wrong"], function, (argument,), {})
    assert [(trial.outcome, trial.graphs) for trial in found.data.trials] == [("same", 1), ("differs", 1)], str(found)


def test_a_cache_is_neither_asked_nor_filled():
    ones.cache_clear()
    before = ones(3)
    assert compare_on(["eager"], ones, (3,), {}).data.trials[0].graphs == 1
    assert compare_on(["eager"], ones, (4,), {}).data.trials[0].graphs == 1
    assert ones.cache_info().currsize == 1
    assert ones(3) is before


class OnItsOwn:
    @doubled
    @doubled
    @torch.compile(backend=wrong)
    def decorated(self, x):
        return x * 3


@pytest.mark.parametrize(
    "function",
    [
        OnItsOwn().decorated,
        torch.no_grad()(torch.compile(torch.sin, backend=wrong)),
        Calling(torch.compile(torch.sin, backend=wrong)),
        functools.singledispatch(torch.compile(torch.sin, backend=wrong)),
    ],
)
def test_a_decorated_function_is_compared_on_the_programs_own_backend(function, monkeypatch):
    backends = {name: lambda graph, _inputs: graph.forward for name in BACKENDS}
    monkeypatch.setattr("unjit.comparison.runs.running.compiler_of", backends.__getitem__)
    found = unjit.compare(function, torch.ones(2)).data
    assert [trial.outcome for trial in found.trials] == ["same", "same", "same", "differs"]
    assert str(found.first.backend) == "wrong (the program's own)"


@compiled
class Halved(torch.nn.Module):
    def forward(self, x):
        return x / 2


@compiled
class Quartered:
    def __call__(self, x):
        return x / 4


@pytest.mark.parametrize("made", [Halved, Quartered])
def test_an_object_of_a_class_that_is_compiled_is_compared(made):
    made = made()
    made(torch.ones(2))
    [trial] = compare_on(["eager"], made, (torch.ones(2),), {}).data.trials
    assert (trial.outcome, trial.graphs) == ("same", 1)
