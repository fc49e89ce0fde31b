"""Runs one unit test module with the modules of a folder that `store` wrote: `python stored.py FOLDER TEST RESULT`.

Imports nothing before the hook is in place but what every Python has at its start, and nothing of unjit at all.
"""

from __future__ import annotations

import marshal
import sys

# What importlib is made of; importing importlib itself would import other modules first.
from _frozen_importlib_external import MAGIC_NUMBER, PathFinder, SourceFileLoader

TYPE_CHECKING = False  # typing would import others as well
if TYPE_CHECKING:
    from collections.abc import Sequence
    from importlib.machinery import ModuleSpec
    from types import CodeType, ModuleType


class StoredFinder:
    """Finds every module that the folder has."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.texts: dict[str, str] = {}
        self.started = False  # whether linecache may be imported

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        try:
            with open(f"{self.folder}/{fullname}.code", "rb") as file:  # noqa: PTH123  # pathlib is not loaded yet
                data = file.read()
        except OSError:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or not isinstance(spec.loader, SourceFileLoader) or not data.startswith(MAGIC_NUMBER):
            return None
        spec.loader = StoredLoader(self, fullname, spec.loader.path, marshal.loads(data[4:]))  # noqa: S302  # our own
        return spec

    def show(self) -> None:
        """Put the texts where tracebacks look for them."""
        import linecache

        self.started = True
        for name, path in self.texts.items():
            with open(f"{self.folder}/{name}.py", encoding="utf-8", errors="surrogatepass") as file:  # noqa: PTH123
                lines = file.readlines()
            linecache.cache[path] = (sum(map(len, lines)), None, lines, path)


class StoredLoader(SourceFileLoader):
    """Everything as for the file, but for its code."""

    def __init__(self, finder: StoredFinder, fullname: str, path: str, code: CodeType) -> None:
        super().__init__(fullname, path)
        self.finder, self.code = finder, code

    def get_code(self, fullname: str) -> CodeType:
        self.finder.texts[fullname] = self.path
        if self.finder.started:
            self.finder.show()
        return self.code


def main(folder: str, test: str, result: str) -> None:
    """Run the tests of one module; write what came of them, as JSON."""
    finder = StoredFinder(folder)
    sys.meta_path.insert(0, finder)
    del sys.path[0]  # this file's own folder
    import json
    import unittest

    suite = unittest.defaultTestLoader.loadTestsFromName(test)
    finder.show()
    ran = unittest.TextTestRunner(verbosity=0).run(suite)
    bad = [(str(case), trace) for case, trace in (*ran.failures, *ran.errors)]
    bad += [(str(case), "passed unexpectedly") for case in ran.unexpectedSuccesses]
    found = {"ran": ran.testsRun, "skipped": len(ran.skipped), "bad": bad, "through": sorted(finder.texts)}
    with open(result, "w", encoding="utf-8") as file:  # noqa: PTH123
        json.dump(found, file)


if __name__ == "__main__":
    main(*sys.argv[1:4])
