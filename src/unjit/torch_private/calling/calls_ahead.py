"""The calls of what `aot_compile` returned, as they are made.

Such a call asks nobody in torch: it goes from its class's `__call__` to the code. That method is where we listen.
"""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable
from functools import partial
from types import FunctionType, MethodType
from typing import Any, Final, TypeAlias

from unjit.errors import Unsupported
from unjit.model import Maybe, Message, Unknown
from unjit.torch_private.cache.ahead_of_time import called_ahead, entries_of_ahead, original_of
from unjit.torch_private.calling.calls import CallHook, before_runs, out_of_dynamos_sight
from unjit.torch_private.calling.compiled_calls import Ahead, CompiledCall, Hook
from unjit.torch_private.following.undoing import surely
from unjit.torch_private.probes import trace_probes as probes

_ENDED: Final = "unjit_ended"  # on what we put around that method: what it was put around, once it has ended
_changes = threading.RLock()  # held while that method is read and replaced
_Call: TypeAlias = Callable[..., Any]
_UNTOLD: Final = Unknown(Message("torch keeps no backend of what it compiled ahead of time, other than its name"))


def on_calls_ahead(hook: Hook, failed: Callable[[Exception], None]) -> Maybe[Callable[[], None]]:
    """Call `hook` before each call of what aot_compile returned; gives what ends this.

    `Unknown` where torch has no such thing. Nothing is raised into the program: `failed` gets it.
    """
    tell: Any = out_of_dynamos_sight(lambda call: hook(call_ahead(*call)))

    def around(own: _Call) -> _Call:
        def called(made: Any, *args: Any, **kwargs: Any) -> Any:
            try:
                tell((made, args, kwargs))
            except Exception as error:
                failed(error)
            return own(made, *args, **kwargs)

        return called

    return _listening(around)


def before_any_runs(hook: CallHook) -> Maybe[Callable[[], None]]:
    """`before_runs`, also of what aot_compile returned, which torch does not tell of; gives what ends this."""
    ends = before_runs(hook)
    if isinstance(ends, Unknown):
        return ends

    def around(own: _Call) -> _Call:
        def called(made: Any, *args: Any, **kwargs: Any) -> Any:
            runs = probes.AHEAD_RUNS.of(made)
            if isinstance(runs, FunctionType) and _holds(made, args, kwargs):
                hook(runs.__code__)
            return own(made, *args, **kwargs)

        return called

    ends_ahead = _listening(around)

    def end() -> None:
        if not isinstance(ends_ahead, Unknown):  # of a torch without it
            ends_ahead()
        ends()

    return end


def _holds(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> bool:
    """Whether the call comes to the code: where it asks guards, and they do not hold, it raises."""
    check = probes.AHEAD_CHECK.of(made)
    if probes.AHEAD_ASKS.of(made) is False or isinstance(check, Unknown):
        return True
    try:
        return bool(check(*args, **kwargs))
    except Exception:  # of arguments that do not fit, as the call is about to raise
        return False


def _listening(around: Callable[[_Call], _Call]) -> Maybe[Callable[[], None]]:
    """Put a function around the one that such a call goes to; gives what ends this, in whatever order they end."""
    kind = probes.AHEAD_FUNCTION.get()
    if isinstance(kind, Unknown):
        return kind
    with _changes:
        own = kind.__call__
        ours: Any = around(own)
        ended: list[Any] = []

        def called(made: Any, *args: Any, **kwargs: Any) -> Any:
            return (own if ended else ours)(made, *args, **kwargs)

        def end() -> None:
            with _changes:
                ended[:] = [own]
                top = kind.__call__
                while getattr(top, _ENDED, None):
                    (top,) = getattr(top, _ENDED)
                if top is not kind.__call__:
                    kind.__call__ = top

        for function in (called, ours):  # Dynamo looks at nothing in files of its own
            function.__code__ = function.__code__.replace(co_filename=own.__code__.co_filename)
        setattr(called, _ENDED, ended)
        kind.__call__ = called
    return lambda: surely(end)


def call_ahead(made: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> CompiledCall:
    """A call of what aot_compile returned, as one of the function that it was made from.

    Where a module's forward is handed its module, as vLLM calls it, it is the call of that module's method. Raises
    Unsupported where torch does not tell the function.
    """
    function: Any = original_of(made)
    if function is None:
        raise Unsupported("what aot_compile returned does not tell the function that it was made from")
    backend, run = entries_of_ahead(made)[0].backend, made
    own = getattr(args[0], "forward", None) if args else None
    if isinstance(function, MethodType):
        owner: Any = function.__self__
        function = owner.forward
    elif isinstance(own, MethodType) and getattr(own.__func__, "__code__", None) is function.__code__:
        function, args, run = own, args[1:], partial(made, args[0])
    else:
        function = _in_its_module(function)
    return CompiledCall(function, args, kwargs, _UNTOLD, fullgraph=True, ahead=Ahead(run, backend, called_ahead(made)))


def _in_its_module(function: FunctionType) -> FunctionType:
    """The same with the globals of its module, of which torch has kept a copy; as it is where no module has them."""
    needed = {name for name in function.__code__.co_names if name in function.__globals__}
    file = function.__code__.co_filename
    scopes = (getattr(module, "__dict__", {}) for module in list(sys.modules.values()))
    scope = next((scope for scope in scopes if scope.get("__file__") == file and needed <= scope.keys()), None)
    if scope is None:
        return function
    found = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, function.__closure__)
    found.__kwdefaults__, found.__qualname__ = function.__kwdefaults__, function.__qualname__
    return found
