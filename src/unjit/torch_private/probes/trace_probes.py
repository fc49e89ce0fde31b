"""The private names that following a compile while it happens needs."""

from __future__ import annotations

from typing import Final

from unjit.torch_private.probes.probe import Probe

# ---- following/log_records.py ----------------------------------------------------------------------------------------
BYTECODE_LOG: Final = Probe(
    "torch._dynamo.convert_frame.bytecode_log", "log source beside bytecode", "TORCH_LOGS=bytecode shows no source"
)
GUARDS_LOG: Final = Probe(
    "torch._dynamo.guards.guards_log", "log guards as text", "TORCH_LOGS=guards shows guards in torch's words alone"
)
# ---- following/trace.py ----------------------------------------------------------------------------------------------
BYTECODE_HOOK: Final = Probe(
    "torch._dynamo.convert_frame.register_bytecode_hook",
    "see the code that each compile generates",
    "code that is gone at the end of a run cannot be shown",
)
CURRENT_COMPILE: Final = Probe(
    "torch._guards.CompileContext.current_compile_id",
    "tell which compile generated a code object",
    "code that is gone at the end of a run cannot be told from other code",
)
INTERN_TABLE: Final = Probe(
    "torch._logging.structured.INTERN_TABLE",
    "the file names that torch's trace abbreviates to numbers",
    "places in a capture that began late have no file",
)
CACHE_FOLDER: Final = Probe(
    "torch._inductor.runtime.cache_dir_utils.default_cache_dir",
    "abbreviate the folder of Inductor's cache in the files of a capture",
    "files of a capture name the folder of the cache",
)
# ---- following/being_compiled.py -------------------------------------------------------------------------------------
COMPILE_FRAME: Final = Probe(
    "torch._dynamo.convert_frame._compile",
    "tell at the beginning of a compile which code object it is of",
    "functions in a capture are named by their bare names",
)
INSTALL_FRAME: Final = Probe(
    "torch._dynamo.package.CompilePackage.install",
    "tell which function torch loads from a package, or from its cache of compiled functions",
    "functions that torch loads, compiled before, have no names",
)
CAPTURE_FRAME: Final = Probe(
    "torch._dynamo.convert_frame.fullgraph_capture",
    "tell what torch.export, in strict mode, and aot_compile capture",
    "what they capture has no name",
)
EXPORT_WRAPPER: Final = Probe(
    "torch._dynamo.functional_export.ModuleToTrace",
    "know the module that torch.export puts around what it exports",
    "what is exported has the name of that module's forward",
)
EXPORT_ROOT: Final = Probe(
    "ModuleToTrace._export_root",
    "the module that is exported, in the one that torch.export puts around it",
    "what is exported has the name of that module's forward",
)
# ---- cache/ahead_of_time.py ------------------------------------------------------------------------------------------
_AHEAD: Final = "what aot_compile made is not known"
COMPILE_AHEAD: Final = Probe(
    "torch._dynamo.aot_compile.aot_compile_fullgraph", "tell what aot_compile compiles, while it does", _AHEAD
)
LOAD_AHEAD: Final = Probe(
    "torch._dynamo.aot_compile.AOTCompiledFunction.__post_init__",
    "tell that something is loaded that aot_compile had compiled",
    "what was loaded so and never asked about is not explained at the end of a run",
)
CODE_OF_CAPTURE: Final = Probe("GraphCaptureOutput.bytecode", "the code that aot_compile generated", _AHEAD)
AHEAD_FUNCTION: Final = Probe(
    "torch._dynamo.aot_compile.AOTCompiledFunction", "know a function that aot_compile returned", _AHEAD
)
AHEAD_MODEL: Final = Probe("torch._dynamo.aot_compile.AOTCompiledModel", "the same of a module", _AHEAD)
AHEAD_RESULTS: Final = Probe("AOTCompiledModel.compiled_results", "the functions of such a module", _AHEAD)
AHEAD_MODULE: Final = Probe("AOTCompiledModel.model", "the module itself", _AHEAD)
AHEAD_ASKS: Final = Probe(
    "AOTCompiledFunction._guard_check_enabled",
    "know whether calls of such a function ask its guards",
    "they are supposed to",
)
AHEAD_CHECK: Final = Probe(
    "AOTCompiledFunction.guard_check",
    "know whether a call of such a function comes to its code, to count it",
    "calls that its guards refuse are counted as well",
)
AHEAD_ARTIFACTS: Final = Probe("AOTCompiledFunction._artifacts", "what such a function was compiled to", _AHEAD)
AHEAD_RUNS: Final = Probe("AOTCompiledFunction.fn", "the code that such a function runs, with its globals", _AHEAD)
AHEAD_ORIGINAL: Final = Probe("CompileArtifacts.original_code", "the code that it was made from", _AHEAD)
AHEAD_GUARDS: Final = Probe("CompileArtifacts.guard_manager", "the guards that it asks", _AHEAD)
AHEAD_BACKEND: Final = Probe("CompileArtifacts.backend_name", "the backend that it was compiled for", _AHEAD)
# ---- following/named_graphs.py ---------------------------------------------------------------------------------------
FORMATTED_GRAPH: Final = Probe(
    "torch._dynamo.utils.lazy_format_graph_code",
    "have in a dump of depyf's the graphs that a backend names, as vLLM's before and after each pass",
    "such graphs are not in the dump",
)
# ---- following/metadata_texts.py -------------------------------------------------------------------------------------
PRINTER: Final = Probe(
    "torchgen.utils.pformat",
    "print AOTAutograd's notes on a graph without calling the program",
    "a compile fails where a tensor subclass of the program cannot be printed, as it does when TORCH_TRACE is set",
)
# ---- following/bytecode_texts.py -------------------------------------------------------------------------------------
LISTER: Final = Probe(
    "torch._dynamo.convert_frame.dis",
    "list the code of resume functions without calling the program",
    "objects of the program that Dynamo puts into code are asked for their text, as they are when TORCH_TRACE is set",
)
# ---- guard_trees/guards_in_making.py ---------------------------------------------------------------------------------
_TIMES: Final = "a capture does not tell what the guards of an entry cost"
_MADE: Final = f"{_TIMES}, nor the calls that led to each"
GUARDS_MAKER: Final = Probe(
    "torch._dynamo.guards.CheckFunctionManager.__init__", "find the guards that a compile has just made", _MADE
)
GUARDS_MADE: Final = Probe("CheckFunctionManager.guard_manager", "measure a check of new guards", _MADE)
SCOPE_OF_GUARDS: Final = Probe("OutputGraph.local_scope", "measure a check for the call that caused a compile", _TIMES)
# ---- guard_trees/guard_origins.py ------------------------------------------------------------------------------------
_ORIGINS: Final = "a guard tells one line of the program that caused it, and not the calls that led there"
GUARD_NAME: Final = Probe("Guard.name", "tell what Dynamo asked for a guard on", _ORIGINS)
GUARD_MAKER: Final = Probe("Guard.create_fn", "tell which guard Dynamo asked for", _ORIGINS)
GUARD_CALLS: Final = Probe("Guard.user_stack", "the calls of the program that led to a guard", _ORIGINS)
GUARD_TORCH_CALLS: Final = Probe(
    "Guard.stack", "the line of torch's that asked for a guard", "which line of torch's asked for a guard is not known"
)
STACK_SUMMARY: Final = Probe(
    "CapturedTraceback.summary",
    "read the stack that torch keeps of itself",
    "torch's own stack of a guard is not known",
)
GUARDED_CLASS: Final = Probe(
    "Guard.guarded_class_weakref",
    "the class of a value that is guarded",
    "it is known only where the guard tree has it",
)
# ---- guard_trees/rebuilt_guards.py -----------------------------------------------------------------------------------
_AGAIN: Final = "guards that are kept of a value on which others are dropped are asked in Python"
COMPILE_STATE: Final = Probe("OutputGraph.dump_guards_state", "keep what torch needs to build guards again", _AGAIN)
COMPILE_DEVICE: Final = Probe(
    "OutputGraphGuardsState.current_device", "build guards under the default device of the compile", _AGAIN
)
GUARDS_OF_COMPILE: Final = Probe("torch._guards.GuardsSet", "hand torch its Guard objects again", _AGAIN)
COMPILED: Final = Probe("torch._dynamo.output_graph.OutputGraphCommon", "describe a compile to torch", _AGAIN)
MAKE_GUARDS: Final = Probe("torch._dynamo.guards.CheckFunctionManager", "build guards again", _AGAIN)
# ---- calling/compiled_calls.py ---------------------------------------------------------------------------------------
CALLBACK_NOW: Final = Probe(
    "torch._dynamo.eval_frame._callback_from_stance",
    "see the calls of what torch.compile returned, before they run",
    "unjit compare SCRIPT sees no call",
)
# ---- compiled_graphs/module_stacks.py --------------------------------------------------------------------------------
WRITE_RECORD: Final = Probe(
    "torch._logging.trace_structured",
    "find the graph that torch prints for its trace, to read what each node came from",
    "graphs in a capture are not nested by module, nor is it told what AOTAutograd took apart",
)
# ---- following/fresh.py ----------------------------------------------------------------------------------------------
FRESH_CACHE: Final = Probe(
    "torch._inductor.utils.fresh_cache",
    "compile with caches that are empty",
    "empty caches are made under an older name",
)
OLD_FRESH_CACHE: Final = Probe(
    "torch._inductor.utils.fresh_inductor_cache",
    "compile with caches that are empty, up to torch 2.6",
    "what comes out of a cache has no origin, also in a capture that asks for fresh caches",
)
PROVENANCE_LEVEL: Final = Probe(
    "torch._inductor.config.trace.provenance_tracking_level",
    "make Inductor tell which kernel came from which operation",
    "which kernel came from which operation is not known",
)
PROFILER_CALLS: Final = Probe(
    "torch._dynamo.config.record_runtime_overhead",
    "leave the calls of torch's profiler out of generated code",
    "generated code in a capture holds the calls of torch's profiler",
)
