"""A backend that compiles as another one does, and compares each call of a graph with the captured graph."""

from __future__ import annotations

import copy
import re
from typing import Any

from unjit.comparison.copying import copied
from unjit.comparison.differences import parted
from unjit.comparison.state import Outcome, State, ran
from unjit.model import FilePath, GraphDifference, Maybe, Message, Name, Place, Unknown, UserSource
from unjit.torch_private.backends import Compiler

_FRAME = re.compile(r'File "(?P<file>.*)", line (?P<line>\d+), in (?P<function>.*)\n\s*(?P<code>.*)')


class ComparingBackend:
    """Passed to `torch.compile` in place of `compiler`; `first` is the first graph that parted, when it has run."""

    def __init__(self, name: str, compiler: Compiler) -> None:
        self.__name__ = f"{name} under comparison {id(self):x}"  # no other backend's: its entries are found by it
        self.compiler = compiler
        self.calls = 0
        self.graphs = 0
        self.first: Maybe[GraphDifference] | None = None

    def __call__(self, graph: Any, example_inputs: list[Any]) -> Any:
        """Compile a graph; Dynamo calls this."""
        captured = copy.deepcopy(graph)  # a compiler may change the graph that it is given
        compiled = self.compiler(graph, example_inputs)
        name = Name(f"graph {self.graphs}")
        self.graphs += 1

        def run(*inputs: Any) -> Any:
            if self.first is None:
                self.first = self._compared(name, captured, compiled, inputs)
            self.calls += 1
            return compiled(*inputs)

        return run

    def _compared(self, name: Name, captured: Any, compiled: Any, inputs: tuple[Any, ...]) -> Any:
        """What parts here, or None. Leaves inputs and random state as they were."""
        state = State.of([])
        try:
            expected = self._ran(captured, inputs, state)
            found = self._ran(compiled, inputs, state)
            reference = dict(self._ran(captured, inputs, state, exact=True).values)
        except Exception as error:
            return Unknown(Message(f"{name} could not be run by itself: {type(error).__name__}: {error}"))
        finally:
            state.put_back_random()
        told = parted(expected, found, reference)
        return GraphDifference(name, self.calls, tuple(lines_of(captured)), tuple(told)) if told else None

    def _ran(self, graph: Any, inputs: tuple[Any, ...], state: State, *, exact: bool = False) -> Outcome:
        import torch

        state.put_back_random()
        return ran(graph, tuple(copied(list(inputs), [], dtype=torch.float64 if exact else None)), {}, state)


def lines_of(graph: Any) -> list[Place]:
    """The user's lines that a graph was captured from, each once, in order."""
    found = {}
    for node in graph.graph.nodes:
        frames = _FRAME.findall(node.stack_trace or "")
        if frames:
            file, line, function, code = frames[-1]
            found[file, line] = Place(FilePath(file), int(line), Name(function), UserSource(code.strip()))
    return list(found.values())
