"""Which nodes and lines a kernel came from, where Inductor's record of it was not asked for."""

from __future__ import annotations

from dataclasses import replace

import pytest
import torch
import torch._inductor.utils as inductor

import unjit
from unjit.capturing.reading.kernel_buffers import buffers_made
from unjit.capturing.reading.kernel_comments import nodes_in_comments
from unjit.differences.compiles import compile_changes
from unjit.model import Generated

TRITON = """
import triton
@triton.jit
def triton_poi_fused_add_relu_0(in_out_ptr0, in_ptr0, out_ptr0, xnumel, XBLOCK : tl.constexpr):
    pass
"""
CPP = """extern "C" void kernel(const float* in_ptr0,
                        const float* in_ptr1,
                        float* out_ptr0)"""


def two_kernels(x, w):
    scaled = torch.relu(x) * 2
    return scaled @ w, scaled.sum(dim=0).exp()


@pytest.fixture(scope="module")
def captured():
    cache = getattr(inductor, "fresh_cache", None) or inductor.fresh_inductor_cache
    torch._dynamo.reset()
    with cache(), unjit.capture() as session:
        torch.compile(two_kernels)(torch.ones(4, 4), torch.ones(4, 4))
    return session.data


def test_kernels_lead_to_nodes_and_lines_without_being_asked_for(captured):
    kernels = [kernel for kernel in captured.compiles[0].kernels if kernel.language == "C++"]
    assert {node for kernel in kernels for node in kernel.operations} == {"relu", "mul", "sum_1", "exp"}
    for kernel in kernels:
        first = two_kernels.__code__.co_firstlineno
        lines = {place.line - first for place in kernel.places}
        assert lines <= {1, 2}
        assert (1 in lines) == ({"relu", "mul"} & set(kernel.operations) != set())
        assert (2 in lines) == ({"sum_1", "exp"} & set(kernel.operations) != set())


def test_lines_and_nodes_lead_to_kernels(captured):
    compile_, first = captured.compiles[0], two_kernels.__code__.co_firstlineno
    of_line = {kernel.name for kernel in compile_.kernels_of(file=__file__, line=first + 1)}
    assert of_line == {kernel.name for node in ("relu", "mul") for kernel in compile_.kernels_of_operation(node)}
    assert of_line
    assert compile_.kernels_of(file=__file__, line=first) == compile_.kernels_of_operation("nothing") == ()


def test_a_wrapper_that_calls_otherwise_is_a_difference(captured):
    compile_ = captured.compiles[0]
    code = next(one for one in compile_.artifacts if one.name.endswith("_output_code"))
    freed = code.text.replace("        return (buf", "        return (None, buf", 1)
    assert freed != code.text
    others = tuple(replace(one, text=Generated(freed)) if one is code else one for one in compile_.artifacts)
    changes = list(compile_changes("f", compile_, replace(compile_, artifacts=others)))
    assert [change.path for change in changes] == ["f/kernels/inference/wrapper"]
    assert "async_compile.cpp" in changes[0].first
    assert "#include" not in changes[0].first  # kernels are compared by themselves


def test_the_buffers_that_calls_write():
    code = """
        cpp_fused_0(arg0_1, buf0, buf2)
        triton_poi_fused_add_relu_0.run(reinterpret_tensor(buf1, (4,), (1,), 0), arg0_1, buf3, 4, stream=stream0)
        unknown_0(buf9)
        cpp_fused_1(buf1,
            arg1_1, buf4)
"""
    code = f"def call(args):{code}"
    made = buffers_made(code, {"cpp_fused_0": CPP, "cpp_fused_1": CPP, "triton_poi_fused_add_relu_0": TRITON})
    assert made == {"cpp_fused_0": ["buf2"], "cpp_fused_1": ["buf4"], "triton_poi_fused_add_relu_0": ["buf1", "buf3"]}


def test_of_a_kernel_that_writes_more_than_buffers_nothing_is_said():
    """What it writes besides, here an argument that the program has changed, is the work of operations as well."""
    code = "def call(args):\n    cpp_fused_0(arg0_1, buf0, buf2)\n    cpp_fused_0(arg0_1, buf0, arg1_1)\n"
    assert buffers_made(code, {"cpp_fused_0": CPP}) == {}
    assert buffers_made("def call(:", {"cpp_fused_0": CPP}) == {}


COMMENTED = """
# Source node to ATen node mapping:
#   flex_attention_backward => flex_attention_backward
# Graph fragment:
#   %primals_1 : Tensor "f32[1, 2][2, 1]cuda:0" = PlaceHolder[target=primals_1]
#   %flex_attention_backward : [num_users=3] = call_function[target=torch.ops.higher_order.flex_attention_backward](…)
#   %getitem_4 : [num_users=1] = call_function[target=operator.getitem](args = (%flex_attention_backward, 1), …)
#   return %getitem_4
triton_tem_fused_0 = async_compile.triton('triton_tem_fused_0', '''
# nothing of the wrapper's
#   %sin : [num_users=1] = call_function[target=torch.ops.aten.sin.default](…)
def triton_tem_fused_0(): pass
''')

# Unsorted Source Nodes: [], Original ATen: []
# Source node to ATen node mapping:
triton_for_fused_1 = async_compile.triton('triton_for_fused_1', '''
''')

# Graph fragment:
#   %cos : [num_users=1] = call_function[target=torch.ops.aten.cos.default](…)
triton_poi_fused_2 = async_compile.triton('triton_poi_fused_2', '''
''')
    triton_tem_fused_0.run(primals_1, buf0, stream=stream0)
    triton_for_fused_1.run(buf0, stream=stream0)
    triton_poi_fused_2.run(buf0, buf1, stream=stream0)
    triton_poi_fused_2.run(buf1, buf2, stream=stream0)
"""


def test_comments_tell_the_nodes_of_kernels_that_are_called_once():
    assert nodes_in_comments(COMMENTED) == {"triton_tem_fused_0": ("flex_attention_backward", "getitem_4")}


@pytest.mark.slow
def test_kernels_beside_a_wrapper_in_cpp():
    """Where Inductor writes the wrapper in C++ as well, its kernels are functions above it."""

    def doubled(x):
        return x.relu() * 2

    with unjit.capture(fresh=True) as session:
        torch.compile(doubled, options={"cpp_wrapper": True})(torch.ones(4))
    (kernel,) = session.data.compiles[0].kernels
    assert kernel.language == "C++"
    assert kernel.source.startswith('extern "C"')
    assert kernel.source.endswith("}")
    assert set(kernel.operations) == {"relu", "mul"}
    assert {place.code for place in kernel.places} == {"return x.relu() * 2"}
