"""`unjit.compare` where torch computes shapes alone: nothing is run that would read values, as a kernel does."""

from __future__ import annotations

import pytest
import torch
from torch._subclasses.fake_tensor import FakeTensorMode

import unjit
from unjit.errors import UnjitError

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def plus_one(x):
    return x + 1


def makes_its_own():
    return torch.ones(3) + 1


def test_a_fake_tensor_has_no_values_to_compare():
    """Inductor's kernels read from its address, and ended the process."""
    with FakeTensorMode():
        fake = torch.ones(3)
    with pytest.raises(UnjitError, match="no values"):
        unjit.compare(plus_one, fake)
    with pytest.raises(UnjitError, match="no values"):
        unjit.compare(lambda pair: plus_one(pair[1]), [torch.ones(3), fake])


def test_nor_has_a_module_of_them():
    with FakeTensorMode():
        net = torch.nn.Linear(3, 3)
    with pytest.raises(UnjitError, match="no values"):
        unjit.compare(net, torch.ones(3))


def test_nor_what_is_made_while_torch_makes_such():
    with FakeTensorMode(), pytest.raises(UnjitError, match="no values"):
        unjit.compare(makes_its_own)
    assert unjit.compare(makes_its_own).same
