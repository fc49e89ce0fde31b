"""An import hook: chosen modules are compiled, decompiled, and run from what the decompiled source compiles to."""

from __future__ import annotations

import fnmatch
import importlib.machinery
import linecache
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib.abc import MetaPathFinder
from types import CodeType, ModuleType

from unjit.decompiler import Decompiled, decompile


class RoundTrip(MetaPathFinder):
    """Finds the modules whose names match, and keeps what the decompiler answered for each."""

    def __init__(self, patterns: Sequence[str]) -> None:
        self.patterns = tuple(patterns)
        self.answers: dict[str, Decompiled] = {}

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not any(fnmatch.fnmatchcase(fullname, pattern) for pattern in self.patterns):
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec is not None and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = _Loader(self, fullname, spec.loader.path)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    """Everything as for the file, but for its code and text."""

    def __init__(self, trip: RoundTrip, fullname: str, path: str) -> None:
        super().__init__(fullname, path)
        self.trip = trip

    def get_code(self, fullname: str) -> CodeType:
        code = compile(self.get_data(self.path), self.path, "exec", dont_inherit=True)
        answer = self.trip.answers[fullname] = decompile(code)
        show_in_tracebacks(self.path, answer.source)
        return answer.recompile()

    def get_source(self, fullname: str) -> str | None:
        answer = self.trip.answers.get(fullname)
        return super().get_source(fullname) if answer is None else answer.source


def show_in_tracebacks(path: str, text: str) -> None:
    """`inspect.getsource`, tracebacks and debuggers find this text for the file; without a time it stays."""
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)


@contextmanager
def round_trip(*patterns: str) -> Iterator[RoundTrip]:
    """Within the block, modules whose names match a pattern (as of `fnmatch`) are imported through the decompiler.

    Only what is imported from a source file, and not before; what was imported so stays when the block ends. The code
    is what the decompiled source compiles to; functions that were not recovered run as they were compiled at first,
    and the answer in `RoundTrip.answers[name]` says so by its verdict.
    """
    trip = RoundTrip(patterns)
    sys.meta_path.insert(0, trip)
    try:
        yield trip
    finally:
        sys.meta_path.remove(trip)
