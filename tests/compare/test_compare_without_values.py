"""`unjit.compare` of tensors without values: nothing reads where nothing is, which ended the process."""

from __future__ import annotations

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import unjit
from unjit.errors import UnjitError

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def plus_one(x):
    return x + 1


def fake():
    with FakeTensorMode():
        return torch.ones(3)


def freed():
    made = torch.ones(3)
    made.untyped_storage().resize_(0)
    return made


class Held(torch.nn.Module):
    def __init__(self, tensor):
        super().__init__()
        self.weight = torch.nn.Parameter(tensor)

    def forward(self, x):
        return x + 1 if x.sum() > 0 else self.weight


MADE = pytest.mark.parametrize(("make", "why"), [(fake, "a fake tensor"), (freed, "is given back")])


@MADE
def test_an_input_is_named(make, why):
    with pytest.raises(UnjitError, match=rf"args\[0\]\[1\] has no values to compare: .* {why}"):
        unjit.compare(lambda pair: plus_one(pair[0]), [torch.ones(3), make()])


@MADE
def test_a_parameter_is_named(make, why):
    with pytest.raises(UnjitError, match=rf"module.weight has no values to compare: .* {why}"):
        unjit.compare(Held(make()), torch.ones(3))


@MADE
def test_what_a_function_holds_otherwise_counts(make, why):
    held = {"one": make()}
    with pytest.raises(UnjitError, match=rf"a tensor has no values to compare: .* {why}"):
        unjit.compare(lambda x: x + 1 if held else x, torch.ones(3))


def test_where_torch_makes_nothing_else_nothing_is_compared():
    def makes_its_own():
        return torch.ones(3) + 1

    with FakeTensorMode(), pytest.raises(UnjitError, match="there are no values to compare"):
        unjit.compare(makes_its_own)
    assert unjit.compare(makes_its_own).same


class Freeing(torch.nn.Module):
    """Gives the memory of its weight back when it has used it, as sharded and offloaded modules do."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((3,), 2.0))

    def forward(self, x):
        found = (x * self.weight).detach()
        self.free()
        return found

    @torch.compiler.disable
    def free(self):
        self.weight.untyped_storage().resize_(0)


def test_memory_that_a_run_gives_back_is_there_again():
    net = Freeing()
    with pytest.raises(UnjitError, match="given back"):
        unjit.compare(net, torch.ones(3))
    assert net.weight.tolist() == [2.0] * 3


def test_views_of_a_part_and_tensors_without_elements_have_values():
    whole = torch.arange(12.0).reshape(3, 4)
    empty = torch.empty(0)
    empty.untyped_storage().resize_(0)
    for given in (whole[1:, 2], whole.t(), whole[0].expand(2, 4), empty, torch.tensor(1.0)):
        assert unjit.compare(plus_one, given).same
