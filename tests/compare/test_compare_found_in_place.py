"""`unjit.compare` of tensors that a function holds: what it writes into a cache in a global is part of it."""

from __future__ import annotations

import pytest
import torch

import unjit
from unjit.api.compare import compare_on

pytestmark = pytest.mark.usefixtures("nothing_compiled")
X = torch.ones(4)
CACHE = torch.zeros(4)
WEIGHT = torch.ones(4, requires_grad=True)


class Store:
    def __init__(self):
        self.pages = {"first": torch.zeros(4)}

    def keep(self, x):
        self.pages["first"].add_(x * factor())
        return x + 1


STORE = Store()


class Net(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.inner = torch.nn.Linear(4, 4)
        self.seen = torch.zeros(4)  # neither a parameter nor a buffer

    def forward(self, x):
        self.seen.add_(x * factor())
        return self.inner(x)


def factor():
    """Something that Dynamo captures otherwise than it runs in eager."""
    return 1.0 if torch.compiler.is_compiling() else 2.0


def into_a_global(x):
    CACHE.add_(x * factor())
    return x + 1


def into_an_object(x):
    STORE.pages["first"].add_(x * factor())
    return x + 1


def with_a_gradient(x):
    return (WEIGHT * (x * factor()).detach()).sum() * 0 + (WEIGHT.detach() * x).sum() + WEIGHT.sum() * factor()


def closing_over():
    rows = [torch.zeros(4)]

    def into_a_closure(x):
        rows[0].add_(x * factor())
        return x + 1

    return into_a_closure


def differences(function, *args):
    """Where the eager backend differs."""
    (trial,) = compare_on(("eager",), function, args, {}).data.trials
    return [str(found.where) for found in trial.differences]


@pytest.mark.parametrize(
    ("function", "where"),
    [
        (into_a_global, ["global CACHE after the call"]),
        (into_an_object, ["global STORE.pages['first'] after the call"]),
        (closing_over(), ["closure rows[0] after the call"]),
        (Store().keep, ["self.pages['first'] after the call"]),
        (Net(), ["module.seen after the call"]),
        (torch.nn.Sequential(Net()), ["module.0.seen after the call"]),
    ],
    ids=["global", "object", "closure", "self", "module", "inside"],
)
def test_what_is_written_into_is_compared_and_put_back(function, where):
    assert differences(function, X) == where
    assert not CACHE.any()
    assert not STORE.pages["first"].any()


def test_gradients_of_what_a_function_holds_are_compared():
    assert "gradient of global WEIGHT" in differences(with_a_gradient, X)
    assert WEIGHT.grad is None


class Lazy(dict):
    """Reads what it is asked for, as a data set in a file."""

    def items(self):
        raise AssertionError("nobody asked for all of it")


LAZY = Lazy(first=torch.zeros(4))


def test_a_container_of_the_programs_own_class_is_not_asked():
    def function(x):
        LAZY["first"].add_(x * factor())
        return x + 1

    assert differences(function, X) == []
    assert not LAZY["first"].any()


def test_what_is_an_input_as_well_is_told_once():
    def function(x):
        x.add_(factor())
        return x + CACHE

    assert differences(function, CACHE) == ["result", "args[0] after the call"]
    assert not CACHE.any()


def test_what_a_backend_notes_for_itself_is_no_difference():
    calls = torch.zeros(1)

    def counting(graph, _inputs):
        def run(*args):
            calls.add_(1)
            return graph(*args)

        return run

    assert unjit.compare(torch.compile(into_a_global_alike, backend=counting), X)


def into_a_global_alike(x):
    CACHE.add_(x)
    return x + CACHE
