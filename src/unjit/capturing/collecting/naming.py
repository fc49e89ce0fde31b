"""What the records of torch's trace are called in a capture, which depends on those that came before.

Records of one compile come in an order: the captured graph; the joint graph and its halves; then, for each half, what
Inductor made of it, which torch does not name after the half. So the halves wait, and each group of Inductor's records
takes the next one. A backend that cuts the graph into pieces, as vLLM's and DDP's do, makes several graphs of a kind in
one compile: the second has a number, and what is made of it its name (`inference_1`, `inference_1_output_code`).
Backward graphs of pieces are compiled in the order in which they first run. Inductor gives both halves of a piece one
number, which a running program tells and a log does not: without it they are taken in the order of most runs.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

from unjit.model import Term
from unjit.observe.functions.names import shortened
from unjit.observe.messages.trace_records import is_warning
from unjit.torch_private.compiled_graphs.inductor_graph import InductorGraph
from unjit.torch_private.following.records import BREAK, BREAK_WARNING, NAMES

ENDS_GROUP: Final = ("fx_graph_cache_hit", "fx_graph_cache_miss", "fx_graph_cache_bypass")
_SEVERAL: Final = {"break"}  # of which a compile has any number: they are numbered from the first on
_OF_EACH_GRAPH: Final = {"ir_pre_fusion", "fusion", "ir_post_fusion", "schedule"}  # in a half, as those of torch.cond
_HALVES: Final = ("aot_forward_graph", "aot_backward_graph", "aot_inference_graph")
_CONTEXT: Final = {"rank", "frame_id", "frame_compile_id", "attempt", "compiled_autograd_id", "stack", "has_payload"}


@dataclass(slots=True)
class Namer:
    """Names the texts of one attempt of a compile, in the order in which they come."""

    waiting: list[str] = field(default_factory=list)  # halves whose Inductor records are still to come, the next last
    half: str | None = None  # the one that Inductor's records belong to now
    seen: Counter[str] = field(default_factory=Counter)
    in_group: set[str] = field(default_factory=set)
    backward_of: dict[str, str] = field(default_factory=dict)  # of each forward graph that has one
    numbered: dict[int, str] = field(default_factory=dict)  # the forward graphs, by Inductor's numbers
    guessed: bool = False  # whether one of several backward graphs was taken by order alone

    def name(self, kind: str, graph: InductorGraph | None = None) -> tuple[Term, Term]:
        """The name and the suffix of the next text of this kind; `graph` is what Inductor compiles, if known."""
        stem, suffix = NAMES.get(kind) or (_safe(kind), ".txt")
        if stem.startswith("*"):
            stem = stem.replace("*", self._half(kind, graph))
        name = self._numbered(stem)
        if kind in _HALVES:
            self._wait(kind, name)
        if kind in ENDS_GROUP:
            self.half, self.in_group = None, set()
        return Term(name), Term(suffix)

    def _wait(self, kind: str, name: str) -> None:
        """A forward graph is compiled at once, a backward graph when it first runs: autograd begins with the last."""
        has_forward_to_come = kind == "aot_backward_graph" and self.waiting and self.waiting[-1].startswith("forward")
        if has_forward_to_come:
            self.backward_of[self.waiting[-1]] = name
        self.waiting.insert(len(self.waiting) - bool(has_forward_to_come), name)

    def _numbered(self, stem: str) -> str:
        number = self.seen[stem]
        self.seen[stem] += 1
        return f"{stem}_{number}" if number or stem in _SEVERAL else stem

    def _half(self, kind: str, graph: InductorGraph | None) -> str:
        """The half that a record of Inductor's belongs to; a kind that comes again begins the next."""
        if self.half is None or kind in self.in_group:
            self.half = self._next(graph) if self.waiting else self.half or "graph"
            self.in_group = set()
        if kind not in _OF_EACH_GRAPH:
            self.in_group.add(kind)
        return self.half

    def _next(self, graph: InductorGraph | None) -> str:
        """The half of the next group: what Inductor's number says, else the one that is mostly compiled next."""
        if graph is not None and graph.is_backward:
            told = self.backward_of.get(self.numbered.get(graph.number, ""))
            if told in self.waiting:
                self.waiting.remove(told)
                return told
        found = self.waiting.pop()
        if graph is not None and not graph.is_backward:
            self.numbered[graph.number] = found
        others = any(name.startswith("backward") for name in self.waiting)
        self.guessed = self.guessed or (found.startswith("backward") and others)
        return found


def kind_of(metadata: Mapping[str, Any]) -> str:
    """What torch calls a record: its kind, or the name of an artifact."""
    for kind in metadata:
        if kind not in _CONTEXT:
            break
    else:
        raise KeyError("a record of no kind")
    content = metadata[kind]
    if kind in ("artifact", "graph_dump") and isinstance(content, Mapping):
        return str(content.get("name", kind))
    return kind


def named_after(kind: str, text: str) -> str:
    """The kind after which a text is named: a warning ahead of a break is no second break."""
    return BREAK_WARNING if kind == BREAK and is_warning(text) else kind


def _safe(kind: str) -> str:
    """A name that can be a file's, whatever a backend called its record."""
    return shortened(re.sub(r"[^\w.-]+", "_", kind)[:80].strip("._")) or "record"
