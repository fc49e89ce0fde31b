"""Compiling a captured graph once more, to run what Inductor was asked to do in place of what it made."""

from __future__ import annotations

import contextlib
import copy
import importlib
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Literal

from unjit.model import Maybe, Message, Unknown, known_or
from unjit.torch_private.cache.resets import no_compile
from unjit.torch_private.compiled_graphs.buffers import Held, held_nodes, never_stored
from unjit.torch_private.compiled_graphs.entered import left_again
from unjit.torch_private.compiled_graphs.lists_in_place import give_lists
from unjit.torch_private.compiled_graphs.running import Stage
from unjit.torch_private.compiled_graphs.wrappers import Wrapper, wrapper_within
from unjit.torch_private.probes import graph_probes, stage_probes
from unjit.torch_private.probes.probe import needed

Depth = Literal["forward", "post_grad"]  # the graph that Inductor gets, and the same after its own passes
_RANDOM = ("inductor_seed", "inductor_random", "inductor_randint", "rngprims", "philox")


@dataclass(frozen=True)
class Lowered:
    """One half of a graph on its way through Inductor. Holds live objects: for the life of a block."""

    stage: Stage
    given: Any  # the graph before Inductor's own passes
    graph: Any  # runs in place of the kernels: the same graph, or what the passes made of it
    wrapper: Maybe[Wrapper]  # what Inductor generated, which calls the kernels
    called: Any  # the wrapper, or what torch put around it
    held: dict[str, Held]  # by the names of buffers


Runner = Callable[..., Any]


def compile_again(
    graph: Any,
    inputs: Sequence[Any],
    depth: Depth,
    runner: Callable[[Lowered], Runner],
    settings: Mapping[str, Any] = MappingProxyType({}),
) -> Any:
    """What runs a captured graph, with `runner`'s answer in place of each half's kernels.

    Inductor's and AOTAutograd's caches are neither asked nor filled, and random numbers are drawn as eager draws them.
    Other threads compile nothing meanwhile, and may run what they have compiled.
    `runner` gets each half when it is compiled: the backward, perhaps, when it first runs. `settings` are those that
    the program gave Inductor. Raises what compiling raises, and Unsupported if this torch has no way to do it.
    """
    importlib.import_module("torch._inductor.compile_fx")
    compile_fx = needed(stage_probes.COMPILE_FX.get())
    captured = type(graph).__mro__[1](graph, copy.deepcopy(graph.graph))  # shares modules and tensors with the graph

    def inner(half: Any, example_inputs: Any, **options: Any) -> Any:
        lowered = _lowered(half, example_inputs, options, depth, settings)
        run = runner(lowered)
        saved = [_layout(one) for one in example_inputs] if lowered.stage == "backward" else []

        def boxed(arguments: list[Any]) -> Any:
            layouts = itertools.chain(saved, itertools.repeat(None))
            taken = [_laid_out(value, layout) for value, layout in zip(arguments, layouts, strict=False)]
            arguments.clear()
            return run(*taken)

        setattr(boxed, stage_probes.BOXED.attribute, True)  # torch asks for it
        return boxed

    with (
        no_compile(),
        left_again(),
        _known_as_a_compile(),
        _without_caches(settings),
        _traced_on(graph, inputs) as traced,
    ):
        return compile_fx(captured, traced, inner_compile=inner)


def _layout(value: Any) -> tuple[tuple[int, ...], tuple[int, ...]] | None:
    """The shape and strides of a tensor, where they are numbers, and none of its elements lie in one place."""
    if not hasattr(value, "stride"):
        return None
    shape, strides = tuple(value.shape), tuple(value.stride())
    return (shape, strides) if all(type(number) is int for number in (*shape, *strides)) and 0 not in strides else None


def _laid_out(value: Any, layout: tuple[tuple[int, ...], tuple[int, ...]] | None) -> Any:
    """A value as a backward expects it: what Inductor's forward saves, a convolution's say, has strides of its own."""
    if layout is None or not hasattr(value, "stride"):
        return value
    if tuple(value.shape) != layout[0] or tuple(value.stride()) == layout[1]:
        return value
    return value.new_empty_strided(*layout).copy_(value)


def _lowered(half: Any, inputs: Any, options: dict[str, Any], depth: Depth, settings: Mapping[str, Any]) -> Lowered:
    held: dict[str, Held] = {}
    lowerings: list[Any] = []  # or why what they are made of is not known

    def note(nodes: list[Any]) -> list[Any]:
        lowerings.append(stage_probes.LOWERING.get())
        found = held_nodes(nodes)
        if isinstance(found, Unknown):
            lowerings.append(found)
        else:
            held.update(found)
        return nodes

    before = type(half).__mro__[1](half, copy.deepcopy(half.graph))
    with _without_caches({**settings, stage_probes.BEFORE_FUSION.attribute: note}):
        made = needed(stage_probes.COMPILE_HALF.get())(half, inputs, **options)
    called = stage_probes.WRAPPER_CALL.of(made)
    wrapper: Maybe[Wrapper] = wrapper_within(called) or Unknown(Message("Inductor made no wrapper in Python"))
    for unstored in map(never_stored, lowerings):
        if isinstance(unstored, Unknown):
            wrapper = unstored
        else:
            held = {buffer: nodes for buffer, nodes in held.items() if buffer not in unstored}
    stage: Stage = (
        "backward" if options.get("is_backward") else "inference" if options.get("is_inference") else "forward"
    )
    graph = half if depth == "post_grad" else before
    give_lists(graph)
    graph.recompile()
    return Lowered(stage, before, graph, wrapper, called, held)


@contextlib.contextmanager
def _known_as_a_compile() -> Iterator[None]:
    """A block that torch takes for a compile: while it traces a graph, calls of compiled code are else an error."""
    with known_or(stage_probes.COMPILE_SESSION.call(), contextlib.nullcontext()):
        yield


@contextlib.contextmanager
def _traced_on(graph: Any, inputs: Sequence[Any]) -> Iterator[list[Any]]:
    """The inputs for torch to trace on.

    Symbols are needed to take out a float that varies, which Dynamo passes as a tensor, and to trace a graph within,
    as that of a loop, which may make numbers that nobody knows before it runs.
    """
    takes_numbers = any(node.target == "item" and node.args[0].op == "placeholder" for node in graph.graph.nodes)
    if not takes_numbers and not any(hasattr(inner, "graph") for inner in graph.children()):
        yield list(inputs)
        return
    symbols = needed(stage_probes.SHAPE_SYMBOLS.get())()
    mode = needed(stage_probes.FAKE_MODE.get())(allow_non_fake_inputs=True, shape_env=symbols)
    with needed(stage_probes.TRACING.call(needed(stage_probes.TRACING_CONTEXT.call(mode)))):
        yield [mode.from_tensor(one, static_shapes=True) if hasattr(one, "stride") else one for one in inputs]


@contextlib.contextmanager
def _without_caches(settings: Mapping[str, Any]) -> Iterator[None]:
    inductor = {**settings, "fx_graph_cache": False, "fx_graph_remote_cache": False, "fallback_random": True}
    inductor["triton.cudagraphs"] = False  # kernels that are replayed can only be watched when they are not
    with (
        needed(graph_probes.INDUCTOR_PATCH.call(inductor)),
        needed(stage_probes.AOT_PATCH.call({"enable_autograd_cache": False})),
    ):
        yield


def why_not_seeded_alike(graph: Any) -> Message | None:
    """Why two runs of a graph would draw other random numbers; None if they draw the same from the same state."""
    for node in graph.graph.nodes:
        if node.op == "call_function" and any(word in str(node.target) for word in _RANDOM):
            return Message(f"{node.name} draws random numbers of Inductor's own, which the graph cannot draw again")
    return None
