"""Which tests judge which feature: what `make matrix` runs on every pair, and how the table is divided.

The whole suite takes a quarter of an hour for each pair. So a pair gets, of each feature, the test files that a change
in torch or Python would break, and of these the quick ones.
"""

from __future__ import annotations

FEATURES: dict[str, tuple[str, ...]] = {
    "decompile": ("test_decompiler_catalogue.py", "test_decompiler_samples.py", "test_decompiler_units.py"),
    "explain": ("test_plain_code.py", "test_explain.py", "test_explain_targets.py", "test_explain_empty.py"),
    "run": ("test_recorder.py", "test_recorder_events.py", "test_cli_conclude.py"),
    "capture": (
        "test_capture.py",
        "test_capture_directories.py",
        "test_capture_parts.py",
        "test_capture_sources.py",
    ),
    "the page": ("test_report_rows.py", "test_flow.py", "test_call_tree.py"),
    "summary, differences of captures": ("test_summary.py", "test_summary_advice.py", "test_diff_captures.py"),
    "what training keeps, sizes, CUDA graphs": (
        "test_kept_for_backward.py",
        "test_fixed_sizes.py",
        "test_cuda_graphs.py",
    ),
    "ingest: torch's own log": ("test_ingest.py", "test_trace_events.py"),
    "guards as Python": ("test_guards_python.py", "test_guard_cost.py"),
    "why, differences of entries": ("test_why.py", "test_why_advice.py", "test_why_callers.py", "test_diff.py"),
    "step through instructions": ("test_step.py", "test_step_events.py", "test_step_compiled.py"),
    "debug: code, graphs and wrappers on pages": ("test_debug.py", "test_debug_stand_ins.py", "test_pages.py"),
    "debug: Inductor's stages": ("test_debug_stages.py",),
    "entries put into the cache": ("test_installation.py",),
    "rewrite an entry": ("test_rewrite.py", "test_rewrite_code.py", "test_rewrite_installed.py"),
    "count_calls": ("test_counting.py", "test_runs.py"),
    "wrap, getsource, logs": ("test_wrap.py", "test_getsource.py", "test_logs.py"),
    "compare": ("test_compare.py",),
    "merge ranks": ("test_merge.py",),
    "depyf's interface": ("test_compat_depyf.py",),
    "doctor": ("test_doctor.py",),
}


def selected() -> list[str]:
    """The test files that a pair is judged by, without `--whole`."""
    return [name for files in FEATURES.values() for name in files]
