"""`unjit.debug`: a block in which what torch.compile makes lies in files that any debugger can open."""

from __future__ import annotations

import contextlib
import os
import pdb  # noqa: F401, T100 (so that it is loaded when debuggers are told from other code)
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from types import CodeType, TracebackType
from typing import TYPE_CHECKING, Any, Literal, get_args

from unjit.comparison.inside.kernels import KernelComparison
from unjit.debugging.codes import Codes
from unjit.debugging.folder import Folder, Stop
from unjit.debugging.stand_ins import StandIns
from unjit.directory import layout
from unjit.errors import BadTarget, UnjitError
from unjit.model import Maybe, Message, Unknown, known_or
from unjit.model.words.wording import in_words
from unjit.observe.listening.each_compile import Listening
from unjit.observe.targets.resolving import Target, codes_of, resolve
from unjit.torch_private.calling.backward import BackwardInThisThread
from unjit.torch_private.calling.debuggers import leave_debuggers_alone
from unjit.torch_private.following import trace
from unjit.torch_private.following.being_compiled import globals_being_compiled
from unjit.torch_private.following.undoing import surely

if TYPE_CHECKING:
    from typing_extensions import Self

DebugStage = Literal["as_run", "captured", "forward", "post_grad"]
_blocks_on: list[Debugging] = []  # the blocks that are on, in the order in which torch tells them of generated code


def debug(
    *targets: Any, stage: DebugStage = "as_run", directory: str | os.PathLike[str] | None = None, quiet: bool = False
) -> Debugging:
    """A block in which one can step through what torch.compile makes: `with unjit.debug(function): …`.

    Within it, what is compiled lies in files: decompiled source of generated code and of resume functions, graphs in
    readable form, Inductor's wrappers. The same instructions run as without the block; only their file name and line
    numbers differ. What the targets were compiled to before lies in files, too, until the block ends. Graphs that
    the backend aot_eager has interpreted, up to torch 2.9, run their own code meanwhile, to which the files belong.

    A target is whatever `unjit.explain` takes; without one, only what is compiled inside the block is prepared. The
    directory of a capture, or its session, is a target, too: the files go there, under the names that a capture gives.
    Where it is the only one, the functions that it saw compile, and that are compiled still, are targets.
    Otherwise they go to `directory`, by default a temporary one that lasts until the process ends. On stderr it says
    which files there are and where a breakpoint makes sense, unless `quiet`; `.stops` has the same as data.

    Backward passes that the thread of the block asks for run in it while the block lasts, also on a GPU, for which
    autograd has threads of its own otherwise: pdb stops in its own thread alone.

    Compiled kernels cannot be stepped. With `stage`, a graph runs in their place, on the same inputs: "captured" is
    what Dynamo captured, "forward" the halves that AOTAutograd made of it, "post_grad" the same after Inductor's own
    passes. For the latter two each graph is compiled once more, without torch's caches, when it is first called. At
    each call the buffers that Inductor's wrapper fills are compared with the graph's values, on copies of the inputs,
    from the same random state: `.comparisons` has the results, which name the first kernel that differs or gives nan;
    stderr has each once. Random numbers are those of eager. After the block the kernels run again.

    Raises BadTarget if a target has no Python code, UnjitError for an unknown stage, for several directories and
    for one that cannot be made. What fails later is a problem, and the block runs.
    """
    if stage not in get_args(DebugStage):
        raise UnjitError(f"there is no stage {stage!r}: it is one of {', '.join(get_args(DebugStage))}")
    captures = [target for target in targets if _is_capture(target)]
    codes = [code for target in targets if not _is_capture(target) for code in codes_of(resolve(target))]
    where = _one_directory(captures, directory)
    alive = [] if codes else [_alive_of(capture) for capture in captures]  # else they say only where the files go
    block = Debugging([*codes, *(code for one in alive for code in known_or(one, []))], stage, where, quiet)
    reasons = (one.reason for one in alive if isinstance(one, Unknown))
    block.problems += [f"what was compiled before cannot be stepped: {reason}" for reason in reasons]
    return block


def _hand_on() -> None:
    """After a block has ended, let the block around it put the graphs of what was compiled meanwhile on its pages."""
    for block in _blocks_on[-1:]:
        block.place_graphs()


def _is_capture(target: Any) -> bool:
    """Whether a target is the session of a capture, or a path, which can only be that of its directory."""
    from unjit.capturing.captured import Captured

    return isinstance(target, str | os.PathLike | Captured)


def _one_directory(captures: list[Any], directory: str | os.PathLike[str] | None) -> str | os.PathLike[str] | None:
    """Where the files go: to the capture that is a target, or to what was asked for; None if to neither."""
    places = [one for one in captures if directory is None or not _in_memory(one)]
    if len(places) + (directory is not None) > 1:
        raise UnjitError("files go to one directory: pass one capture as a target, or `directory`")
    return _directory_of(places[0]) if places else directory


def _in_memory(capture: Any) -> bool:
    return not isinstance(capture, str | os.PathLike) and capture.directory is None


def _alive_of(capture: Any) -> Maybe[list[CodeType]]:
    """The functions of a capture, given as its session or as a path, that are compiled still, in this process."""
    from unjit.capturing.captured import load
    from unjit.observe.live.report import compiled_targets

    seen = compiled_targets()
    if isinstance(seen, Unknown):
        return seen
    if isinstance(capture, str | os.PathLike):
        if not Path(capture, layout.INDEX).is_file():
            return []  # an empty directory, for files
        try:
            capture = load(capture)
        except UnjitError as error:
            return Unknown(Message(str(error)))
    places = {(str(one.place.file), one.place.line) for one in capture.functions}
    codes = [code for target in seen for code in codes_of(target)]
    return [code for code in codes if (code.co_filename, code.co_firstlineno) in places]


def _directory_of(capture: Any) -> str | os.PathLike[str]:
    """The directory of a capture, given as its session or as a path."""
    if not isinstance(capture, str | os.PathLike):
        if capture.directory is None:
            raise UnjitError("this capture has no directory: pass `directory`, or capture into one")
        return capture.directory  # type: ignore[no-any-return]
    if not Path(capture).is_dir():  # it may be the name of a function
        raise BadTarget(f"there is no directory {str(capture)!r}: pass a function itself, or `directory` for a new one")
    return capture


class Debugging:
    """The block. `stops` are the places for breakpoints known so far, `problems` what went wrong on our side.

    `comparisons` are those of kernels with the graphs of a stage.
    """

    def __init__(
        self, targets: list[CodeType], stage: DebugStage, directory: str | os.PathLike[str] | None, quiet: bool
    ) -> None:
        self._targets = targets
        self._stage = stage
        self._quiet = quiet
        self._has_begun = False
        self._undo = contextlib.ExitStack()
        self._debuggers_on: Callable[[], None] = lambda: None
        self._lock = threading.RLock()
        # The block may begin before torch is imported, or the debugger, and a reset forgets what was left alone.
        self._listening = Listening(self._generated, self._finished, self._failed, self._welcome_debuggers)
        self._folder = Folder(directory)
        self._codes = Codes(self._folder, None if stage == "as_run" else stage, self._tell)
        self._stand_ins = StandIns(self._codes)
        self.stops: list[Stop] = []
        self.comparisons: list[KernelComparison] = []
        self._told: set[str] = set()  # the results that were said
        self.problems: list[str] = []

    @property
    def directory(self) -> str:
        """Where the files lie."""
        return str(self._folder.path)

    def __enter__(self) -> Self:
        if self._has_begun:
            raise UnjitError("this block has begun already: make another with unjit.debug(…)")
        self._has_begun = True
        self._say(f"unjit.debug: while this block lasts, stop in the files in {self.directory}")
        if self._stage != "as_run":
            anew = "" if self._stage == "captured" else ", which compiles it anew without torch's caches"
            self._say(
                f"unjit.debug: {self._stage} graphs run in place of what was compiled from them; a graph has a file "
                f"from its first call in this block on{anew}"
            )
        self._backward = BackwardInThisThread()
        try:
            self._undo.callback(_hand_on)
            self._undo.callback(lambda: surely(self._debuggers_on))
            self._undo.callback(lambda: surely(self._backward.end))
            self._welcome_debuggers()
            self._attempt("what was compiled before cannot be stepped", self._place_older)
            self._attempt("what is compiled cannot be stepped", self._listen)
        except BaseException:
            surely(self._undo.close)
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._attempt("not all is as before", surely, self._undo.close)

    def _welcome_debuggers(self) -> None:
        self._attempt("debuggers may be compiled", self._leave_debuggers_alone)
        self._attempt("a debugger may not follow a backward pass on a GPU", self._backward.begin)

    def _leave_debuggers_alone(self) -> None:
        self._debuggers_on = leave_debuggers_alone()

    def _place_older(self) -> None:
        self._undo.callback(surely, self._codes.restore)
        self._undo.callback(self._stand_ins.take_away)
        self._attempt("what is compiled after breaks may have no file", self._find_what_breaks_lead_to)
        for target in self._targets:
            self._attempt("a part has no file", self._put, target)
        if self._targets and not (self.stops or self.problems):
            self._say(
                "unjit.debug: so far nothing is compiled of what was asked for (unjit.explain says why); what is "
                "compiled in this block has files as it comes"
            )

    def _find_what_breaks_lead_to(self) -> None:
        """A function that was being inlined where a graph broke has entries of its own, as `unjit.explain` tells.

        Where a call may run as written, it is said: nobody is to wait at a breakpoint that it does not come to.
        """
        from unjit.observe.live.report import read

        found = read([Target(code, None) for code in self._targets])
        for function in found.report.functions:
            if function.resume is not None:  # entries lead to it
                continue
            code = found.functions[function.key]
            if all(code is not target for target in self._targets):
                self._targets.append(code)
            detail = function.status.detail if function.status.state in ("skipped", "recompile limit") else None
            if detail is not None:
                self._say(f"unjit.debug: {function.qualname} ({function.place.file}:{function.place.line}): {detail}")

    def _listen(self) -> None:
        self._undo.callback(self._listening.end)
        self._listening.begin()
        _blocks_on.append(self)
        self._undo.callback(_blocks_on.remove, self)

    def _put(self, target: CodeType) -> None:
        known = len(self._stand_ins.refused)
        for told in self._stand_ins.put(target):
            self._tell(told)
        for reason in self._stand_ins.refused[known:]:
            self._tell(f"what was compiled before cannot be stepped: {reason}")

    def _attempt(self, loss: str, step: Callable[..., object], *args: object) -> None:
        """Take a step of the beginning or the end: the block runs, and ends, also if it fails."""
        try:
            step(*args)
        except Exception as error:
            self._failed(error, loss)

    def __repr__(self) -> str:
        return f"<unjit.debug: {len(self.stops)} places to stop in {self.directory}>"

    def _generated(self, original: CodeType, generated: CodeType) -> CodeType:
        with self._lock:
            placed, stop = self._codes.place(original, generated, trace.current_compile())
            if self._is_youngest():  # else it lies on a page of the one that is
                self._tell(stop)
        return placed

    def _is_youngest(self) -> bool:
        return _blocks_on[-1:] == [self]

    def _finished(self) -> None:
        """Put what has come to run on pages; while there is a younger block, that one does."""
        if self._is_youngest():
            self.place_graphs()

    def place_graphs(self) -> None:
        """Put on pages what has come to run since this was last done."""
        with self._lock:
            for told in self._codes.place_graphs(globals_being_compiled()):
                self._tell(told)

    def _failed(self, error: Exception, loss: str = "a part has no file") -> None:
        problem = in_words(error)
        if problem not in self.problems:
            self.problems.append(problem)
            self._say(f"unjit.debug: {loss}: {problem}")

    def _tell(self, told: object) -> None:
        if isinstance(told, Stop):
            self.stops.append(told)
            self._say(f"  {told.what}: break {told}")
            return
        if isinstance(told, KernelComparison):
            self.comparisons.append(told)
            if str(told) in self._told:
                return  # a loop of training calls thousands of times
            self._told.add(str(told))
        elif str(told) in self.problems:
            return  # the same at each call
        else:
            self.problems.append(str(told))
        self._say(f"unjit.debug: {told}")

    def _say(self, line: str) -> None:
        if not self._quiet and sys.stderr is not None:
            with contextlib.suppress(OSError, ValueError):  # it may be closed
                print(line, file=sys.stderr)
