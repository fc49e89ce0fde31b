"""Keeping Dynamo's hands off a debugger that runs in the middle of compiled code.

Between two graphs of compiled code Dynamo looks at every function that is called. The functions of a debugger that
stops there are called, too: Dynamo would compile them while somebody waits at a prompt.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from types import CodeType, FunctionType, ModuleType

from unjit.model import Unknown
from unjit.torch_private.probes import call_probes, install_probes
from unjit.torch_private.probes.probe import Probe

_DEBUGGERS = ("bdb", "pdb", "pydevd", "_pydevd_bundle", "_pydevd_sys_monitoring", "debugpy", "unjit.stepping")
_INSIDE = tuple(f"{name}." for name in _DEBUGGERS)


def leave_debuggers_alone() -> Callable[[], None]:
    """Have Dynamo run the functions of debuggers that are loaded, and all that they call, as they are.

    Gives the function that ends this. Without the private names for it, Dynamo compiles what it likes: that costs time
    at the prompt and changes nothing else.
    """
    codes = [code for name in list(sys.modules) if _is_debugger(name) for code in _codes(sys.modules[name])]
    _mark(codes, install_probes.ACTION_SKIP)
    return lambda: _mark(codes, install_probes.ACTION_DEFAULT)


def _is_debugger(module: str) -> bool:
    return module in _DEBUGGERS or module.startswith(_INSIDE)


def _mark(codes: list[CodeType], action: Probe) -> None:
    chosen = action.of(install_probes.ACTION.get())
    strategy = chosen if isinstance(chosen, Unknown) else install_probes.STRATEGY.call(chosen, chosen)
    for code in () if isinstance(strategy, Unknown) else codes:
        call_probes.SET_STRATEGY.call(code, strategy)


def _codes(module: ModuleType) -> Iterator[CodeType]:
    """The code of the functions that a module defines, methods included."""
    for value in list(vars(module).values()):
        if isinstance(value, FunctionType) and value.__module__ == module.__name__:
            yield value.__code__
        elif isinstance(value, type) and value.__module__ == module.__name__:
            yield from (method.__code__ for method in vars(value).values() if isinstance(method, FunctionType))
