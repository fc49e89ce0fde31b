"""What a record does not say itself, asked of the program that it is of: this one, as far as captures go."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from types import CodeType
from typing import Protocol

from unjit.capturing.reading.call_lines import CallLines
from unjit.capturing.reading.stacks import live_stack
from unjit.directory.stable import folders_of_this_machine
from unjit.model import (
    Abbreviation,
    Caller,
    CallLine,
    CheckTimes,
    Decomposition,
    Host,
    Maybe,
    ModuleCall,
    StackFrame,
    Unknown,
)
from unjit.observe.guards.costs import times_in_making
from unjit.observe.listening.ahead_of_time import code_being_captured
from unjit.torch_private.compiled_graphs.decompositions import decompositions
from unjit.torch_private.compiled_graphs.inductor_graph import InductorGraph, graph_in_inductor
from unjit.torch_private.compiled_graphs.module_stacks import module_calls
from unjit.torch_private.compiled_graphs.printed_graphs import graph_being_printed
from unjit.torch_private.compiled_graphs.user_lines import user_lines
from unjit.torch_private.following import trace
from unjit.torch_private.following.being_compiled import code_being_compiled, code_being_loaded


@dataclass(frozen=True, slots=True)
class NodeOrigins:
    """What the nodes of a graph came from, which its text does not say; as `Artifact` has it."""

    modules: Maybe[tuple[ModuleCall, ...]] | None = None
    calls: Maybe[tuple[CallLine, ...]] | None = None
    decompositions: Maybe[tuple[Decomposition, ...]] | None = None


class Program(Protocol):
    """The program whose records are collected."""

    keeps_cached: bool  # whether graphs that torch's caches bring back are kept, set apart: nothing better can be had

    def code(self) -> Maybe[CodeType] | None:
        """The code object that is being compiled; None if there is none at hand, Unknown if there should be."""

    def stack(self) -> tuple[StackFrame, ...]:
        """The calls that led to what is being compiled, callers first; empty if they are not known."""

    def callers(self) -> tuple[Caller, ...]:
        """The lines of the program that led to lines of torch's own, in the graph that has just been captured."""

    def check_times(self) -> Maybe[CheckTimes]:
        """What a check takes of the guards that have just been made."""

    def thread(self) -> Maybe[Host]:
        """The name of the thread that compiles."""

    def interned(self, number: int) -> str | None:
        """A string that the trace names by a number, where the trace itself does not tell it."""

    def origins(self, text: str) -> NodeOrigins:
        """What the nodes came from of the graph whose text this record has."""

    def inductor_graph(self) -> InductorGraph | None:
        """The graph that Inductor compiles now, as far as it is known."""

    def folders(self) -> tuple[Abbreviation, ...]:
        """The folders that texts are to be rid of."""


class ThisProgram:
    """The program is this process, and the record is made by whoever asks."""

    keeps_cached = False  # a capture with `fresh=True` has the program's own

    def __init__(self) -> None:
        self._lines = CallLines()

    def code(self) -> Maybe[CodeType] | None:
        return code_being_compiled() or code_being_loaded() or code_being_captured()

    def stack(self) -> tuple[StackFrame, ...]:
        return live_stack()

    def callers(self) -> tuple[Caller, ...]:
        return tuple(Caller(called, tuple(lines)) for called, lines in user_lines().items())

    def check_times(self) -> Maybe[CheckTimes]:
        return times_in_making()

    def thread(self) -> Maybe[Host]:
        return Host(threading.current_thread().name)

    def interned(self, number: int) -> str | None:
        return trace.interned(number)

    def origins(self, text: str) -> NodeOrigins:
        graph = graph_being_printed(text)
        if isinstance(graph, Unknown):
            return NodeOrigins(graph, graph, graph)
        return NodeOrigins(module_calls(graph), self._lines.of(graph), decompositions(graph))

    def inductor_graph(self) -> InductorGraph | None:
        return graph_in_inductor()

    def folders(self) -> tuple[Abbreviation, ...]:
        return folders_of_this_machine(trace.cache_folder())
