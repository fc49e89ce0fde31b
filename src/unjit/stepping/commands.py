"""The prompt: what a person can ask while a frame stands before an instruction."""

from __future__ import annotations

import cmd
import contextlib
import itertools
import pprint
import re
import sys
import traceback
from collections.abc import Callable, Iterator
from types import CodeType, FrameType
from typing import IO, Any

from unjit.model import Unknown
from unjit.model.words.wording import in_words
from unjit.stepping.breakpoints import Breakpoint, checked, evaluated, parsed
from unjit.stepping.listing import Listing
from unjit.stepping.plans import Continue, Next, Plan, Return, Step, ToException, Until
from unjit.stepping.values import FAILED, WAITING, cell_lines, local_lines, stack_lines, stack_values, stack_variables
from unjit.stepping.view import handler_line, instruction_line, listing_lines
from unjit.torch_private.calling.frames import outward

_AROUND = 6  # instructions shown on each side


class Prompt(cmd.Cmd):
    """Commands at one stop; an empty line repeats the last one. `plan` is where to stop next, None to stop no more."""

    prompt = "(unjit) "

    def __init__(
        self,
        listing_for: Callable[[CodeType], Listing | None],
        breakpoints: list[Breakpoint],
        stdin: IO[str] | None,
        stdout: IO[str] | None,
    ) -> None:
        super().__init__(stdin=stdin, stdout=stdout)
        self.use_rawinput = stdin is None
        self._listing_for = listing_for
        self._breakpoints = breakpoints
        self._numbers = itertools.count(1)  # a number that was cleared is not given again
        self._own: dict[str, Any] = {}  # names that statements at the prompt have set
        self.plan: Plan | None = Step()

    def stop(self, frame: FrameType, offset: int, *, failed: bool = False) -> Plan | None:
        """Ask what to do before the instruction at `offset` runs, or when it has failed."""
        self._frames = list(outward(frame))
        self._offset, self._failed, self._chosen = offset, failed, 0
        try:
            self._show()
            return self._asked()
        finally:  # a frame that somebody holds keeps its variables when it has ended
            self._frames, self.plan = [], Step()

    def _asked(self) -> Plan | None:
        while True:
            try:
                self.cmdloop()
            except KeyboardInterrupt:
                self.say("--KeyboardInterrupt--")
            except Exception as error:  # there is nobody to ask: the program goes on as if nobody had
                self.say(f"*** stepping ends: {in_words(error)}")
                return None
            else:
                return self.plan

    # ---- where -------------------------------------------------------------------------------------------------------
    def do_where(self, _argument: str) -> None:
        """w(here): the frames, outermost first; > marks the one that is looked at."""
        for index, frame in reversed(list(enumerate(self._frames))):
            mark = ">" if index == self._chosen else " "
            self.say(f"{mark} {self._place(index, frame)}")

    def do_up(self, _argument: str) -> None:
        """u(p): look at the caller. Its stack cannot be read: the call has taken a part of it."""
        self._choose(self._chosen + 1)

    def do_down(self, _argument: str) -> None:
        """d(own): look at what the frame calls."""
        self._choose(self._chosen - 1)

    def do_list(self, argument: str) -> None:
        """l(ist): the instructions around this one beside their source; `l all`: all of them."""
        listing, offset = self._listing(), self._offset_here()
        if listing is None:
            self.say("this frame is not stepped: no listing")
            return
        if argument not in ("", "all"):
            self.say("list what? nothing, for what is around here, or all")
            return
        around = None if argument == "all" else _AROUND
        for line in listing_lines(listing, offset, around, self._breakpoints):
            self.say(line)

    # ---- what --------------------------------------------------------------------------------------------------------
    def do_stack(self, _argument: str) -> None:
        """stack: the values on the stack, top first, each with its source expression."""
        listing = self._listing()
        if listing is None:
            self.say("this frame is not stepped: what is on its stack is not known")
            return
        self._tell(stack_lines(self._frame, listing, self._offset_here(), self._unreadable()), "  (empty)")

    def do_locals(self, _argument: str) -> None:
        """locals: the local variables."""
        self._tell(local_lines(self._frame), "  (none)")

    def do_cells(self, _argument: str) -> None:
        """cells: the variables that are shared with other functions."""
        self._tell(cell_lines(self._frame), "  (none)")

    def do_handler(self, _argument: str) -> None:
        """handler: where an exception in this instruction would go."""
        listing = self._listing()
        self.say("  (not known)" if listing is None else handler_line(listing, self._offset_here()))

    def do_p(self, argument: str) -> None:
        """p EXPRESSION: its value in the frame; `__stack__` is the tuple of those on the stack, `_t1` one of them."""
        self._print(argument, repr)

    def do_pp(self, argument: str) -> None:
        """pp EXPRESSION: its value, pretty-printed."""
        self._print(argument, pprint.pformat)

    # ---- how to go on ------------------------------------------------------------------------------------------------
    def do_step(self, _argument: str) -> bool:
        """s(tep): to the next instruction, in a function that is called if it is one that is stepped."""
        return self._go(Step())

    def do_next(self, _argument: str) -> bool:
        """n(ext): to the next instruction of this frame."""
        return self._go(Next(self._frame))

    def do_until(self, argument: str) -> bool | None:
        """until [LINE | @OFFSET]: to a later source line of this frame, to that line or below it, or to that offset."""
        listing, here = self._listing(), self._offset_here()
        if listing is None:
            self.say("this frame is not stepped")
            return None
        if argument.startswith("@") and argument[1:].isdecimal():
            target = int(argument[1:])
            if target in listing.instructions:
                return self._go(Until(self._frame, target=target))
            self.say(f"no instruction of {self._frame.f_code.co_name} starts at {target}")
            return None
        if argument and not argument.isdecimal():
            self.say("until what? a line, or an offset as @12")
            return None
        return self._go(Until(self._frame, line=int(argument) if argument else listing.lines.get(here, 0) + 1))

    def do_return(self, _argument: str) -> bool:
        """r(eturn): until this frame ends."""
        return self._go(Return(self._frame))

    def do_continue(self, _argument: str) -> bool:
        """c(ontinue): to the next breakpoint."""
        return self._go(Continue())

    def do_exception(self, _argument: str) -> bool:
        """exc(eption): to the next exception that is raised in, or comes into, a frame that is stepped."""
        return self._go(ToException())

    def do_quit(self, _argument: str) -> bool:
        """q(uit): stop no more; the program goes on."""
        self.plan = None
        return True

    do_EOF = do_exit = do_quit

    # ---- breakpoints -------------------------------------------------------------------------------------------------
    def do_break(self, argument: str) -> None:
        """b(reak) [LINE | @OFFSET | FUNCTION | OPERATION][, CONDITION]: set a breakpoint, or list them."""
        listing = self._listing()
        if not argument:
            self._tell([str(found) for found in self._breakpoints], "  (none)")
        elif listing is None:
            self.say("this frame is not stepped")
        else:
            try:
                made = parsed(argument, self._frame.f_code, listing)
            except (ValueError, SyntaxError) as error:
                self.say(f"no breakpoint: {error}")
                return
            made.number = next(self._numbers)
            self._breakpoints.append(made)
            self.say(str(made))

    def do_clear(self, argument: str) -> None:
        """cl(ear) [NUMBER]: take a breakpoint away, or all."""
        kept = [found for found in self._breakpoints if argument and str(found.number) != argument]
        self.say(f"{len(self._breakpoints) - len(kept)} taken away")
        self._breakpoints[:] = kept

    def do_condition(self, argument: str) -> None:
        """condition NUMBER [EXPRESSION]: stop only where it is true, or always."""
        number, _, text = argument.partition(" ")
        found = next((one for one in self._breakpoints if str(one.number) == number), None)
        if found is None:
            self.say(f"there is no breakpoint {number}" if number else "which? give the number of a breakpoint")
            return
        try:
            found.condition = checked(text)
        except SyntaxError as error:
            self.say(f"no condition: {error}")
        else:
            self.say(str(found))

    # ---- the prompt itself -------------------------------------------------------------------------------------------
    def do_help(self, arg: str) -> None:
        """h(elp) [COMMAND]: the commands, or what one does."""
        super().do_help(_SHORT.get(arg, arg))

    def onecmd(self, line: str) -> bool:
        """A command, by its name or by its short name. What fails is told."""
        name, rest, whole = self.parseline(line)
        name = _SHORT.get(name or "", name)
        try:
            if name is None or not whole:
                return bool(super().onecmd(line))
            if _is_variable(name, rest or ""):
                self.default(line)
                return False
            return bool(super().onecmd(f"{name} {rest}".strip()))
        except Exception as error:
            self.say(f"*** {in_words(error)}")
            return False

    def default(self, line: str) -> None:
        """Anything else is a statement. Names that it sets are the prompt's: the frame's variables stay as they are."""
        names = self._names()
        before = dict(names)
        try:
            code = compile(line.removeprefix("!").strip() + "\n", "<prompt>", "single")
            with self._displaying():
                exec(code, self._frame.f_globals, names)  # noqa: S102 (the user's own)
        except (Exception, SystemExit) as error:
            told = traceback.format_exc(limit=0).strip().splitlines()[-1]
            instead = _only_in_pdb(line) if isinstance(error, NameError | SyntaxError) else None
            self.say(f"*** {instead or told}")
        self._keep({name: value for name, value in names.items() if before.get(name, self) is not value})

    @contextlib.contextmanager
    def _displaying(self) -> Iterator[None]:
        """The value of an expression is told at the prompt, and does not become the program's `_`."""
        before, sys.displayhook = sys.displayhook, lambda value: None if value is None else self.say(repr(value))
        try:
            yield
        finally:
            sys.displayhook = before

    def _keep(self, names: dict[str, Any]) -> None:
        code = self._frame.f_code
        for name, value in names.items():
            if name in (*self._frame.f_locals, *code.co_varnames, *code.co_cellvars, *code.co_freevars):
                self.say(f"*** {name} stays as it is in the frame: stepping changes nothing that runs")
            else:
                self._own[name] = value

    def _print(self, argument: str, form: Callable[[Any], str]) -> None:
        if not argument:
            self.say("print what? give an expression")
            return
        try:
            self.say(form(evaluated(argument, self._frame, self._names())))
        except (Exception, SystemExit) as error:
            self.say(f"*** {in_words(error)}")

    def _names(self) -> dict[str, Any]:
        names = {**self._own, **self._frame.f_locals}
        listing, here = self._listing(), self._offset_here()
        if listing is None:
            return names
        names = {**listing.constants, **names}
        if self._unreadable() is None:
            values = stack_values(self._frame, listing, here)
            if not isinstance(values, Unknown):
                names = {**stack_variables(listing, here, values), **names, "__stack__": values}
        return names

    @property
    def _frame(self) -> FrameType:
        return self._frames[self._chosen]

    def _listing(self) -> Listing | None:
        return self._listing_for(self._frame.f_code)

    def _offset_here(self) -> int:
        return self._offset_in(self._chosen, self._listing())

    def _offset_in(self, index: int, listing: Listing | None) -> int:
        place = self._frames[index].f_lasti
        return self._offset if index == 0 else place if listing is None else listing.instruction_at(place)

    def _unreadable(self) -> Unknown | None:
        """Why the frame's stack is not as its next instruction finds it; None if it is."""
        return WAITING if self._chosen else FAILED if self._failed else None

    def _choose(self, index: int) -> None:
        if 0 <= index < len(self._frames):
            self._chosen = index
            self._show()
        else:
            self.say("there is no such frame")

    def _show(self) -> None:
        self.say(f"> {self._place(self._chosen, self._frame)}")
        listing = self._listing()
        if listing is not None:
            self.say(instruction_line(listing, self._offset_here()))

    def _place(self, index: int, frame: FrameType) -> str:
        listing = self._listing_for(frame.f_code)
        if listing is None:
            return f"{frame.f_code.co_filename}({frame.f_lineno}){frame.f_code.co_name}()"
        return f"{listing.title} @{self._offset_in(index, listing)}"

    def _go(self, plan: Plan) -> bool:
        self.plan = plan
        return True

    def _tell(self, lines: list[str], otherwise: str) -> None:
        for line in lines or [otherwise]:
            self.say(line)

    def say(self, line: str) -> None:
        """Print a line where the prompt is, if that is still there."""
        with contextlib.suppress(OSError, ValueError):
            print(line, file=self.stdout or sys.stdout)


def _is_variable(name: str, rest: str) -> bool:
    """Whether a line that begins with the name of a command is about a variable of that name, as `n = 3`, `b.sum()`."""
    return rest not in ("", "()") and (name in _ALONE or rest[0] in ".=")


def _only_in_pdb(line: str) -> str | None:
    """What to type for a command of pdb's that is none here; None for a line that is no such command."""
    found = _COMMAND.fullmatch(line.strip())
    name = "" if found is None else found[1]
    return f"there is no {name} here: {_IN_PLACE[name]}" if name in _IN_PLACE else None


_COMMAND = re.compile(r"(\w+)(?:\s+[\w@].*)?")  # a statement goes on otherwise
_IN_PLACE = {
    **dict.fromkeys(("a", "args"), "`locals` shows the arguments too"),
    **dict.fromkeys(("ll", "longlist", "source"), "`list all` shows the whole function"),
    **dict.fromkeys(("enable", "disable"), "`condition NUMBER False` switches a breakpoint off"),
    "tbreak": "`break`, and `clear` when it was met",
    "whatis": "`p type(EXPRESSION)`",
    **dict.fromkeys(
        ("alias", "commands", "debug", "display", "ignore", "interact", "j", "jump", "restart", "retval", "run", "rv"),
        "`help` lists the commands",
    ),
}
_ALONE = {
    "where", "up", "down", "stack", "locals", "cells", "handler", "step", "next", "return", "continue", "exception",
    "quit", "exit",
}  # take no argument  # fmt: skip
_SHORT = {
    "w": "where", "bt": "where", "u": "up", "d": "down", "l": "list", "s": "step", "n": "next", "unt": "until",
    "r": "return", "c": "continue", "cont": "continue", "exc": "exception", "q": "quit", "b": "break", "cl": "clear",
    "h": "help",
}  # fmt: skip
