"""Graphs that torch runs without CUDA graphs, though the program asked for them."""

from __future__ import annotations

import re
from collections.abc import Iterator

from unjit.model import Capture, CapturedCompile, Concern, CudaGraphSkip, Message, Unknown

_ADVICE = {  # by torch's words
    r"\bcpu device": "A CUDA graph holds nothing that the CPU computes: make every tensor of the graph on the GPU.",
    r"\bmultiple devices": "A CUDA graph is of one GPU: compile what runs on each of them by itself.",
    r"\bmutat": (
        "A CUDA graph works on its own copies of the inputs, so that none is made where one of them is changed: return "
        "the new value, or make what is changed a parameter or buffer of the module."
    ),
    r"\b(?:symbolic|dynamic) shapes": (
        "Keep sizes the same, or set torch._inductor.config.triton.cudagraph_skip_dynamic_graphs = False, which makes "
        "a CUDA graph for each size."
    ),
    r"\bincompatible op": "Call that operation outside of what is compiled.",
}


def cuda_graph_skips(capture: Capture) -> Iterator[Concern]:
    """Each reason at each line once, in the order in which they came up."""
    met: dict[tuple[str, CudaGraphSkip], list[CapturedCompile]] = {}
    for one in capture.compiles:
        for skip in one.compile.cuda_graph_skips:
            met.setdefault((one.function, skip), []).append(one)
    begins = {function.key: function.begins for function in capture.report.functions}
    for (_, skip), compiles in met.items():
        function = compiles[0].function
        place = begins[function] if isinstance(skip.place, Unknown) else skip.place
        paths = tuple(dict.fromkeys(one.path for one in compiles))
        yield Concern("no CUDA graph", skip.reason, function, place, paths, advice_on_skip(skip))


def advice_on_skip(skip: CudaGraphSkip) -> Message | None:
    """What to do so that torch makes a CUDA graph; None where that is not known."""
    return next((Message(advice) for said, advice in _ADVICE.items() if re.search(said, skip.reason)), None)
