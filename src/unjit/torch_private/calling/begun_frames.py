"""Frames that begin, so that Dynamo decides about them, and end before their first instruction.

What Dynamo does with a function lies in C++, and is decided in one place only: where a frame of the function begins.
So one is begun, with a callback of ours in place of Dynamo's, and a tracing function ends it whatever Dynamo decides
to run in it: neither the user's code nor that of an entry runs. A frame that cannot be ended is not begun.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Collection, Iterable
from contextlib import AbstractContextManager
from types import CellType, CodeType, FrameType, FunctionType
from typing import Any

from unjit.model import Unknown, first_unknown
from unjit.torch_private.probes import install_probes as probes


class _Ended(BaseException):
    """The frame was ended before its first instruction."""


def begin_frame(code: CodeType, others: Collection[CodeType], callback: Callable[..., Any], region: int | None) -> bool:
    """Begin a frame of `code` under Dynamo's `callback`, in this region of entries, and end it.

    `others` are the codes of its entries, whose frames are ended as well. The callback must not raise: torch would keep
    its view of the frame, and the code with it, for good. False if nothing was begun, since tracing functions are not
    called here. Needs `SET_CALLBACK`, and `SET_REGION` for a region.
    """
    ending = _Ending([code, *others])
    begun = _function_without_arguments(code), callback, region
    with _no_entry_fits():
        # A debugger at its prompt is inside a tracing function, where no other is called unless one asks for it.
        return bool(sys.call_tracing(ending.begin, begun))


def leave_alone() -> Any:
    """What a callback answers so that Dynamo goes on with the frame and changes nothing; Unknown in older versions."""
    action, answer = probes.ACTION.get(), probes.ANSWER.get()
    as_any = action if isinstance(action, Unknown) else probes.ACTION_DEFAULT.of(action)
    default = as_any if isinstance(as_any, Unknown) else probes.STRATEGY.call(as_any, as_any)
    missing = first_unknown(default, answer)
    if missing is not None:
        return missing
    try:
        return answer(default, apply_to_code=False)
    except TypeError:  # older: it is noted with the code, which has this strategy where a callback is asked at all
        return probes.ANSWER.call(default)


def is_ending(code: CodeType) -> bool:
    """Whether this is the tracing function that ends frames."""
    return code is _Ending.end.__code__


def _no_entry_fits() -> AbstractContextManager[Any]:
    """A block in which no entry's guards hold: a mode is on that none of them knows."""
    from torch.overrides import TorchFunctionMode

    class Beginning(TorchFunctionMode):
        pass

    return Beginning()


class _Ending:
    def __init__(self, codes: Iterable[CodeType]) -> None:
        self.codes = {id(code): code for code in codes}  # code of Dynamo's may have constants that cannot be hashed

    def end(self, frame: FrameType, _event: str, _arg: Any) -> None:
        if id(frame.f_code) in self.codes:
            raise _Ended

    def begin(self, function: Callable[[], object], callback: Callable[..., Any], region: int | None) -> bool:
        set_callback, set_region = probes.SET_CALLBACK.get(), probes.SET_REGION.get()
        tracing = sys.gettrace()
        sys.settrace(self.end)
        try:
            if not self._ends_frames():
                return False
            before = None if region is None else set_region(region)
            called_back = set_callback(callback)
            try:
                function()
            except _Ended:
                pass
            finally:
                set_callback(called_back)
                if region is not None:
                    set_region(before)
        finally:
            sys.settrace(tracing)
        return True

    def _ends_frames(self) -> bool:
        """Whether a tracing function can end frames here: tried on a frame in which nothing happens."""
        self.codes[id(_nothing.__code__)] = _nothing.__code__
        try:
            _nothing()
        except _Ended:
            sys.settrace(self.end)
            return True
        return False


def _nothing() -> None:
    """Does nothing: a frame of it is begun to see whether it is ended."""


def _function_without_arguments(code: CodeType) -> Callable[[], object]:
    """A function with this code that can be called with nothing: every argument has a default, every cell is empty."""
    cells = tuple(CellType() for _ in code.co_freevars)
    function = FunctionType(code, {}, code.co_name, (None,) * code.co_argcount, cells)
    function.__kwdefaults__ = dict.fromkeys(code.co_varnames[code.co_argcount :][: code.co_kwonlyargcount])
    return function
