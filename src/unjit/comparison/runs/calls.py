"""The calls that a program makes of what it had compiled, compared as they come.

A call is compared before it is made, on copies of its own inputs: only then everything is as the call finds it, the
modes of modules, autocast, globals and random numbers. The program itself goes on with its own call, so a
difference in one call cannot grow into differences in all later ones, and what a run changes is put back
(reached.py). The other way, whole programs in turn, would write each file several times and compare sums of
roundings.
"""

from __future__ import annotations

import contextlib
import inspect
import os
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from types import CodeType
from typing import Any

from unjit.comparison.restoring.keepers import around_as_before, keepers_of
from unjit.comparison.runs.gpus import is_recorded, memory_given_back
from unjit.comparison.runs.program import Program
from unjit.comparison.runs.running import backends_for, compared, name_of
from unjit.comparison.runs.silence import silent_here
from unjit.comparison.runs.uncompiled import uncompiled
from unjit.model import CallComparison, Comparison, FilePath, Maybe, Message, Name, Place, Unknown
from unjit.model.words.wording import in_words
from unjit.torch_private.cache.targets import called_module, is_of_an_operator
from unjit.torch_private.calling.compiled_calls import CompiledCall


class CallComparer:
    """A hook for `on_compiled_calls` that compares the first calls of each function, in this process alone.

    Without `backends`, the three that stand for the steps of the compiler and the program's own. Modules of one class
    count as one function. `tell` gets each answer; nothing here raises into the program.
    """

    def __init__(self, backends: Sequence[str], most: int, tell: Callable[[CallComparison], None]) -> None:
        self._backends = backends
        self._most = most
        self._tell = tell
        self.process = os.getpid()
        self._at_work = threading.Lock()  # also while the comparison itself calls what it compiled
        self._thread = 0  # which has the lock
        self._calls: Counter[object] = Counter()
        self.uncompared = 0

    def __call__(self, call: CompiledCall) -> None:
        """Compare, unless it was done often enough, another comparison is at work or this is a forked child.

        Nor, after the first call, what becomes part of a CUDA graph: it has been compared when it was warmed up.
        Nor what an operator of torch's compiles for itself, which only ever runs on the eager backend.
        """
        if os.getpid() != self.process or self._is_ours() or _is_of_an_operator(call.function):
            return
        if not self._at_work.acquire(blocking=False):
            self.uncompared += 1
            return
        self._thread = threading.get_ident()
        try:
            with memory_given_back():
                self._take(call)
        finally:
            self._thread = 0
            self._at_work.release()

    def _is_ours(self) -> bool:
        return self._thread == threading.get_ident()

    def _take(self, call: CompiledCall) -> None:
        key = _key(call.function)
        number = self._calls[key]
        self._calls[key] += 1
        if number >= self._most or (number and is_recorded()):
            self.uncompared += 1
            return
        name = Name(name_of(call.function))
        try:
            with around_as_before(), silent_here():  # what the program prints it prints once
                backends = backends_for(self._backends, call.backend)
                keepers = keepers_of((compiler for _, compiler in backends), call.ahead)
                # Which sizes may vary is torch's configuration for now: the call is about to be made.
                function, fullgraph = uncompiled(call.function), call.fullgraph
                program = Program.of(function, call.args, call.kwargs, keepers, fullgraph=fullgraph)
                answer: Maybe[Comparison] = compared(name, program, backends, call)
        except Exception as error:
            answer = Unknown(Message(in_words(error)))
        self._tell(CallComparison(name, _place(call.function), number, answer))


def _key(function: Any) -> object:
    """What counts as one function: all modules of a class, and all functions of one code."""
    while isinstance(function, partial):
        function = function.func
    module = called_module(function)
    return type(module) if module is not None else _code(function) or type(function)


def _is_of_an_operator(function: Any) -> bool:
    code = _code(function)
    return code is not None and is_of_an_operator(code)


def _code(function: Any) -> CodeType | None:
    """The code in which the user knows the function: of a module that of its forward, of a partial its function's.

    Of what a decorator made it is that of the function behind it: a library's has one code for all.
    """
    while isinstance(function, partial):
        function = function.func
    module = called_module(function)
    if module is not None:
        function = type(module).forward
    elif not hasattr(function, "__code__") and hasattr(type(function), "forward"):
        function = type(function).forward
    function = getattr(function, "__func__", function)
    with contextlib.suppress(ValueError):  # they lead back to each other
        function = inspect.unwrap(function)
    found = getattr(function, "__code__", None)
    return found if isinstance(found, CodeType) else None


def _place(function: Any) -> Maybe[Place]:
    code = _code(function)
    if code is None:
        return Unknown(Message("it has no Python code of its own"))
    unknown = Unknown(Message("not asked for"))
    return Place(FilePath(code.co_filename), code.co_firstlineno, unknown, unknown)
