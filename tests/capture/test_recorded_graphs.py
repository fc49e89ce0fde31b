"""While a CUDA graph is recorded nothing of ours runs besides: where there is no GPU, torch is made to say so.

`tests/gpu/test_gpu_recording.py` records on a GPU.
"""

from __future__ import annotations

import contextlib

import pytest
import torch
import torch._dynamo

import unjit
from needs import needs
from toys import needs_compiler
from unjit.comparison.runs.calls import CallComparer
from unjit.model import Unknown
from unjit.torch_private.calling.compiled_calls import on_compiled_calls
from unjit.torch_private.probes.cache_probes import PRECOMPILE_ENTRIES

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def waves(x):
    return (x.sin() * x.cos()).sum(-1)


@contextlib.contextmanager
def recording():
    """A torch without GPUs raises where anything else is asked of them."""
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(torch.cuda, "is_initialized", lambda: True)
        patched.setattr(torch.cuda, "is_current_stream_capturing", lambda: True)
        yield


def test_a_comparison_is_refused():
    x = torch.linspace(0, 1, 16).reshape(4, 4)
    with recording(), pytest.raises(unjit.UnjitError, match="a CUDA graph is being recorded: all that runs meanwhile"):
        unjit.compare(waves, x)


def compared(*calls):
    """The answers on calls, each recorded or not, and how many more there were."""
    compiled, x = torch.compile(waves, backend="eager"), torch.linspace(0, 1, 16).reshape(4, 4)
    answers, failures = [], []
    comparer = CallComparer(["eager"], 3, answers.append)
    end = on_compiled_calls(comparer, failures.append)
    try:
        for recorded in calls:
            with recording() if recorded else contextlib.nullcontext():
                assert torch.equal(compiled(x), waves(x))
    finally:
        end()
    assert failures == []
    return answers, comparer.uncompared


def test_what_was_compared_before_is_not_compared_while_it_is_recorded():
    (answer,), more = compared(False, True, True)
    assert answer.answer.first is None
    assert more == 2


def test_of_a_call_that_is_recorded_first_nothing_is_known():
    recorded, later = compared(True, False)[0]
    assert isinstance(recorded.answer, Unknown)
    assert "a CUDA graph is being recorded" in recorded.answer.reason
    assert later.answer.first is None


def run(function, *recorded):
    x = torch.linspace(0, 1, 16).reshape(4, 4).requires_grad_()
    with recording() if "forward" in recorded else contextlib.nullcontext():
        out = function(x)
    with recording() if "backward" in recorded else contextlib.nullcontext():
        out.sum().backward()
    return torch.cat([out, x.grad.flatten()])


def stepped(*recorded, **options):
    compiled = torch.compile(waves, backend="inductor")
    expected = run(compiled)
    with unjit.debug(waves, quiet=True, **options) as session:
        assert torch.equal(run(compiled, *recorded), expected)
    return session


@needs_compiler
@needs(PRECOMPILE_ENTRIES)
@pytest.mark.parametrize("stage", ["forward", "captured"])
def test_what_is_recorded_is_what_was_compiled(stage, tmp_path):
    session = stepped("forward", "backward", stage=stage, directory=tmp_path)
    (problem,) = session.problems
    assert "runs as it is: a CUDA graph is being recorded" in problem
    assert session.comparisons == []


@needs_compiler
@needs(PRECOMPILE_ENTRIES)
def test_a_backward_pass_that_is_recorded_runs_its_kernels(tmp_path):
    session = stepped("backward", stage="post_grad", directory=tmp_path)
    (problem,) = session.problems
    assert "backward runs as it is: a CUDA graph is being recorded" in problem
    assert [comparison.graph.rpartition(", ")[2] for comparison in session.comparisons] == ["forward"]
