"""The private names that reading Dynamo's cache, and what torch.compile was asked for, needs."""

from __future__ import annotations

from typing import Final

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
CUDA_GRAPHS: Final = Probe(
    "torch._inductor.config.triton.cudagraphs",
    "run what was compiled earlier in a comparison, where no CUDA graph can come of it",
    "a comparison on a GPU leaves out what Inductor compiled earlier",
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
# ---- cache/backends.py -----------------------------------------------------------------------------------------------
LOOKUP_BACKEND: Final = Probe(
    "torch._dynamo.lookup_backend", "find a backend by name", "backends cannot be compared graph by graph"
)
