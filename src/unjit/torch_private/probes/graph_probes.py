"""The private names that reading and running compiled graphs needs."""

from __future__ import annotations

from typing import Final

from unjit.torch_private.probes.probe import Probe

# ---- compiled_graphs/graphs.py ---------------------------------------------------------------------------------------
GRAPH_MODULE: Final = Probe("torch.fx.GraphModule", "tell a graph from other callables", "graphs cannot be shown")
GRAPH_META: Final = Probe(
    "GraphModule.meta",
    "tell by its `backend_id` which graph belongs to which name",
    "a graph is taken by its position",
)
EMPTY_GRAPH: Final = Probe(
    "torch._dynamo.output_graph.noop_graph_call",
    "know a graph that computes nothing, which torch 2.15 hands to no backend",
    "older versions hand such graphs to the backend as well",
)
GRAPH_REASON: Final = Probe(
    "GraphModule.compile_subgraph_reason", "why and where a graph ended", "why a graph ended is not known"
)
INPUT_SOURCE: Final = Probe(
    "Node._dynamo_source", "the user's value that a graph input stands for", "the source of graph inputs is not known"
)
# ---- compiled_graphs/operations.py -----------------------------------------------------------------------------------
SCHEMA: Final = Probe(
    "OpOverload._schema",
    "tell by its name a result whose value an operation leaves open, and which operations return nothing",
    "results that differ in each run count as differences between backends",
)
# ---- compiled_graphs/running.py --------------------------------------------------------------------------------------
AOT_FORWARD: Final = Probe(
    "CompiledFunction.compiled_fw",
    "find what runs as the forward of a graph that is differentiated",
    "forward graphs and wrappers cannot be found",
)
AOT_BACKWARD: Final = Probe(
    "CompiledFunction.compiled_bw",
    "find what runs as the backward of a graph",
    "backward graphs and wrappers cannot be found",
)
BACKWARD_PASS: Final = Probe(
    "CompiledFunction._backward_impl",
    "find what compiled a backward that has not run yet",
    "a backward lies in a file from its second run on",
)
LAZY_BACKWARD: Final = Probe(
    "AutogradBackwardCompiler.compiled_bw",
    "find a backward that was compiled a moment ago, before it runs",
    "a backward lies in a file from its second run on",
)
INTERPRETED: Final = Probe(
    "torch._dynamo.backends.debugging.boxed_nop",
    "tell graphs that are interpreted node by node, by torch 2.9 and older, from those whose code runs",
    "breakpoints in the graphs of aot_eager are not reached where they are interpreted",
)
WRAPPER_MODULES: Final = Probe(
    "torch._inductor.codecache.PyCodeCache.modules",
    "tell Inductor's generated wrappers from other functions",
    "the wrappers that Inductor generated cannot be found",
)
# ---- compiled_graphs/wrappers.py -------------------------------------------------------------------------------------
LOAD_GENERATED: Final = Probe(
    "torch._inductor.codecache.PyCodeCache.load_by_key_path",
    "load a module that Inductor generated, for programs that call depyf's function of this name",
    "unjit.compat.depyf.explain.enable_debugging.patched_load_by_key_path does not work",
)
# ---- compiled_graphs/as_eager.py -------------------------------------------------------------------------------------
INDUCTOR_PATCH: Final = Probe(
    "torch._inductor.config.patch",
    "let Inductor draw eager's random numbers while backends are compared",
    "dropout and other random operations differ between eager and inductor",
)
