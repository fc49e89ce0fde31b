"""A decorator around what torch.compile returned: asked about it, unjit tells of what is behind it."""

from __future__ import annotations

import functools

import pytest
import torch
import torch._dynamo

import unjit
from unjit.errors import BadCall


def logged(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        return function(*args, **kwargs)

    return inner


def scaled(function):
    @functools.wraps(function)
    def inner(x, scale):
        return function(x * scale)

    return inner


@pytest.fixture(autouse=True)
def nothing_compiled():
    torch._dynamo.reset()


def doubles(x):
    return x + x


class Box:
    @logged
    @torch.compile(backend="eager")
    def doubled(self, x):
        return x + x


@pytest.mark.parametrize("decorate", [logged, functools.lru_cache, lambda f: logged(logged(f))])
def test_what_is_behind_a_decorator(decorate):
    decorated, x = decorate(torch.compile(doubles, backend="eager")), torch.ones(3)
    assert unjit.why(decorated, x).outcome == "compiles"
    decorated(x)
    answer = unjit.why(decorated, x)
    assert (answer.data.function, answer.outcome, answer.entry) == ("doubles", "runs an entry", 0)
    assert "the call of doubles by its decorator, if that passes on what it gets" in str(answer)
    explained = unjit.explain(decorated)
    assert explained.report.roots == ("doubles",)
    assert explained.entries[0].run(x).tolist() == [2, 2, 2]
    assert "__compiled_fn_" in unjit.getsource(decorated)


def test_a_decorator_that_changes_a_setting_is_said_to_count():
    decorated, x = torch.no_grad()(torch.compile(doubles, backend="eager")), torch.ones(3)
    decorated(x)
    assert "passes on what it gets and changes no setting, such as the grad mode." in str(unjit.why(decorated, x))
    with torch.no_grad():
        assert unjit.why(decorated, x).outcome == "runs an entry"


def test_a_decorated_method():
    box, x = Box(), torch.ones(3)
    box.doubled(x)
    assert unjit.why(box.doubled, x).outcome == "runs an entry"
    assert len(unjit.explain(box.doubled).entries) == 1
    assert len(unjit.explain(Box.doubled).entries) == 1


def test_a_decorator_that_passes_on_something_else():
    decorated, x = scaled(torch.compile(doubles, backend="eager")), torch.ones(3)
    decorated(x, 2)
    with pytest.raises(BadCall, match="Its decorator stands before it: pass what that passes on"):
        unjit.why(decorated, x, 2)
    assert unjit.why(decorated, x).outcome == "runs an entry"


def test_a_decorator_around_what_was_not_compiled():
    """Its own code is what a compile of it begins at."""
    plain, x = logged(doubles), torch.ones(3)
    assert unjit.why(plain, x).data.place.function == "logged.<locals>.inner"
    torch.compile(plain, backend="eager")(x)
    assert unjit.why(plain, x).outcome == "runs an entry"
    assert unjit.explain(plain).functions[0].data.place.function == "logged.<locals>.inner"


def test_a_decorator_of_which_another_function_was_compiled_with_it():
    x = torch.ones(3)
    torch.compile(logged(lambda x: x - 1), backend="eager")(x)  # the decorator's code has entries from now on
    decorated = logged(torch.compile(doubles, backend="eager"))
    decorated(x)
    answer = unjit.why(decorated, x)
    assert (answer.data.function, answer.outcome) == ("doubles", "runs an entry")
    assert unjit.explain(decorated).report.roots == ("doubles",)


def test_a_decorator_that_was_compiled_with_what_is_behind_it():
    def around(x):
        return around.__wrapped__(x)

    around.__wrapped__ = torch.compile(doubles, backend="eager")
    compiled, x = torch.compile(around, backend="eager"), torch.ones(3)
    compiled(x)
    for asked in (around, compiled):
        assert "around" in unjit.explain(asked).report.roots[0]
