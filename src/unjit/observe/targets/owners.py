"""The function whose frame a cache entry runs in: how it is called, and what its frame holds when it begins."""

from __future__ import annotations

import gc
import os
from collections.abc import Callable
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from unjit.errors import BadTarget, Gone, UnjitError
from unjit.observe.targets.frames import entered, locals_of, origin, with_code
from unjit.observe.targets.resolving import called_through
from unjit.observe.targets.weak_references import weakly


@dataclass(frozen=True, slots=True)
class Call:
    """One call of a function, with the arguments as the function itself gets them."""

    function: FunctionType
    args: tuple[Any, ...]
    kwargs: dict[str, Any]

    def run(self, code: CodeType) -> Any:
        """What `code`, which fits the function's frame, gives for this call. Raises what it raises."""
        return with_code(self.function, code)(*self.args, **self.kwargs)


class Owner:
    """The function with this code, and what it was asked for by; nothing is kept alive."""

    def __init__(self, code: CodeType, target: Any = None) -> None:
        self.code: Callable[[], CodeType | None] = weakly(code)
        asked = origin(target)
        self._target = weakly(None if isinstance(asked, CodeType) else asked)
        self._through = weakly(called_through(target))

    def living_code(self) -> CodeType:
        """Raises Gone if it no longer exists."""
        code = self.code()
        if code is None:
            raise Gone("the function of this entry no longer exists")
        return code

    def call(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Call:
        """The call that these arguments make: `self` and what a partial holds come before them.

        Without what was asked for, of the one function that has the code. Raises UnjitError if that is not one.
        """
        code, target, through = self.living_code(), self._target(), self._through()
        if through is not None and through.__code__ is code:
            return Call(through, args, kwargs)
        if target is not None:
            function, all_args, all_kwargs = entered(target, args, kwargs)
            if function.__code__ is code:
                return Call(function, all_args, all_kwargs)
        return Call(_only_function(code), args, kwargs)

    def locals(self, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
        """The locals of the frame of a call with these arguments. Raises BadCall if they do not fit."""
        try:
            call = self.call(args, kwargs)
        except BadTarget:
            raise
        except UnjitError:
            code = self.living_code()
            if code.co_freevars:
                raise BadTarget(
                    f"what {code.co_name} closes over is known only when it runs; pass the frame's locals to "
                    "guards.check_frame"
                ) from None
            call = Call(FunctionType(code, {}), args, kwargs)
        return locals_of(call.function, call.args, call.kwargs, known=len(call.args) - len(args))


def _only_function(code: CodeType) -> FunctionType:
    """The function that has the code, where every function with it behaves alike."""
    found = [one for one in gc.get_referrers(code) if isinstance(one, FunctionType) and one.__code__ is code]
    if not found and _are_frozen():
        raise UnjitError(
            f"the function with the code of {code.co_name} cannot be looked for, as the program called gc.freeze(); "
            "pass the function to unjit.explain"
        )
    if not found:
        raise Gone(f"no function with the code of {code.co_name} exists now; pass a function to unjit.explain")
    if len(set(map(_what_decides, found))) > 1:
        raise UnjitError(
            f"{len(found)} functions have the code of {code.co_name}, with other variables or defaults each; "
            "pass the one that is meant to unjit.explain"
        )
    return found[0]


def _are_frozen() -> bool:
    """Whether gc.freeze() has put what was there out of the garbage collector's sight.

    Asked of a function that Python itself has from its start: Python 3.12 counts some objects as frozen then already.
    """
    return not any(one is os.walk for one in gc.get_referrers(os.walk.__code__))


def _what_decides(function: FunctionType) -> tuple[object, ...]:
    """What a call of it depends on besides the code, by identity."""
    defaults, keywords = function.__defaults__ or (), function.__kwdefaults__ or {}
    cells = tuple(map(id, function.__closure__ or ()))
    return id(function.__globals__), cells, tuple(map(id, defaults)), tuple((k, id(v)) for k, v in keywords.items())
