"""The private names by which a captured graph is compiled again, with steps of ours in it."""

from __future__ import annotations

from typing import Final

from unjit.torch_private.probes.probe import Probe

# ---- compiled_graphs/stages.py, compiled_graphs/buffers.py -----------------------------------------------------------
COMPILE_FX: Final = Probe(
    "torch._inductor.compile_fx.compile_fx",
    "compile a graph again with steps of ours in it",
    "the graphs of Inductor's stages cannot be run in place of its kernels",
)
LAYERS: Final = Probe(
    "torch._C._functorch.get_dynamic_layer_stack_depth",
    "leave the functorch transforms that a graph has entered when it fails",
    "a graph that fails in the midst of vmap, grad or jvp can leave the program within them",
)
LEAVE_LAYERS: Final = Probe(
    "torch._C._functorch.pop_dynamic_layer_stack_and_undo_to_depth", LAYERS.purpose, LAYERS.loss
)
COMPILE_HALF: Final = Probe(
    "torch._inductor.compile_fx.compile_fx_inner",
    "compile one half of a graph; tell which one Inductor compiles",
    "the graphs of Inductor's stages cannot be run in place of its kernels; backward graphs are told apart by order",
)
COMPILE_SESSION: Final = Probe(
    "torch.compiler._compile_session_context",
    "have torch know that a graph is compiled again",
    "calls of compiled functions by other threads while a graph is compiled again can raise torch's error on tracing",
)
_NO_SCALARS: Final = "graphs that take numbers out of tensors cannot be run in place of their kernels"
TRACING: Final = Probe("torch._guards.tracing", "compile a graph that takes numbers out of tensors again", _NO_SCALARS)
TRACING_CONTEXT: Final = Probe(
    "torch._guards.TracingContext", "compile a graph that takes numbers out of tensors again", _NO_SCALARS
)
FAKE_MODE: Final = Probe(
    "torch._subclasses.FakeTensorMode", "compile a graph that takes numbers out of tensors again", _NO_SCALARS
)
SHAPE_SYMBOLS: Final = Probe(
    "torch.fx.experimental.symbolic_shapes.ShapeEnv",
    "compile a graph that takes numbers out of tensors again",
    _NO_SCALARS,
)
AOT_PATCH: Final = Probe(
    "torch._functorch.config.patch",
    "neither ask nor fill AOTAutograd's cache",
    "the graphs of Inductor's stages cannot be run in place of its kernels",
)
PLAIN_AUTOGRAD: Final = Probe(
    "torch._dynamo.compiled_autograd._disable",
    "run the backward of a graph by itself",
    "under compiled autograd, the backward of a graph that is compared is compiled once more by itself",
)
WRAPPER_CALL: Final = Probe(
    "CompiledFxGraph.current_callable",
    "find the wrapper that Inductor generated",
    "kernels are not compared with the graph",
)
BOXED: Final = Probe(
    "function._boxed_call",
    "have torch hand over the arguments of a graph in a list, which is emptied",
    "what runs in place of a kernel keeps its arguments alive",
)
BEFORE_FUSION: Final = Probe(
    "torch._inductor.config._pre_fusion_custom_pass",
    "learn which buffers stand for which nodes of a graph, before they are fused",
    "kernels are not compared with the graph",
)
SCHEDULED_PARTS: Final = Probe(
    "BaseSchedulerNode.get_nodes", "take what is scheduled as one apart", "kernels are not compared with the graph"
)
SCHEDULED_BUFFER: Final = Probe(
    "BaseSchedulerNode.node", "find the buffer that is scheduled", "kernels are not compared with the graph"
)
BUFFER_NAME: Final = Probe(
    "Buffer.get_name", "tell a buffer by the name that a kernel has for it", "buffers are not compared with the graph"
)
BUFFER_NODE: Final = Probe(
    "Buffer.get_origin_node", "tell which node of the graph a buffer holds", "buffers are not compared with the graph"
)
BUFFER_NODES: Final = Probe(
    "Buffer.get_origins", "name the nodes that were fused into a kernel", "the nodes of a kernel are not known"
)
BUFFER_WRITES: Final = Probe(
    "Buffer.get_mutation_names",
    "tell buffers that are changed after they were filled",
    "a buffer that is changed later can be taken for one that a kernel got wrong",
)
OPERATION_OUTPUTS: Final = Probe(
    "Operation.get_outputs",
    "tell buffers that are changed by operators of the program's own",
    "a buffer that is changed later can be taken for one that a kernel got wrong",
)
LOWERING: Final = Probe(
    "torch._inductor.virtualized.V.graph",
    "learn which buffers Inductor's kernels never store",
    "kernels are not compared with the graph",
)
REMOVED_BUFFERS: Final = Probe(
    "GraphLowering.removed_buffers",
    "tell buffers whose values no kernel stores",
    "kernels are not compared with the graph",
)
REMOVED_IN_PLACE: Final = Probe(
    "GraphLowering.inplaced_to_remove",
    "tell buffers whose values no kernel stores, though they have a name in its call",
    "kernels are not compared with the graph",
)
