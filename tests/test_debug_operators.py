"""`unjit.debug(stage=…)` where a graph has operators of the program's own, and those that call graphs."""

from __future__ import annotations

import pytest
import torch
from torch._higher_order_ops.while_loop import while_loop

import unjit
from needs import needs
from toys import needs_compiler
from unjit.torch_private.probes.probes import PRECOMPILE_ENTRIES

pytestmark = [pytest.mark.usefixtures("nothing_compiled"), needs_compiler, needs(PRECOMPILE_ENTRIES)]


@pytest.fixture(scope="module")
def operators():
    """An operator of the program's own that makes a tensor, and one that changes a tensor."""

    @torch.library.custom_op("unjit_tests::scaled", mutates_args=())
    def scaled(x: torch.Tensor) -> torch.Tensor:
        return x * 2.5

    @scaled.register_fake
    def _(x):
        return torch.empty_like(x)

    @torch.library.custom_op("unjit_tests::add_to", mutates_args={"x"})
    def add_to(x: torch.Tensor, y: torch.Tensor) -> None:
        x.add_(y)

    return scaled, add_to


def compared(function, stage, directory, *calls):
    """What is told of the kernels of some calls, which give what they give without torch.compile."""
    compiled = torch.compile(function)
    with unjit.debug(function, stage=stage, directory=directory, quiet=True) as session:
        for arguments in calls:
            torch.testing.assert_close(compiled(*arguments), function(*arguments))
    assert session.problems == []
    return session.comparisons


@pytest.mark.parametrize("stage", ["forward", "post_grad"])
def test_an_operator_is_not_blamed_for_a_buffer_that_it_changes_as_the_graph_says(stage, operators, tmp_path):
    scaled, add_to = operators

    def function(x):
        made = scaled(x)
        sums = made.clone()
        add_to(sums, made)
        return sums.sin()

    (told,) = compared(function, stage, tmp_path, (torch.rand(4, 4),))
    assert told.first is None, str(told)
