"""Parts of a comparison by themselves: what is said of a kernel, and which kernels of a wrapper are seen."""

from __future__ import annotations

import importlib.util
from dataclasses import replace
from types import SimpleNamespace

import pytest
import torch

from unjit.comparison.inside.kernels import KernelComparison, Suspect
from unjit.comparison.inside.observed_wrapper import observed
from unjit.model import Unknown
from unjit.model.answers.comparisons import Difference
from unjit.torch_private.cache.backends import name_with_settings

WRAPPER = """
def kernel_a(buf0):
    pass

kernel_b = kernel_c = kernel_d = kernel_a

def call(args):
    buf0, = args
    if buf0:
        kernel_a(buf0)
    else:
        kernel_b(buf0)
    try:
        kernel_c(buf0)
    finally:
        kernel_d(buf0)
    return buf0
"""


def test_one_and_several_buffers_are_told_as_such():
    one, several = (KernelComparison("f", n, n, n, None, None, (), ()) for n in (1, 2))
    compared, left_out = str(one).split("; ")
    assert compared == "f: 1 buffer of 1 kernel holds what the graph computes"
    assert left_out == "1 not compared, as it holds no node's value"
    compared, left_out = str(several).split("; ")
    assert compared == "f: 2 buffers of 2 kernels hold what the graph computes"
    assert left_out == "2 not compared, as they hold no node's value"


def test_a_kernel_that_may_have_got_it_from_another_is_said_to():
    def told(*unseen):
        return str(Suspect("extern_kernels.mm", "buf2", "mm", (), None, "4 of 16 values differ", unseen))

    assert told().endswith("4 of 16 values differ")
    assert told("a").endswith(
        "differ; it may have got them from a before it, of which not every buffer could be compared"
    )
    assert "from c, d, e and 2 more before it" in told("a", "b", "c", "d", "e")


def test_where_no_buffer_was_compared_none_is_said_to_be_wrong():
    alike = KernelComparison("f", 1, 0, 0, None, None, (), ("cpp_fused_mul_0",))
    told = "f: no buffer of 1 kernel could be compared by itself"
    assert str(alike) == f"{told}; what comes of them is what the graph computes"
    differs = replace(alike, returned=(Difference("result", "3 of 4 values differ"),))
    assert str(differs).startswith(f"{told}; yet what comes of them differs: result ")


def test_a_kernel_whose_nan_the_graph_has_too_does_not_differ():
    nan = Suspect("cpp_fused_log_0", "buf0", "log", (), None, "3 of 4 values are nan, as in the graph", ())
    told = str(KernelComparison("f", 1, 1, 0, None, nan, (), ()))
    assert "gives nan" in told
    assert "differs" not in told


def test_kernels_of_every_block_are_seen(tmp_path):
    (tmp_path / "wrapper.py").write_text(WRAPPER)
    spec = importlib.util.spec_from_file_location("wrapper", tmp_path / "wrapper.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    for value, first in ((1, "kernel_a"), (0, "kernel_b")):
        seen = []
        observed(module.call, lambda kernel, buffers, seen=seen: seen.append((kernel, buffers)))([value])
        assert seen == [(kernel, {"buf0": value}) for kernel in (first, "kernel_c", "kernel_d")]


def a_backend(graph, _inputs):
    return graph


class ABackend:
    """With settings of its own kind, which are not torch's."""

    config = SimpleNamespace(level=3)
    __call__ = staticmethod(a_backend)


@pytest.mark.parametrize(
    ("backend", "told"),
    [
        ("inductor", "inductor"),
        (
            torch._TorchCompileInductorWrapper(None, {"fallback_random": True}, None),
            "inductor with fallback_random=True",
        ),
        (torch._TorchCompileWrapper("eager", None, {"a": 1}, None), "eager with a=1"),
        (a_backend, "a_backend"),
        (ABackend(), "ABackend"),
        (Unknown("torch does not tell"), Unknown("torch does not tell")),
    ],
)
def test_a_backend_is_told_with_the_settings_that_it_was_given(backend, told):
    found = torch._dynamo.lookup_backend(backend) if isinstance(backend, str) else backend
    assert name_with_settings(found) == told
