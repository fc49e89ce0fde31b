"""`unjit.step`: one call, instruction by instruction."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from types import CodeType, FrameType
from typing import IO, TYPE_CHECKING, Any

from unjit.model.words.wording import in_words, said
from unjit.observe.targets.resolving import code_with_entries, resolve
from unjit.stepping.breakpoints import Arrival, Beginning, Breakpoint
from unjit.stepping.commands import Prompt
from unjit.stepping.events import events_for
from unjit.stepping.listing import Listing, listing_of
from unjit.stepping.plans import Plan, Step
from unjit.stepping.values import shown
from unjit.torch_private.cache.resumes import is_resume_code
from unjit.torch_private.calling.calls import is_generated
from unjit.torch_private.calling.debuggers import leave_debuggers_alone
from unjit.torch_private.compiled_graphs.graphs import calls_graphs
from unjit.torch_private.installing.codes import is_copied, is_installed

if TYPE_CHECKING:
    from typing_extensions import Self

_RUNS_LATER = inspect.CO_GENERATOR | inspect.CO_COROUTINE | inspect.CO_ASYNC_GENERATOR


def step(fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Any:
    """Call `fn(*args, **kwargs)` and stop before each instruction of it, at a prompt on the terminal; gives its result.

    What is stepped is the code that Dynamo generated for `fn`, its resume functions and whatever else it compiled on
    the way; and `fn`'s own bytecode, where that runs. `help` at the prompt lists the commands; `quit` lets the call
    run to its end. Values on the stack are shown from torch 2.12 on.

    Raises BadTarget if `fn` has no Python code, and what the call raises.
    """
    code = code_with_entries(resolve(fn))
    stepper = Stepper(code)
    with stepper:
        result = fn(*args, **kwargs)
    if not stepper.has_met_code and not stepper.has_quit:
        stepper.say(f"-- there was nothing to step: {_why_nothing_ran(code)}")
    stepper.say_unmet()
    return result


def _why_nothing_ran(code: CodeType) -> str:
    if code.co_flags & _RUNS_LATER:
        return f"{code.co_name} runs when what the call gave is used (a generator, say): step a call that does"
    return f"neither {code.co_name} itself ran in this thread, nor anything that Dynamo made"


class Stepper:
    """Watches frames of generated code, and of the code of one function, and asks at a prompt where to stop."""

    def __init__(self, own: CodeType | None, stdin: IO[str] | None = None, stdout: IO[str] | None = None) -> None:
        self._own = own
        self._listings: dict[int, Listing] = {}
        self._before: dict[int, int] = {}  # the last instruction of each frame that runs
        self._breakpoints: list[Breakpoint] = []
        self._prompt = Prompt(self._listing_for, self._breakpoints, stdin, stdout)
        self._plan: Plan = Step()
        self.has_quit = False
        self.has_met_code = False
        self.watched = "what was stepped"  # where a breakpoint on a function can stop
        self._events = events_for(self)

    def __enter__(self) -> Self:
        self.begin()
        return self

    def __exit__(self, *_error: object) -> None:
        self.end()

    def begin(self) -> None:
        """Watch from here on, and stop at the first instruction."""
        self._plan = Step()
        self._debuggers_on = leave_debuggers_alone()
        self._events.begin()

    def end(self) -> None:
        """Watch no more, and hold no frame."""
        self._plan = Step()
        self._events.end()
        self._debuggers_on()

    def quit(self) -> None:
        """Stop no more: the rest runs at its own speed."""
        self.has_quit = True
        self._plan = Step()
        self._events.end()

    def wants(self, code: CodeType) -> bool:
        """Whether frames of this code are stepped. A resume function that Dynamo gave up runs as Dynamo wrote it."""
        if code is self._own or _is_made(code) or is_installed(code):
            return True
        places = (one.place for one in self._breakpoints)
        return any(isinstance(place, Beginning) and place.is_of(code) for place in places)

    def instruction(self, frame: FrameType, offset: int) -> None:
        """Stop here if the plan, or a breakpoint, says so."""
        self.has_met_code = True
        listing = self._listing(frame.f_code)
        if offset not in listing.instructions:  # a prefix of the instruction to come
            return
        before = self._before.get(id(frame))
        self._before[id(frame)] = offset
        if self._plan.stops(frame, offset, listing) or self._is_broken_at(Arrival(frame, listing, offset, before)):
            self._ask(frame, offset)

    def returned(self, frame: FrameType, value: object) -> None:
        """A frame returns."""
        self.ended(frame, lambda: f"returns {shown(value)}")

    def left(self, frame: FrameType, error: str) -> None:
        """A frame ends by an exception."""
        self.ended(frame, lambda: f"is left by {error}")

    def ended(self, frame: FrameType, how: Callable[[], str]) -> None:
        """A frame ends: what waited for that goes on in its caller."""
        self._before.pop(id(frame), None)
        after = self._plan.after(frame)
        if after is not self._plan or isinstance(self._plan, Step):
            self._prompt.say(f"-- {frame.f_code.co_name} {how()}")
        self._plan = after

    def raised(self, frame: FrameType, error: BaseException) -> None:
        """Stop here if the plan is to run to an exception."""
        if self._plan.stops_at_exceptions():
            text = said(error)
            self._prompt.say(f"-- {type(error).__name__} in {frame.f_code.co_name}" + (f": {text}" if text else ""))
            self._ask(frame, self._before.get(id(frame), frame.f_lasti), failed=True)

    def displaced(self) -> None:
        """A debugger has begun, as by `breakpoint()`, and takes the frames that run: what it stops in is its own."""
        self.has_quit = True
        self._plan = Step()
        self._prompt.say("-- a debugger has begun: what runs now is not stepped any further here")

    def say(self, line: str) -> None:
        """Tell something where the prompt is."""
        self._prompt.say(line)

    def say_unmet(self) -> None:
        """Tell the breakpoints on functions that began in nothing that was stepped, unless the user has quit."""
        if self.has_quit:
            return
        for one in self._breakpoints:
            if isinstance(one.place, Beginning) and not one.is_met:
                self.say(f"-- breakpoint {one}: none began in {self.watched} (what Dynamo inlines is part of a graph)")

    def _ask(self, frame: FrameType, offset: int, *, failed: bool = False) -> None:
        plan = self._prompt.stop(frame, offset, failed=failed)
        if plan is None:
            self.quit()
        else:
            self._plan = plan
            self._events.refresh()  # a new breakpoint may be in code that was not wanted before

    def _is_broken_at(self, arrival: Arrival) -> bool:
        here = [one for one in self._breakpoints if one.place.is_at(arrival)]
        for one in here:
            one.is_met = True
        return any(self._holds(one, arrival.frame) for one in here)

    def _holds(self, one: Breakpoint, frame: FrameType) -> bool:
        """A condition that raises stops, as in pdb, and is told: else nobody knows why it stopped here."""
        try:
            return one.holds(frame)
        except Exception as error:
            self._prompt.say(f"-- the condition of breakpoint {one.number} raised {in_words(error)}")
            return True

    def _listing(self, code: CodeType) -> Listing:
        if id(code) not in self._listings:
            made = _is_made(code) or is_copied(code)
            self._listings[id(code)] = listing_of(code, generated=made)
        return self._listings[id(code)]

    def _listing_for(self, code: CodeType) -> Listing | None:
        return self._listing(code) if self.wants(code) else None


def _is_made(code: CodeType) -> bool:
    return is_generated(code) or is_resume_code(code) or (calls_graphs(code) and not is_installed(code))
