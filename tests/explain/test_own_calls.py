"""Modules whose class has a `__call__` of its own around nn.Module's: Dynamo begins there, not at the forward."""

from __future__ import annotations

import pytest
import torch

import unjit
from unjit.errors import BadCall

pytestmark = pytest.mark.usefixtures("nothing_compiled")


class Kernel(torch.nn.Module):
    """As those of gpytorch; the layers of transformers have a `__call__`, too."""

    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Linear(3, 3)

    def __call__(self, one, other=None, **options):
        return super().__call__(one, one if other is None else other, **options) + 1

    def forward(self, one, other):
        return self.scale(one) * other


def names(target):
    return [function.data.key for function in unjit.explain(target).functions]


def test_it_is_what_runs():
    kernel, x = Kernel(), torch.ones(2, 3)
    compiled = torch.compile(kernel, backend="eager")
    assert unjit.why(compiled, x).outcome == "compiles"
    compiled(x)
    for target in (kernel, compiled, Kernel, Kernel.__call__):
        explained = unjit.explain(target)
        assert [str(entry.compile_id) for entry in explained.entries] == ["0/0"]
        assert explained.report.roots[0] == "Kernel_call"
    assert unjit.why(compiled, x).outcome == "runs an entry"
    answer = unjit.why(compiled, x, x)
    assert answer.outcome == "compiles"
    assert [str(failed.subject) for failed in answer.failed(0)] == ["other"]
    entry = unjit.explain(compiled).entries[0]
    assert entry.check(x)
    assert not entry.check(x, x)
    assert torch.equal(entry.run(x), kernel(x))


def test_hooks_run_within_it():
    kernel, x = Kernel(), torch.ones(2, 3)
    kernel.register_forward_pre_hook(lambda module, args: None)
    compiled = torch.compile(kernel, backend="eager")
    compiled(x)
    assert "hook" not in unjit.why(compiled, x).data.detail
    assert unjit.why(compiled, x).outcome == "runs an entry"


def test_a_compile_in_place_begins_after_it():
    kernel, x = Kernel(), torch.ones(2, 3)
    kernel.compile(backend="eager")
    kernel(x)
    assert names(kernel) == ["Kernel_forward"]
    assert names(Kernel) == ["Kernel_call", "Kernel_forward"]
    answer = unjit.why(kernel, x, x)
    assert answer.outcome == "runs an entry"
    assert "about the call of Kernel.forward by Kernel.__call__, if that passes on what it gets" in answer.data.detail
    with pytest.raises(BadCall, match=r"Kernel\.__call__ stands before it: pass what that passes on"):
        unjit.why(kernel, x)


def test_that_of_a_part():
    outer, x = torch.nn.Sequential(Kernel()), torch.ones(2, 3)
    torch.compile(outer[0], backend="eager")(x)
    assert "Kernel_call" in names(outer)


def test_it_is_not_taken_for_a_wrapper():
    """Its class is what is in its free variable, and no function that it stands around."""
    kernel, x = Kernel(), torch.ones(2, 3)
    compiled = torch.compile(kernel, backend="eager")
    with unjit.capture() as session:
        compiled(x)
    assert "wraps" not in str(unjit.explain(compiled))
    assert "around" not in str(session.report)
