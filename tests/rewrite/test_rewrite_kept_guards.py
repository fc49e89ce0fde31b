"""Some guards on a value are dropped: Dynamo asks those on all other values, Python those that stay on this one."""

from __future__ import annotations

import pytest
import torch

import scales
from needs import needs
from scales import Scales, X, Y, entry_of
from unjit.torch_private.probes.cache_probes import PRECOMPILE_ENTRIES

pytestmark = [pytest.mark.usefixtures("nothing_compiled"), needs(PRECOMPILE_ENTRIES)]

@pytest.fixture
def module():
    return Scales()


def without(entry, kind, subject):
    with pytest.warns(UserWarning, match="without"):
        return scales.without(entry, kind, subject)


def test_what_is_kept_below_the_value_still_holds(module):
    made, entry = entry_of(module, X, Y)
    copy = without(entry, "TYPE_MATCH", "self.first")
    assert [text.endswith("in Python") for text in copy.conditions] == [True]
    assert "self.second" not in copy.conditions[0]
    assert (copy.check(X, Y), copy.check(X, X), copy.check(X.double(), Y)) == (True, False, False)
    for inner in (module.first, module.second):
        inner.weight.requires_grad_(False)
        assert not copy.check(X, Y)
        inner.weight.requires_grad_(True)

    class Other(torch.nn.Linear):
        pass

    module.first.__class__ = Other
    assert (entry.check(X, Y), copy.check(X, Y)) == (False, True)
    with copy.install() as handle:
        assert torch.equal(made(X, Y), module.forward(X, Y))
        assert handle.errors == []


def test_a_condition_on_several_values_is_asked_with_all_of_them():
    _, entry = entry_of(lambda x, y: x + y, X, Y)
    copy = without(entry, "TENSOR_MATCH", "x")
    assert (copy.check(X.double(), Y), copy.check(X, X), copy.check(X, Y.double())) == (True, False, False)


def test_where_everything_on_a_value_is_dropped_python_asks_nothing(module):
    _, entry = entry_of(module, X, Y)
    copy = without(entry, "EQUALS_MATCH", "self.scale")
    assert copy.conditions == []
    module.scale = 3
    assert (entry.check(X, Y), copy.check(X, Y)) == (False, True)
