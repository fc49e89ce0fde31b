"""Listening to the calls of all that is compiled, as soon as the program has imported what they go through."""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import sys
from collections.abc import Callable, Sequence
from functools import partial
from types import ModuleType
from typing import Final, TypeAlias

from unjit.model import Maybe
from unjit.torch_private.calling.calls_ahead import on_calls_ahead
from unjit.torch_private.calling.compiled_calls import Hook, on_compiled_calls
from unjit.torch_private.probes.trace_probes import AHEAD_FUNCTION, CALLBACK_NOW

Listening: TypeAlias = Callable[[Hook, Callable[[Exception], None]], Maybe[Callable[[], None]]]
_WAYS: Final = ((CALLBACK_NOW, on_compiled_calls), (AHEAD_FUNCTION, on_calls_ahead))


def await_calls(begin: Callable[[Listening], None]) -> None:
    """Call `begin` with each way of listening to calls, as soon as its module of torch is there. It must not raise."""
    for probe, listening in _WAYS:
        _Awaiting.begin(probe.name.rpartition(".")[0], partial(begin, listening))


class _Awaiting(importlib.abc.MetaPathFinder):
    """A finder that finds nothing, and says when a module has been imported."""

    def __init__(self, module: str, then: Callable[[], None]) -> None:
        self._module = module
        self._then = then

    @classmethod
    def begin(cls, module: str, then: Callable[[], None]) -> None:
        """Call `then` once, as soon as the module is there."""
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
