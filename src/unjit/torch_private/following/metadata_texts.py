"""AOTAutograd's notes on a graph, which torch prints for whoever listens to its trace.

In them there are tensors of the program's own subclasses. To print one calls the program, its `__torch_dispatch__`,
with a tensor that has no values: that may write something, or fail, and the compile with it. While somebody of ours
listens, such a tensor is told by its class alone.
"""

from __future__ import annotations

import pprint
import sys
import threading
from collections.abc import Callable
from dataclasses import fields, is_dataclass
from typing import Any, Final

from unjit.model import Unknown
from unjit.torch_private.following.undoing import surely
from unjit.torch_private.probes.trace_probes import PRINTER

_lock: Final = threading.Lock()
_listeners: list[object] = []  # recordings can overlap, and end in any order
_torchs_own: list[Any] = []


def leave_tensors_unprinted() -> Callable[[], None]:
    """Begin to tell the program's own tensors by their classes; gives the function that ends this."""
    listener = object()
    with _lock:
        _listeners.append(listener)
        _put(pprinted)

    def end() -> None:
        with _lock:
            if listener in _listeners:
                _listeners.remove(listener)
            if not _listeners and _torchs_own:
                _put(_torchs_own.pop())

    return lambda: surely(end)


def pprinted(value: Any, indent: int = 1, width: int = 80, **options: Any) -> str:
    """What `pprint.pformat` gives, but for the program's own tensors."""
    return _Printer(indent=indent, width=width, **options).pformat(value)


def _put(printer: Any) -> None:
    own = PRINTER.get()
    if isinstance(own, Unknown) or own is printer:
        return
    if printer is pprinted:
        _torchs_own[:] = [own]
    home, _, name = PRINTER.name.rpartition(".")
    setattr(sys.modules[home], name, printer)


class _Printer(pprint.PrettyPrinter):
    def format(self, value: Any, context: dict[int, int], maxlevels: int, level: int) -> tuple[str, bool, bool]:
        if _is_of_the_program(value):
            return f"{type(value).__qualname__}(...)", False, False
        if is_dataclass(value) and hasattr(type(value).__repr__, "__wrapped__"):  # it did not write its own
            shown = ((one.name, getattr(value, one.name)) for one in fields(value) if one.repr)
            parts = [f"{name}={self.format(part, context, maxlevels, level + 1)[0]}" for name, part in shown]
            return f"{type(value).__qualname__}({', '.join(parts)})", False, False
        return super().format(value, context, maxlevels, level)


def _is_of_the_program(value: Any) -> bool:
    """Whether it is a tensor that torch does not know how to print by itself."""
    kind = type(value)
    return issubclass(kind, sys.modules["torch"].Tensor) and kind.__module__.partition(".")[0] != "torch"
