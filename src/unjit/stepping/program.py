"""`unjit run --step NAME`: a prompt in each run of what Dynamo made of a function, in a program that is unchanged."""

from __future__ import annotations

import atexit
import os
import sys
import threading
from collections.abc import Callable
from types import CodeType, FrameType

from unjit.model import Unknown
from unjit.model.words.wording import in_words
from unjit.observe.functions.names import identifier, original_of, without_number
from unjit.observe.functions.sources import as_far_as_kept, qualname
from unjit.observe.listening.each_compile import Listening
from unjit.stepping.session import Stepper
from unjit.torch_private.calling.calls import before_runs


class ProgramStepper(Stepper):
    """Watches only while a run of the function's generated code lasts, so that the rest goes at its own speed.

    Where torch does not tell of such runs (before 2.12), it watches from the first one's compile on.
    """

    def __init__(self, name: str) -> None:
        super().__init__(None)
        self._name = without_number(name)
        self._codes: set[tuple[str, bytes]] = set()  # by name and content: who comes after us may put it on a page
        self._tells_of_runs = False
        self._outermost: FrameType | None = None
        self._is_on = False
        self._thread = 0  # in which it was begun
        self._missed = 0  # runs in other threads meanwhile
        self._listening = Listening(self._generated, lambda: None, self._failed)

    def arm(self) -> None:
        """Wait for runs of the function from here on. torch need not be imported."""
        self._listening.begin()
        process = os.getpid()
        atexit.register(lambda: self.say_unmet() if os.getpid() == process else None)  # a forked child ends earlier

    def instruction(self, frame: FrameType, offset: int) -> None:
        """The first frame that is met is the one whose end ends the watch."""
        self._outermost = self._outermost or frame
        super().instruction(frame, offset)

    def ended(self, frame: FrameType, how: Callable[[], str]) -> None:
        """Watch no more when the outermost frame has ended."""
        super().ended(frame, how)
        if frame is self._outermost and self._tells_of_runs:
            self._outermost = None
            self._is_on = False
            self.end()
            self._tell_missed()

    def quit(self) -> None:
        """Stop watching, for good."""
        super().quit()
        self._outermost = None

    def displaced(self) -> None:
        """The next run of its code is stepped again."""
        super().displaced()
        self.has_quit = self._is_on = False
        self._outermost = None

    def _generated(self, original: CodeType, generated: CodeType) -> None:
        if as_far_as_kept(self._name, original) in _names(original):
            if not self._codes:
                self._hook()
            self._codes.add((generated.co_name, generated.co_code))

    def _hook(self) -> None:
        self._tells_of_runs = not isinstance(before_runs(self._called), Unknown)
        if self._tells_of_runs:
            self.watched = f"a run of {self._name}, and --step {self._name} looks at no other"
        else:
            self._begin()

    def _called(self, code: CodeType) -> None:
        """Generated code is about to run."""
        if self.has_quit or (code.co_name, code.co_code) not in self._codes:
            return
        if not self._is_on:
            self._begin()
        elif threading.get_ident() != self._thread:
            self._missed += 1

    def _tell_missed(self) -> None:
        if self._missed:
            times = "once" if self._missed == 1 else f"{self._missed} times"
            self.say(f"-- meanwhile its code ran {times} in other threads, and was not stepped there")
        self._missed = 0

    def _begin(self) -> None:
        self._is_on, self._thread = True, threading.get_ident()
        self.begin()

    def _failed(self, error: Exception) -> None:
        print(f"unjit: --step lost a compile: {in_words(error)}", file=sys.stderr)


def _names(original: CodeType) -> set[str]:
    """What a user may call a function; its resume functions belong to it."""
    function = original_of(original)
    whole = qualname(function)
    return {function.co_name, whole, whole.replace(".<locals>", ""), identifier(function), identifier(original)}
