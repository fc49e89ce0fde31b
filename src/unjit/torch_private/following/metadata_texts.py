"""AOTAutograd's notes on a graph, which torch prints for whoever listens to its trace.

In them there are tensors of the program's own subclasses. To print one calls the program, its `__torch_dispatch__`,
with a tensor that has no values: that may write something, or fail, and the compile with it. While somebody of ours
listens, such a tensor is told by its class alone.
"""

from __future__ import annotations

import pprint
import sys
from dataclasses import fields, is_dataclass
from typing import Any, Final

from unjit.torch_private.following.standing_in import StandIn
from unjit.torch_private.probes.trace_probes import PRINTER


def pprinted(value: Any, indent: int = 1, width: int = 80, **options: Any) -> str:
    """What `pprint.pformat` gives, but for the program's own tensors."""
    return _Printer(indent=indent, width=width, **options).pformat(value)


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


METADATA: Final = StandIn(PRINTER, pprinted)
