"""Something that is to be done to one of torch's modules as soon as the program has imported it."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from types import ModuleType

from unjit.torch_private.probes.probe import Probe


class Awaiting(importlib.abc.MetaPathFinder):
    """A finder that finds nothing, and says when the module that a probe asks has been imported."""

    def __init__(self, module: str, then: Callable[[], None]) -> None:
        self._module = module
        self._then = then

    @classmethod
    def begin(cls, probe: Probe, then: Callable[[], None]) -> None:
        """Call `then` once, as soon as the module is there. It must not raise."""
        module = probe.name.rpartition(".")[0]
        if module in sys.modules:
            then()
        else:
            sys.meta_path.insert(0, cls(module, then))

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, _target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        """The module's own spec, whose loader tells when it is done; for all others nothing."""
        if fullname != self._module:
            return None
        sys.meta_path[:] = [finder for finder in sys.meta_path if finder is not self]
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        loader = None if spec is None else spec.loader
        if loader is not None:
            execute = loader.exec_module

            def exec_module(module: ModuleType) -> None:
                del loader.exec_module  # the class's own is there again
                execute(module)
                self._then()

            loader.exec_module = exec_module  # type: ignore[method-assign]
        return spec
