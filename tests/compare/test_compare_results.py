"""`unjit.compare` of results that are objects: what they hold is compared, and no error of looking is the program's."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

import pytest
import torch

from unjit.api.compare import compare_on
from unjit.errors import UnjitError

pytestmark = pytest.mark.usefixtures("nothing_compiled")


@dataclasses.dataclass
class Result:
    value: torch.Tensor
    note: Any = dataclasses.field(init=False)


class Odd(Mapping):
    """What it holds cannot be asked for."""

    def __init__(self, value):
        self.value = value

    def __getitem__(self, key):
        return self.value

    def __iter__(self):
        raise RuntimeError("not in this way")

    def __len__(self):
        return 1


def test_a_field_that_nobody_set_is_left_out():
    def function(x):
        return Result(x.sin() if torch.compiler.is_compiling() else x.cos())

    found = compare_on(["eager"], function, (torch.ones(3),), {})
    assert found.data.raised is None
    assert [str(one.where) for trial in found.data.trials for one in trial.differences] == ["result.value"]


def test_an_error_of_looking_at_a_result_is_none_of_the_programs():
    with pytest.raises(UnjitError, match=r"cannot be looked through \(RuntimeError: not in this way\)"):
        compare_on(["eager"], lambda x: Odd(x.sin()), (torch.ones(3),), {})


def test_one_tuple_in_two_places_is_as_two_that_are_alike():
    def function(x):
        rows = [("b", 2), ("a", 1)]
        return x + 1, sorted(rows), sorted(rows, reverse=True)

    found = compare_on(["eager"], function, (torch.ones(3),), {})
    assert [trial.differences for trial in found.data.trials] == [()]


def test_the_same_tuple_is_compared_wherever_it_is_held():
    def function(x):
        row, other = ("a", 1), ("a", 2)
        return x + 1, row, other if torch.compiler.is_compiling() else row

    found = compare_on(["eager"], function, (torch.ones(3),), {})
    assert [str(one.where) for trial in found.data.trials for one in trial.differences] == ["result[2][1]"]


def test_gradients_in_a_bucket_are_compared_as_each_run_left_them():
    net, bucket = torch.nn.Linear(3, 1), torch.zeros(1, 3)

    def step(x):
        bucket.copy_(x * (2 if torch.compiler.is_compiling() else 1))
        net.weight.grad = bucket
        return x + 1

    found = compare_on(["eager"], step, (torch.ones(1, 3),), {})
    told = {str(one.where): str(one.says) for trial in found.data.trials for one in trial.differences}
    assert list(told) == ["closure bucket after the call", "gradient of module.weight"]
    assert "2, in eager 1" in told["gradient of module.weight"]


def test_an_input_that_is_also_held_elsewhere_is_told_as_it_was_left():
    held = torch.zeros(3)

    def change(x):
        for tensor in (x, held):
            tensor.add_(2 if torch.compiler.is_compiling() else 1)
        return x + 1

    found = compare_on(["eager"], change, (held,), {})
    told = {str(one.where): str(one.says) for trial in found.data.trials for one in trial.differences}
    assert "the worst at [0]: 4, in eager 2" in told["args[0] after the call"]
