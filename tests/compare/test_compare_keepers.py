"""What backends, compiled graphs, hooks and modes keep is as before a comparison: the program goes on with them."""

from __future__ import annotations

import pytest
import torch
from torch._dynamo.callback import callback_handler, on_compile_start
from torch._dynamo.convert_frame import register_bytecode_hook
from torch._inductor import config
from torch.autograd.graph import saved_tensors_hooks
from torch.utils.flop_counter import FlopCounterMode

import unjit
from needs import needs, refused_before
from toys import needs_compiler
from unjit.api.compare import compare_on
from unjit.torch_private.probes.trace_probes import AHEAD_FUNCTION, COMPILE_AHEAD

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def waves(x):
    return x.sin() * 2


class Counting:
    """A backend that notes what it compiles."""

    def __init__(self):
        self.compiled = 0
        self.graphs = []

    def __call__(self, graph, _inputs):
        self.compiled += 1
        self.graphs.append(graph)
        return graph.forward


def as_it_is(counting):
    return counting


def as_a_function(counting):
    def noting(graph, inputs):
        return counting(graph, inputs)

    return noting


def with_options(counting):
    return lambda graph, inputs, options: counting(graph, inputs)


def under_aot_autograd(counting):
    from torch._dynamo.backends.common import aot_autograd

    return aot_autograd(fw_compiler=as_a_function(counting))


@pytest.mark.parametrize(
    ("make", "options"),
    [(as_it_is, None), (as_a_function, None), (with_options, {"level": 3}), (under_aot_autograd, None)],
)
def test_a_backend_has_noted_what_the_program_compiled_alone(make, options):
    counting = Counting()
    compiled = torch.compile(waves, backend=make(counting), options=options)
    compiled(torch.ones(3))
    found = unjit.compare(compiled, torch.ones(3))
    assert len(found.data.trials) == 4, "its own backend is one of them"
    assert found
    assert (counting.compiled, len(counting.graphs)) == (1, 1)


@needs_compiler
def test_passes_hooks_and_callbacks_have_noted_what_the_program_compiled_alone():
    noted = []
    note = noted.append
    hook = register_bytecode_hook(lambda _original, _generated: note("hook"))
    begun = on_compile_start(lambda *_arguments: note("begun"))
    try:
        with config.patch(post_grad_custom_post_pass=lambda _graph: note("pass"), fx_graph_cache=False):
            compiled = torch.compile(waves)
            compiled(torch.ones(3))
            before = list(noted)
            assert set(before) == {"hook", "begun", "pass"}
            assert unjit.compare(compiled, torch.ones(3))
    finally:
        hook.remove()
        callback_handler.remove_start_callback(begun)
    assert noted == before


def test_operators_and_autograd_functions_have_noted_the_programs_own_runs():
    noted = []

    @torch.library.custom_op("unjit_keepers::noting", mutates_args=())
    def noting(x: torch.Tensor) -> torch.Tensor:
        noted.append("operator")
        return x.clone()

    @noting.register_fake
    def _(x):
        return torch.empty_like(x)

    class Doubled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x):
            noted.append("forward")
            return x * 2

        @staticmethod
        def backward(ctx, gradient):
            noted.append("backward")
            return gradient * 2

    @torch.compiler.disable
    def doubled(x):
        return Doubled.apply(x)

    def both(x):
        return noting(x.detach()) + doubled(x)

    assert compare_on(("eager",), both, (torch.ones(3, requires_grad=True),), {})
    assert noted == []
    both(torch.ones(3, requires_grad=True)).sum().backward()
    assert noted == ["operator", "forward", "backward"]


def test_modes_and_hooks_that_are_in_force_have_noted_the_programs_own_runs():
    noted = []
    layer = torch.nn.Linear(4, 4)
    x = torch.ones(2, 4)

    class Noting(torch.overrides.TorchFunctionMode):
        def __torch_function__(self, function, _types, args=(), kwargs=None):
            noted.append("mode")
            return function(*args, **(kwargs or {}))

    def packed(tensor):
        noted.append("packed")
        return tensor

    hook = torch.nn.modules.module.register_module_forward_hook(lambda *_: noted.append("hook"))
    try:
        with FlopCounterMode(display=False) as flops, saved_tensors_hooks(packed, lambda tensor: tensor), Noting():
            assert compare_on(("eager",), layer, (x,), {})
            before = list(noted)
            layer(x)
    finally:
        hook.remove()
    assert before == []
    assert {"mode", "packed", "hook"} <= set(noted)
    assert flops.get_total_flops() == 2 * 2 * 4 * 4, "of one call"


@needs(COMPILE_AHEAD, AHEAD_FUNCTION)
@refused_before("2.12", "has no aot_compile with these arguments")
def test_a_graph_compiled_ahead_of_time_records_the_program_s_inputs_and_no_copies():
    from torch._dynamo.aot_compile_types import SerializableCallable

    class Replayed(SerializableCallable):
        """Keeps the inputs of its first call and computes from these, as a recorded CUDA graph does."""

        def __init__(self, run):
            self.run, self.recorded = run, None

        def __call__(self, *inputs):
            self.recorded = self.recorded or inputs
            return self.run(*self.recorded)

        @classmethod
        def serialize_compile_artifacts(cls, _made):
            return b""

        @classmethod
        def deserialize_compile_artifacts(cls, _data):
            raise AssertionError("nothing is read back here")

    static = torch.ones(4)
    compiled = torch.compile(waves, fullgraph=True, backend=lambda graph, _inputs: Replayed(graph.forward))
    made = compiled.aot_compile(((static,), {}))
    assert unjit.compare(made, static)
    made(static)
    static.fill_(3)
    assert torch.equal(made(static), waves(static))
