"""The calls of torch's profiler that Dynamo writes into generated code: what is called, and where it is taken from."""

from __future__ import annotations

from typing import Final

RECORDERS: Final = frozenset(
    {"record_pregraph_bytecode_enter", "record_pregraph_bytecode_exit", "_is_profiler_enabled"}
)
HOMES: Final = frozenset({"__import_torch_dot__dynamo_dot_utils", "__import_torch_dot_autograd_dot_profiler"})
