"""The private names by which calls are followed and told apart, and frames looked into."""

from __future__ import annotations

from typing import Final

from unjit.torch_private.probes.probe import Probe

# ---- calling/debuggers.py --------------------------------------------------------------------------------------------
SET_STRATEGY: Final = Probe(
    "torch._C._dynamo.eval_frame.set_code_exec_strategy",
    "keep Dynamo from compiling the debugger",
    "Dynamo may compile functions of the debugger that stops in compiled code",
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
# ---- calling/callers.py ----------------------------------------------------------------------------------------------
CALLBACK: Final = Probe(
    "OptimizeContext.callback",
    "tell which backend and limit a call brings along",
    "entries of other backends are taken for entries that a call may use",
    "get_compiler_config",
)
DYNAMIC_SIZES: Final = Probe(
    "OptimizeContext._dynamic",
    "compare a function with sizes that vary as the program has it (dynamic=…)",
    "unjit.compare compiles a function as without dynamic=…",
)
SIZES_TOLD: Final = Probe(
    "OptimizeContext._shapes_spec",
    "compare a function with sizes that vary as the program has it (shapes_spec=…)",
    "unjit.compare compiles a function as without shapes_spec=…, which torch before 2.13 does not have",
)
CALL_REGION: Final = Probe(
    "OptimizeContext._isolate_recompiles_id",
    "tell which entries a call with isolate_recompiles may use",
    "entries of other regions are taken for entries that a call may use",
)
STANCE: Final = Probe(
    "torch._dynamo.eval_frame._stance", "tell what torch.compiler.set_stance set", "stances are not known"
)
STANCE_NAME: Final = Probe("DynamoStance.stance", "tell what calls do under set_stance", "stances are not known")
STANCE_BACKEND: Final = Probe(
    "DynamoStance.backend", "tell that set_stance forces a backend", "a call is taken for one of its own backend"
)
STANCE_SKIPS: Final = Probe(
    "DynamoStance.skip_guard_eval_unsafe",
    "tell that set_stance leaves most guards out",
    "a call is said to ask all guards",
)
MODULE_CONTEXT: Final = Probe(
    "OptimizedModule.dynamo_ctx",
    "find the backend that a compiled module belongs to",
    "which backend's entries a call of a module may run is not known",
)
OWN_LIMIT: Final = Probe(
    "ConvertFrame._recompile_limit",
    "tell the limit of entries that torch.compile was given",
    "the limit of torch's settings is taken for that of a call",
)
CALLBACK_HOOKS: Final = Probe(
    "CatchErrorsWrapper.hooks",
    "find the filter of guards that torch.compile was given",
    "it is not said that guards were left out",
)
GUARD_FILTER: Final = Probe(
    "Hooks.guard_filter_fn",
    "find the filter of guards that torch.compile was given",
    "it is not said that guards were left out",
)
ONE_GRAPH: Final = Probe(
    "ConvertFrameAssert._one_graph",
    "tell that torch.compile was called with fullgraph=True",
    "a call of it is said to run the original where it raises",
)
CALLBACK_WRAPS: Final = Probe(
    "callback._torchdynamo_orig_backend",
    "find the backend that a compiled function belongs to",
    "which backend's entries a call may run is not known",
)
CALLBACK_WRAPS_OLD: Final = Probe(
    "callback._torchdynamo_orig_callable",
    "find the backend that a compiled function belongs to, in torch 2.6",
    "which backend's entries a call may run is not known there",
)
BACKENDS_IN_USE: Final = Probe(
    "torch._dynamo.eval_frame.cached_backends",
    "tell, where entries do not name their backend, that there is only one",
    "which entries a call may run is not known where entries do not name their backend",
)
MATCHED: Final = Probe(
    "GuardManagerWrapper.id_matched_objs",
    "count the entries that the recompile limit counts",
    "entries for other modules are counted against the recompile limit",
)
