"""Conditions of ours after Dynamo's guards, and what must not happen while one of them is asked.

Dynamo is then walking along the list of entries, and asks guards that belong to one of them: who takes entries out of
it makes Dynamo read freed memory. That ends the process, or spins for ever, at once or much later. Removals of ours ask
`is_asking` first; Dynamo's own resets are held back by `hold_resets_back`.
"""

from __future__ import annotations

import _thread
import contextlib
import itertools
import operator
import sys
import threading
import time
import traceback
import warnings
import weakref
from collections.abc import Callable, Iterator, Mapping
from types import CodeType, FrameType, MappingProxyType
from typing import Any, Final

from unjit.errors import UnjitError
from unjit.model import Message, Unknown
from unjit.model.words.wording import in_words
from unjit.torch_private.calling.calls import out_of_dynamos_sight
from unjit.torch_private.calling.frames import outward
from unjit.torch_private.probes.cache_probes import FREE_ENTRIES, FREE_ENTRIES_OF_ONE
from unjit.torch_private.probes.install_probes import RESET_CODE
from unjit.torch_private.probes.probe import Probe, is_part_of_torch

Decide = Callable[[Mapping[str, Any]], object]

ASKING: Final = Unknown(Message("a condition of an entry is being asked, and Dynamo is looking through its entries"))
_PATIENCE: Final = 10.0  # seconds that a reset waits for a condition that another thread asks
_HELD_BACK: Final = "unjit_held_back"  # Dynamo's own function, of what stands before it
_supposed: dict[int, Any] = {}  # by its identity, what stands in for a frame's locals where conditions are not asked
_asked: set[weakref.ref[_Asked]] = set()  # one for each condition that is being asked, in any thread
_calls: dict[int, tuple[int, int]] = {}  # of each thread that asked one: the frame with the call, and the instruction


class _Asked:
    """Lives while a condition is being asked."""

    __slots__ = ("__weakref__",)


class Condition:
    """A question that is asked after all guards hold, in the form that Dynamo's C++ can bear.

    C++ takes what a condition raises for "no", in silence, and an answer whose truth cannot be told corrupts the
    interpreter's error state. So an error is kept, told in a warning, and means that the entry is not taken.
    """

    def __init__(self, decide: Decide, text: str) -> None:
        self.decide, self.text = decide, text
        self.error: BaseException | None = None  # what it raised first

    def __call__(self, frame_locals: dict[str, Any]) -> bool:
        if id(frame_locals) in _supposed:
            return True
        caller = sys._getframe(1)
        _calls[threading.get_ident()] = id(caller), caller.f_lasti
        asked = _Asked()
        _asked.add(weakref.ref(asked, _asked.discard))
        answer = False
        try:
            answer = bool(self.decide(MappingProxyType(frame_locals)))
        except KeyboardInterrupt:  # it would be lost here: the user gets it when the lookup is over
            threading.Timer(0.01, _thread.interrupt_main).start()
        except BaseException as error:
            self._note(error)
        del asked  # not by a call, after which another thread may run: Dynamo goes on before any other does
        return answer

    def _note(self, error: BaseException) -> None:
        if self.error is not None:
            return
        file, line, module = _place(error)
        self.error = error.with_traceback(None)  # which would keep the frame's tensors alive
        told = f"the condition `{self.text}` of a copied entry raised {in_words(error)}; it counts as no"
        try:
            warnings.warn_explicit(told, RuntimeWarning, file, line, module)
        except Warning:  # the user's filter makes it an error, which has no way out of a lookup
            return


def _place(error: BaseException) -> tuple[str, int, str | None]:
    """The line of the user's condition at which an error came out of it; of an expression, the call that asked it."""
    for frame, line in traceback.walk_tb(error.__traceback__):
        if _is_users(frame):
            return frame.f_code.co_filename, line, frame.f_globals.get("__name__")
    frame = sys._getframe()
    while frame.f_back is not None and not _is_users(frame):
        frame = frame.f_back
    return frame.f_code.co_filename, frame.f_lineno, frame.f_globals.get("__name__")


def _is_users(frame: FrameType) -> bool:
    """Whether a frame has lines that a user may read: not unjit's nor torch's, nor those of text that was evaluated."""
    own = str(frame.f_globals.get("__name__")).partition(".")[0] == "unjit"
    return not (own or is_part_of_torch(frame.f_code) or frame.f_code.co_filename == "<string>")


@contextlib.contextmanager
def supposing_conditions_hold(frame_locals: Any) -> Iterator[None]:
    """Within it, guards that are asked about these locals, of a frame that is none of the program's, ask no condition.

    Whatever else runs meanwhile, as a finalizer that calls compiled code, has its conditions asked.
    """
    _supposed[id(frame_locals)] = frame_locals
    try:
        yield
    finally:
        _supposed.pop(id(frame_locals), None)


def is_asking() -> bool:
    """Whether a condition is being asked, so that Dynamo's lists must not be changed."""
    return bool(_asked)


def a_condition_asks() -> bool:
    """Whether the caller is called, on whatever way, by a condition that is being asked."""
    return is_asking() and _asks_itself(sys._getframe(1))


def hold_resets_back() -> None:
    """From now on Dynamo's resets free no entries while a condition is asked, in this process.

    A reset by the condition itself raises UnjitError, which counts as the condition's error; one by another thread
    waits for the answer, and raises if that takes too long. Doing it again changes nothing.
    """
    for probe in (RESET_CODE, FREE_ENTRIES, FREE_ENTRIES_OF_ONE):
        frees = probe.get()
        if not isinstance(frees, Unknown) and not hasattr(frees, _HELD_BACK):
            setattr(sys.modules[probe.name.rpartition(".")[0]], probe.attribute, _held_back(frees))


def _held_back(frees: Callable[[CodeType], object]) -> Callable[[CodeType], None]:
    @out_of_dynamos_sight
    def when_nobody_asks(code: CodeType) -> None:
        deadline, patient = time.monotonic() + _PATIENCE, True
        while (patient and _another_thread_may_look()) or not _unless_asking(frees, code):
            if _asks_itself(sys._getframe()):
                raise UnjitError(
                    "a condition of an installed entry must not reset Dynamo: that would free the entries among which "
                    "Dynamo is choosing; reset after the call"
                )
            if not patient:
                raise UnjitError(
                    f"Dynamo was not reset: a condition of an installed entry has been asked for {_PATIENCE:.0f} "
                    "seconds by another thread, and a reset would free the entries among which Dynamo is choosing"
                )
            time.sleep(0.001)
            patient = time.monotonic() < deadline

    setattr(when_nobody_asks, _HELD_BACK, frees)
    return when_nobody_asks


def not_held_back(probe: Probe) -> Any:
    """Dynamo's own function, also where ours stands before it."""
    found = probe.get()
    return getattr(found, _HELD_BACK, found)


def _another_thread_may_look() -> bool:
    """Whether a thread is still at the call for which it asked a condition.

    Dynamo lets other threads run before each entry that it asks, and the function's own frame begins after the last.
    """
    frames = sys._current_frames()
    return any((id(frame), frame.f_lasti) == _calls.get(thread) for thread, frame in frames.items())


def _unless_asking(frees: Callable[[CodeType], object], code: CodeType) -> bool:
    """Free the entries of a function unless a condition is asked: one step of the interpreter, without a switch."""
    freed: list[object] = []
    freed.extend(map(frees, itertools.compress((code,), map(operator.not_, (_asked,)))))
    return bool(freed)


def _asks_itself(frame: FrameType) -> bool:
    return any(one.f_code is Condition.__call__.__code__ for one in outward(frame))
