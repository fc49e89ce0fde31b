"""Graphs of a stage in place of compiled kernels, while a block lasts."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, Final, Literal

from unjit.comparison.inside.kernels import GraphFailed, KernelComparison, compare, try_graph
from unjit.comparison.runs.gpus import RECORDED, is_recorded
from unjit.comparison.runs.ranks import has_collectives
from unjit.debugging.gradients import why_no_gradients
from unjit.debugging.graphs import Graphs
from unjit.model import Message, Unknown
from unjit.model.words.wording import in_words
from unjit.torch_private.cache.resets import no_compile
from unjit.torch_private.compiled_graphs.entered import left_where_it_fails
from unjit.torch_private.compiled_graphs.graphs import graph_of
from unjit.torch_private.compiled_graphs.running import Running, Stage, what_runs
from unjit.torch_private.compiled_graphs.stages import Lowered, compile_again, why_not_seeded_alike

_TALKS: Final = Message("it talks to other ranks, which would all have to run it as often")
ReadableStage = Literal["captured", "forward", "post_grad"]


class Stages:
    """Exchanges what generated code calls for a graph; `restore` gives it back."""

    def __init__(self, stage: ReadableStage, graphs: Graphs, tell: Callable[[object], None]) -> None:
        self.stage = stage
        self.tell = tell
        self.comparing = threading.RLock()  # a comparison puts random states back that all threads share
        self._graphs = graphs
        self._exchanged: list[tuple[dict[str, Any], str, Any]] = []

    def exchange(self, scope: dict[str, Any], name: str, folder: str, what: str) -> str | None:
        """Have the graph run from the next call on; the reason if it is not to be had."""
        graph = graph_of(name, scope[name])
        if isinstance(graph, Unknown):
            return f"{what} runs as it is: its captured graph is gone ({graph.reason})"
        import torch

        staged = _Staged(self, graph, scope[name], folder, what, _graphs_run(name, scope[name]))
        self._exchanged.append((scope, name, scope[name]))
        scope[name] = torch.compiler.disable(staged.call)  # type: ignore[no-untyped-call]
        return None

    def restore(self) -> None:
        """Give back what generated code called for each graph."""
        for scope, name, compiled in self._exchanged:
            if name in scope:
                scope[name] = compiled
        self._exchanged.clear()

    def place(self, running: Running, folder: str, what: str) -> None:
        """Put a graph that runs on a page, and tell where to stop on it."""
        for stop in self._graphs.place(running, folder, what):
            self.tell(stop)


def _graphs_run(name: str, compiled: Any) -> set[Stage]:
    """The stages of graphs that are known to run, as on eager and aot_eager; none where kernels may."""
    running, _ = what_runs(name, compiled)
    return {part.stage for part in running} if all(part.graph is not None for part in running) else set()


class _Staged:
    """One compiled graph that generated code calls, and what runs in its place: for each kind of inputs its own."""

    def __init__(
        self, stages: Stages, graph: Any, compiled: Callable[..., Any], folder: str, what: str, graphs_run: set[Stage]
    ) -> None:
        self._stages = stages
        self._graph = graph
        self._compiled = compiled
        self._folder, self._what, self._graphs_run = folder, what, graphs_run
        self._made: dict[tuple[object, ...], Callable[..., Any]] = {}

    def call(self, *inputs: Any) -> Any:
        """The graph's result, or that of what was compiled where the graph cannot be had.

        While a CUDA graph is recorded as well: what is replayed later shall be what the program recorded without us.
        """
        if is_recorded():
            self._stages.tell(f"{self._what} runs as it is: {RECORDED}")
            return self._compiled(*inputs)
        key = (*map(_kind, inputs), *_modes())
        if key not in self._made:
            with no_compile():
                self._make(key, inputs)
        return self._made[key](*inputs)

    def _make(self, key: tuple[object, ...], inputs: tuple[Any, ...]) -> None:
        if key in self._made:  # by another thread, which this one has waited for
            return
        try:
            self._made[key] = self._in_its_place(inputs)
        except Exception as error:
            says = in_words(error).partition("\n")[0]  # torch tells the node, and where it comes from, after it
            self._stages.tell(f"{self._what} runs as it is: {says}")
            self._made[key] = self._compiled

    def _in_its_place(self, inputs: tuple[Any, ...]) -> Callable[..., Any]:
        """What runs in place of what was compiled, for inputs like these."""
        if self._stages.stage == "captured":
            reason = why_no_gradients(self._graph, inputs)
            if reason is not None:
                self._stages.tell(f"{self._what} runs as it is: {reason}")
                return self._compiled
            self._stages.place(Running("captured", graph=self._graph), self._folder, self._what)
            return self._graph.forward if "captured" in self._graphs_run else self._captured
        half = partial(self._half, len(self._made) + 1)
        made: Callable[..., Any] = compile_again(self._graph, inputs, self._stages.stage, half)
        return made

    def _captured(self, *inputs: Any) -> Any:
        """The captured graph, which where it fails leaves no mode that what was compiled never enters."""
        with left_where_it_fails():
            return self._graph.forward(*inputs)

    def _half(self, kind: int, lowered: Lowered) -> Callable[..., Any]:
        """What runs in place of the kernels of one half of the graph, compared with these where that can be done.

        Each kind of inputs has graphs of its own, whose files must not replace those of another that runs still.
        """
        what = self._what if kind == 1 else f"{self._what}, inputs of kind {kind}"
        folder = self._stages.stage if kind == 1 else f"{self._stages.stage}_{kind}"
        name = f"{what}, {lowered.stage}"
        name += ", which Inductor compiled for this comparison alone" if self._graphs_run else ""
        running = Running(lowered.stage, graph=lowered.graph)
        self._stages.place(running, f"{self._folder}/{folder}", what)
        talks = has_collectives(lowered.graph)
        reason = _TALKS if talks else _why_not_compared(lowered)
        if reason is not None:
            self._stages.tell(f"{name}: kernels are not compared: {reason}")

        tried: list[bool] = [True] if talks else []  # nor is it tried: the others may be in no block

        def run(*inputs: Any) -> Any:
            if is_recorded():
                self._stages.tell(f"{name} runs as it is: {RECORDED}")
                return lowered.called(list(inputs))
            try:
                with self._stages.comparing:
                    if reason is None:
                        self._stages.tell(_compared(lowered, name, inputs))
                    elif not tried:
                        tried.append(try_graph(lowered, inputs))
            except GraphFailed as error:
                self._stages.tell(f"{name} runs as it is: {error}")
                return lowered.called(list(inputs))
            return lowered.graph.forward(*inputs)

        return run


def _why_not_compared(lowered: Lowered) -> Message | None:
    reason = why_not_seeded_alike(lowered.graph)
    return lowered.wrapper.reason if reason is None and isinstance(lowered.wrapper, Unknown) else reason


def _compared(lowered: Lowered, name: str, inputs: tuple[Any, ...]) -> KernelComparison | str:
    """What a comparison gives, or why there is none. Raises GraphFailed: then the program gets what kernels compute."""
    try:
        return compare(lowered, name, inputs)
    except GraphFailed:
        raise
    except Exception as error:  # of the kernels, or of copying what they get: the graph is still to be tried
        try_graph(lowered, inputs)
        return f"{name}: kernels are not compared: {in_words(error)}"


def _modes() -> Iterator[object]:
    import torch

    yield torch.is_grad_enabled()
    yield torch.is_inference_mode_enabled()


def _kind(value: Any) -> object:
    """The key of an input: what code that was compiled for one value takes for granted of another."""
    if hasattr(value, "stride") and hasattr(value, "requires_grad"):
        return tuple(value.shape), value.stride(), value.dtype, value.device, value.requires_grad
    return value if isinstance(value, int | float | bool) else type(value)
