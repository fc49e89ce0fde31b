"""depyf's parts for explaining, by the names under which they are imported."""

from __future__ import annotations

from types import CodeType, ModuleType

from unjit.compat.depyf.explain.utils import DynamoOptimizationResult


def dump_src(original_code: CodeType, module: ModuleType | None = None) -> str:
    """Everything about a function that Dynamo compiled, as one Python text."""
    return DynamoOptimizationResult(original_code, None, module).to_src()
