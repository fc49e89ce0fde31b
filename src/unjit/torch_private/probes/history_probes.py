"""The private names by which torch tells what it did before, and how it is set."""

from __future__ import annotations

from typing import Final

from unjit.torch_private.probes.probe import Probe

# ---- cache/history.py ------------------------------------------------------------------------------------------------
METRICS: Final = Probe(
    "torch._dynamo.utils.get_compilation_metrics",
    "what happened in the last compiles: recompile reasons, failures, times",
    "compiles before now are not known",
)
SKIP_REASONS: Final = Probe(  # in the metrics of a record, and in torch's trace
    "torch._dynamo.utils.CompilationMetrics.cudagraph_skip_reason",
    "why graphs run without CUDA graphs, though the program asked for these",
    "a graph that runs without CUDA graphs is not told from others",
)
BREAK_REASONS: Final = Probe(
    "torch._dynamo.utils.graph_break_reasons",
    "reasons and places of graph breaks since the start or reset",
    "breaks are known by the graphs that they ended alone",
)
COUNTERS: Final = Probe(
    "torch._dynamo.utils.counters", "the full texts of graph breaks", "breaks are described in a few words"
)
GUARD_FAILURES: Final = Probe(
    "torch._dynamo.utils.guard_failures", "all guards that failed", "only the first failing guard is known"
)
SEEN_CODES: Final = Probe(
    "torch._dynamo.convert_frame.input_codes",
    "which code objects Dynamo looked at since the start or reset",
    "whether Dynamo looked at a function without entries is not known",
)
SEEN_REFERENCES: Final = Probe(
    "Tracker.seen", "list the code objects that Dynamo looked at, or made", "functions are known by their names alone"
)
DELAYED: Final = Probe(
    "torch._dynamo.eval_frame._EXAMPLE_INPUTS",
    'tell the first call of a function under set_stance("eager_then_compile"), which runs it uncompiled',
    "whether such a call is the first is not known",
)
# ---- cache/learned.py ------------------------------------------------------------------------------------------------
SIZES_SEEN: Final = Probe(
    "torch._dynamo.pgo.get_code_state",
    "have Dynamo forget the sizes that a comparison has shown it",
    "a program that is compared may compile for varying sizes earlier than by itself",
)
# ---- cache/settings.py -----------------------------------------------------------------------------------------------
SKIP_RULE: Final = Probe(
    "torch._dynamo.trace_rules.check_verbose", "why Dynamo skips a file", "the rule for a skipped file is not known"
)
RECOMPILE_LIMIT: Final = Probe(
    "torch._dynamo.config.recompile_limit", "the limit of entries", "the limit of entries is read under its old name"
)
OLD_RECOMPILE_LIMIT: Final = Probe(
    "torch._dynamo.config.cache_size_limit", "the limit of entries, up to torch 2.6", "the recompile limit is not known"
)
ERROR_ON_RECOMPILE: Final = Probe(
    "torch._dynamo.config.error_on_recompile",
    "tell that a recompile would raise",
    "that a recompile would raise is not known",
)
ERROR_AT_LIMIT: Final = Probe(
    "torch._dynamo.config.fail_on_recompile_limit_hit",
    "tell that a call at the recompile limit would raise",
    "a call at the limit is said to run the original",
)
DISPATCH_MODE: Final = Probe(
    "torch.utils._python_dispatch.any_torch_dispatch_mode_on_stack",
    "tell that Dynamo compiles nothing under a TorchDispatchMode",
    "whether a TorchDispatchMode is on is read from a flag",
)
OLD_DISPATCH_MODE: Final = Probe(
    "torch.utils._python_dispatch.is_in_torch_dispatch_mode",
    "tell that Dynamo compiles nothing under a TorchDispatchMode, in older versions",
    "a call under a TorchDispatchMode is told as any other",
)
FULLGRAPH_COUNT: Final = Probe(
    "torch._C._dynamo.eval_frame.set_fullgraph_compiled_frame_count",
    "tell that a call with fullgraph=True raises where nothing compiled runs",
    "such a call is said to run the original, as it does where torch does not count",
)
ACCUMULATED_LIMIT: Final = Probe(
    "torch._dynamo.config.accumulated_recompile_limit",
    "the limit of entries over all modules",
    "the limit over all modules is read under its old name",
)
OLD_ACCUMULATED_LIMIT: Final = Probe(
    "torch._dynamo.config.accumulated_cache_size_limit",
    "the limit of entries over all modules, up to torch 2.6",
    "the limit over all modules is not known",
)
LOOP_BREAKS: Final = Probe(
    "torch._dynamo.symbolic_convert.InstructionTranslatorBase.raise_loop_graph_break",
    "know that torch notes a graph break in a loop as the error that ended a compile",
    "of a function without code explain does not tell whether it has no operations or such a break",
)
