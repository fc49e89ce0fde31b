"""The calls of what torch.compile returned, as they are made: what is called, with what, for which backend.

Each such call asks Dynamo for the callback that the stance of the moment allows. That question is where we listen: the
program keeps the very functions that torch gave it, and what it calls is told by the frame that asks.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from types import FrameType
from typing import Any

from unjit.model import Maybe, Term, Unknown
from unjit.torch_private.cache.backends import Compiler
from unjit.torch_private.cache.targets import is_torchs_wrapper
from unjit.torch_private.calling.callers import innermost, wants_one_graph
from unjit.torch_private.calling.calls import out_of_dynamos_sight
from unjit.torch_private.following.undoing import surely
from unjit.torch_private.probes import trace_probes as probes


@dataclass(frozen=True, slots=True)
class Ahead:
    """What is called where aot_compile has returned it."""

    run: Callable[..., Any]  # with the arguments of the call
    backend: Maybe[Term]
    graphs: tuple[Any, ...]  # what its code calls, among it the graphs as the backend left them


@dataclass(frozen=True, slots=True)
class CompiledCall:
    """One call that is about to be made. Holds live objects: for as long as it takes to look at them."""

    function: Any  # what was handed to torch.compile; for a module, its method that is called
    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    backend: Maybe[Compiler]
    fullgraph: bool
    ahead: Ahead | None = None


Hook = Callable[[CompiledCall], None]


def on_compiled_calls(hook: Hook, failed: Callable[[Exception], None]) -> Maybe[Callable[[], None]]:
    """Call `hook` before each call that may run compiled code; gives what ends this.

    `Unknown` until torch's compiler is imported. Nothing is raised into the program: `failed` gets it.
    """
    asked = probes.CALLBACK_NOW.get()
    if isinstance(asked, Unknown):
        return asked
    module, name = sys.modules[asked.__module__], probes.CALLBACK_NOW.attribute
    tell: Any = out_of_dynamos_sight(lambda frame: _tell(hook, frame))

    def watched(callback: Any) -> Any:
        allowed = asked(callback)
        if allowed is not None and allowed is not False:
            try:
                tell(sys._getframe(1))
            except Exception as error:
                failed(error)
        return allowed

    def end() -> None:
        if getattr(module, name) is watched:
            setattr(module, name, asked)

    setattr(module, name, watched)
    return lambda: surely(end)


def _tell(hook: Hook, frame: FrameType) -> None:
    found = dict(frame.f_locals)
    if {"fn", "args", "kwargs", "callback"} <= found.keys():  # else Dynamo itself asks
        callback = found["callback"]
        passed = _meant(found["fn"]), found["args"], found["kwargs"]
        hook(CompiledCall(*passed, innermost(callback), wants_one_graph(callback)))


def _meant(function: Any) -> Any:
    """What was handed to torch.compile, where torch has put a function around it: a module, partial or object."""
    inside = getattr(function, "__wrapped__", None)
    is_around = hasattr(inside, "named_parameters") or (inside is not None and is_torchs_wrapper(function))
    return inside if is_around else function
