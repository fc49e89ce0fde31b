"""The table of private names. Each is used by the module of this package that its section names."""

from __future__ import annotations

from typing import Final

from unjit.torch_private.probes import (
    caller_probes,
    history_probes,
    install_probes,
    program_probes,
    rank_probes,
    stage_probes,
    state_probes,
    trace_probes,
)
from unjit.torch_private.probes.probe import Probe

# ---- cache/entries.py ------------------------------------------------------------------------------------------------
CACHE_ENTRIES: Final = Probe(
    "torch._C._dynamo.eval_frame._debug_get_cache_entry_list",
    "list the cache entries of a code object, in the order in which they are tried",
    "cache entries cannot be listed",
)
PRECOMPILE_ENTRIES: Final = Probe(
    "torch._C._dynamo.eval_frame._debug_get_precompile_entries",
    "list the precompiled entries of a code object, which are tried before all others",
    "precompiled entries cannot be listed, and none put into Dynamo's cache (torch 2.9 and newer can)",
)
ENTRY_CODE: Final = Probe("CacheEntry.code", "the code that Dynamo generated", "the generated code cannot be shown")
PRECOMPILE_CODE: Final = Probe(
    "PrecompileEntry.code", "the code of a precompiled entry", "the code of a precompiled entry cannot be shown"
)
ENTRY_COMPILE_ID: Final = Probe(
    "CacheEntry.compile_id", "tell which compile made an entry", "the compile id of an entry is not known"
)
ENTRY_BACKEND: Final = Probe("CacheEntry.backend", "name the backend of an entry", "an entry does not tell its backend")
ENTRY_GUARDS: Final = Probe("CacheEntry.guard_manager", "read the guards of an entry", "guards cannot be read")
GUARDS_GLOBALS: Final = Probe(
    "GuardManagerWrapper.global_scope",
    "find the graphs and resume functions that generated code names",
    "graphs and resume functions cannot be found",
)
INVALIDATION: Final = Probe(
    "DeletedGuardManagerWrapper.invalidation_reason",
    "say why an entry was invalidated",
    "the reason of an invalidation is not known",
)
BACKEND_NAME: Final = Probe(
    "backend.compiler_name",
    "name a backend that torch wraps in an object of its own",
    "the backend is named by its class",
)
BACKEND_SETTINGS: Final = Probe(
    "backend.config",
    "compile once more with the mode and options that a program gave Inductor",
    "where a program gave Inductor options, a comparison names no kernel",
)
BACKEND_OPTIONS: Final = Probe(
    "backend.kwargs",
    "name a backend with the options that a program gave it",
    "two backends of one name that got other options are told as one",
)
# ---- cache/resets.py -------------------------------------------------------------------------------------------------
COMPILE_LOCK: Final = Probe(
    "torch._dynamo.convert_frame.compile_lock",
    "read entries while no other thread resets Dynamo",
    "a reset is not kept waiting while an entry is taken out",
)
FREE_ENTRIES: Final = Probe(
    "torch._dynamo.reset_code",
    "let a reset wait while entries are read beside a compile, or a condition of an entry is asked",
    "a reset by another thread at the moment in which entries are read or asked can end the process",
)
FREE_ENTRIES_OF_ONE: Final = Probe(
    "torch._dynamo.eval_frame.reset_code",
    "let the reset of one function wait while a condition of an entry is asked",
    "such a reset at the moment in which an entry is asked can end the process",
)
# ---- guard_trees/guards.py -------------------------------------------------------------------------------------------
GUARD_ROOT: Final = Probe(
    "GuardManagerWrapper.root", "walk the tree of guards", "guards cannot be read", "a public guard tree"
)
NODE_LEAVES: Final = Probe("GuardManager.get_leaf_guards", "the conditions on one value", "guards are missing")
NODE_CHILDREN: Final = Probe(
    "GuardManager.get_child_managers", "the values reached through one value", "guards are missing"
)
NODE_ACCESSORS: Final = Probe(
    "GuardManager.get_accessors", "how a value is reached from another", "guards cannot be written as Python"
)
ACCESSOR_TEXT: Final = Probe(
    "GuardAccessor.repr", "which attribute or item is read", "guards cannot be written as Python"
)
CHECK: Final = Probe("RootGuardManager.check", "check guards as a call does", "costs and skipped guards are not known")
SKIPPED_IF_UNCHANGED: Final = Probe(
    "GuardManager.is_tag_safe",
    "tell whether guards on a module may be skipped",
    "whether a call asks guards on a module that is as it was is not known before it",
)
CHECK_VERBOSE: Final = Probe(
    "RootGuardManager.check_verbose", "ask torch which guard fails", "what torch says to a failing guard is not known"
)
ANSWER_HOLDS: Final = Probe(
    "GuardDebugInfo.result", "whether guards hold for a call", "what torch says to a call is not known"
)
ANSWER_PARTS: Final = Probe(
    "GuardDebugInfo.verbose_code_parts", "which guard fails", "what torch says to a failing guard is not known"
)
GUARD_VARIABLES: Final = Probe(
    "GuardManagerWrapper.closure_vars",
    "the torch function modes that a guard expects",
    "guards on torch function modes cannot be written as Python",
)
NODE_KEY_VALUES: Final = Probe(
    "DictGuardManager.get_key_value_managers", "the guards on keys and values of a dict", "guards are missing"
)
NODE_SOURCE: Final = Probe("GuardManager.get_source", "what a guard looks at", "the source of a guard is not known")
NODE_FAILURES: Final = Probe(
    "GuardManager.fail_count", "how often a guard failed", "how often guards failed is not known"
)
NODE_TYPE: Final = Probe(
    "GuardManager.get_type_of_guarded_value",
    "tell modules and libraries from the user's values",
    "guards are grouped by the look of their source alone, and those on tensors and dicts are not made Python",
)
LEAF_PARTS: Final = Probe("LeafGuard.verbose_code_parts", "the text of a guard", "the text of a guard is not known")
EPILOGUE: Final = Probe(
    "RootGuardManager.get_epilogue_lambda_guards", "guards on shapes", "guards on shapes are missing"
)
# ---- cache/resumes.py ------------------------------------------------------------------------------------------------
RESUME_CODES: Final = Probe(
    "torch._dynamo.resume_execution.ContinueExecutionCache.cache",
    "list the resume functions of a code object and where they go on",
    "where a resume function goes on is not known",
)
RESUME_METADATA: Final = Probe(
    "torch._dynamo.resume_execution.ContinueExecutionCache.generated_code_metadata",
    "find the function that a resume function continues",
    "the function that a resume function continues is not known",
)
RESUME_GENERATE: Final = Probe(
    "torch._dynamo.resume_execution.ContinueExecutionCache.generate",
    "name what Dynamo remembers of a resume function",
    "the offset where a resume function goes on is not known",
)
RESUMED_CODE: Final = Probe(
    "ResumeFunctionMetadata.code",
    "the function that a resume function continues",
    "the function that a resume function continues is not known",
)
RESUMED_INSTRUCTIONS: Final = Probe(
    "ResumeFunctionMetadata.instructions",
    "find the instruction where a resume function goes on",
    "where a resume function goes on is not known",
)
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
# ---- calling/debuggers.py --------------------------------------------------------------------------------------------
SET_STRATEGY: Final = Probe(
    "torch._C._dynamo.eval_frame.set_code_exec_strategy",
    "keep Dynamo from compiling the debugger",
    "Dynamo may compile functions of the debugger that stops in compiled code",
)
# ---- cache/targets.py ------------------------------------------------------------------------------------------------
ORIGINAL_CALLABLE: Final = Probe(
    "compiled._torchdynamo_orig_callable",
    "find the function behind what torch.compile returned",
    "a compiled function cannot be told from its original",
)
WRAPPER_ID: Final = Probe(
    "compiled._torchdynamo_wrapper_id",
    "tell a compiled function from one that merely copied its attributes",
    "functools.wraps copies may be taken for compiled functions",
)
OPTIMIZED_MODULE: Final = Probe(
    "torch._dynamo.eval_frame.OptimizedModule",
    "tell a compiled module from others",
    "what torch.compile made of a module is taken for a module of the program's",
)
ORIGINAL_MODULE: Final = Probe(
    "OptimizedModule._orig_mod", "find the module behind what torch.compile returned", "its forward cannot be found"
)
MODULE_CALL: Final = Probe(
    "Module._call_impl",
    "tell that what is called is a module",
    "a module that is called through a method of torch's goes by the name of the method",
)
WRAPPED_CALL: Final = Probe(
    "Module._wrapped_call_impl",
    "tell that what is called is a module, with its hooks",
    "a module that is called through a method of torch's goes by the name of the method",
)
PRE_HOOKS: Final = Probe(
    "Module._forward_pre_hooks",
    "tell that hooks run ahead of a module's forward",
    "what a call of a module would do is told as if it had none",
)
GLOBAL_PRE_HOOKS: Final = Probe(
    "torch.nn.modules.module._global_forward_pre_hooks",
    "tell that hooks of all modules run ahead of a module's forward",
    "what a call of a module would do is told as if there were none",
)
TENSOR_HOOKS: Final = Probe(
    "Tensor._backward_hooks",
    "put back what hooks on gradients change when a call is compared",
    "what such hooks change happens in each run of a compared call",
)
HOOKS_BEHIND: Final = Probe(
    "Tensor._post_accumulate_grad_hooks",
    "put back what hooks after gradients change when a call is compared",
    "what such hooks change happens in each run of a compared call",
)
COMPILER_CONFIG: Final = Probe(
    "compiled.get_compiler_config",
    "tell a decorator to which functools.wraps copied what torch had put on the function inside",
    "torch refuses to compile such a decorator, and a comparison of it says so",
)
COMPILED_CALL: Final = Probe(
    "Module._compiled_call_impl",
    "tell that a module was compiled in place",
    "a module that was compiled in place looks as if its calls ran it as written",
)
DISABLED: Final = Probe(
    "function._torchdynamo_disable", "tell that a function is disabled", "a disabled function looks as if it never ran"
)
DISABLED_WHY: Final = Probe(
    "function._torchdynamo_disable_msg", "say why a function is disabled", "the reason of a disable is not known"
)
# ---- calling/calls.py ------------------------------------------------------------------------------------------------
GENERATED_CODES: Final = Probe(
    "torch._dynamo.convert_frame.output_codes",
    "tell entries that did not run while calls were counted from those that did not exist yet",
    "only entries that ran while calls were counted have a count",
)
SET_CALL_HOOK: Final = Probe(
    "torch._C._dynamo.eval_frame.set_bytecode_debugger_callback",
    "count how often an entry runs",
    "calls cannot be counted (torch 2.12 and newer can)",
)
GET_CALL_HOOK: Final = Probe(
    "torch._C._dynamo.eval_frame.get_bytecode_debugger_callback",
    "keep torch's own debugger working while calls are counted",
    "calls cannot be counted (torch 2.12 and newer can)",
)
SKIP: Final = Probe(
    "torch._dynamo.eval_frame.skip_code",
    "keep Dynamo from compiling what counts the runs of its code",
    "counting is itself compiled and counted",
)
# ---- cache/backends.py -----------------------------------------------------------------------------------------------
LOOKUP_BACKEND: Final = Probe(
    "torch._dynamo.lookup_backend", "find a backend by name", "backends cannot be compared graph by graph"
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
# ---- calling/frames.py -----------------------------------------------------------------------------------------------
STACK_VALUES: Final = Probe(
    "torch._C._dynamo.eval_frame._get_frame_value_stack_with_depth",
    "show the values on the stack of a frame",
    "values on the stack are unreadable here (torch 2.12 and newer can read them)",
)
NULL_ON_STACK: Final = Probe(
    "torch._C._dynamo.eval_frame.NULL_STACK_VALUE",
    "tell an empty slot on the stack from a value",
    "values on the stack are unreadable here (torch 2.12 and newer can read them)",
)

_OTHERS: Final = (
    caller_probes,
    history_probes,
    install_probes,
    program_probes,
    rank_probes,
    stage_probes,
    state_probes,
    trace_probes,
)
_ELSEWHERE: Final = [value for module in _OTHERS for value in vars(module).values()]
PROBES: Final[tuple[Probe, ...]] = tuple(
    value for value in [*globals().values(), *_ELSEWHERE] if isinstance(value, Probe)
)
