"""depyf's tools for writing what torch made."""

from __future__ import annotations

import contextlib
import itertools
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from unjit.torch_private.calling.frames import outward

_WORD = re.compile(r"__compiled_fn_\d+")


def write_code_to_file_template(src: str, path_template: str) -> str:
    """Write a text to the first path, counting from 0 in place of `%s`, that does not exist or holds this text.

    Gives the path. Raises OSError if it cannot be written.
    """
    for number in itertools.count():
        path = Path(path_template % number)
        if not path.exists():
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(src, encoding="utf-8")
            return str(path)
        if path.read_text(encoding="utf-8") == src:
            return str(path)
    raise AssertionError("counting ends")


def get_current_compiled_fn_name() -> str:
    """`__compiled_fn_N` of the graph that is being compiled in this thread. RuntimeError if none is."""
    for frame in outward(sys._getframe()):
        found = _WORD.match(str(frame.f_locals.get("name")))  # the local of Dynamo's that has the name of the graph
        if found:
            return found[0]
    raise RuntimeError("no graph is being compiled in this thread")


@contextlib.contextmanager
def lock_on_file(path_template: str) -> Iterator[None]:
    """A block that one process at a time may be in: files are written whole, so that nothing is locked."""
    del path_template
    yield


def remove_indentation(code: str) -> str:
    """The text without the indentation of its first line."""
    first = code.lstrip("\n").split("\n", 1)[0]
    width = len(first) - len(first.lstrip())
    return "".join(line[width:] if line[:width].isspace() else line for line in code.splitlines(keepends=True))


class DynamoOptimizationResult:
    """What Dynamo made of a function: entries, guards, code, graphs, as text."""

    def __init__(self, original_code: Any, function_name: str | None = None, module: ModuleType | None = None) -> None:
        from unjit.observe.targets.resolving import resolve

        self.original_code: CodeType = resolve(original_code).code  # of what torch.compile returned, the function's
        self.function_name = function_name or self.original_code.co_name
        self.module = module

    def to_data(self) -> dict[str, Any]:
        """The facts, as plain data."""
        from unjit.api.explain import explain

        return explain(self.original_code).to_dict()

    def to_src(self) -> str:
        """The facts, as one Python text."""
        from unjit.api.explain import explain
        from unjit.compat.depyf.full_code import full_code

        report = explain(self.original_code).report
        return full_code(report, report.function(report.roots[0]))
