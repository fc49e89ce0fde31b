"""What the records of torch's trace are called in a capture, which depends on those that came before.

Records of one compile come in an order: the captured graph; the joint graph and its halves; then, for each half, what
Inductor made of it, which torch does not name after the half. So the halves wait, and each group of Inductor's records
takes the next one. A backend that cuts the graph into pieces, as vLLM's and DDP's do, makes several graphs of a kind in
one compile: the second has a number, and what is made of it its name (`inference_1`, `inference_1_output_code`).
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
from unjit.torch_private.following.records import BREAK, BREAK_WARNING, NAMES

ENDS_GROUP: Final = ("fx_graph_cache_hit", "fx_graph_cache_miss", "fx_graph_cache_bypass")
_SEVERAL: Final = {"break"}  # of which a compile has any number: they are numbered from the first on
_HALVES: Final = ("aot_forward_graph", "aot_backward_graph", "aot_inference_graph")
_CONTEXT: Final = {"rank", "frame_id", "frame_compile_id", "attempt", "compiled_autograd_id", "stack", "has_payload"}


@dataclass(slots=True)
class Namer:
    """Names the texts of one attempt of a compile, in the order in which they come."""

    waiting: list[str] = field(default_factory=list)  # halves whose Inductor records are still to come, the next last
    half: str | None = None  # the one that Inductor's records belong to now
    seen: Counter[str] = field(default_factory=Counter)
    in_group: set[str] = field(default_factory=set)

    def name(self, kind: str) -> tuple[Term, Term]:
        """The name and the suffix of the next text of this kind."""
        stem, suffix = NAMES.get(kind) or (_safe(kind), ".txt")
        if stem.startswith("*"):
            stem = stem.replace("*", self._half(kind))
        name = self._numbered(stem)
        if kind in _HALVES:
            self._wait(kind, name)
        if kind in ENDS_GROUP:
            self.half, self.in_group = None, set()
        return Term(name), Term(suffix)

    def _wait(self, kind: str, name: str) -> None:
        """A forward graph is compiled at once, a backward graph when it first runs: autograd begins with the last."""
        has_forward_to_come = kind == "aot_backward_graph" and self.waiting and self.waiting[-1].startswith("forward")
        self.waiting.insert(len(self.waiting) - bool(has_forward_to_come), name)

    def _numbered(self, stem: str) -> str:
        number = self.seen[stem]
        self.seen[stem] += 1
        return f"{stem}_{number}" if number or stem in _SEVERAL else stem

    def _half(self, kind: str) -> str:
        """The half that a record of Inductor's belongs to; a kind that comes again begins the next."""
        if self.half is None or kind in self.in_group:
            self.half = self.waiting.pop() if self.waiting else self.half or "graph"
            self.in_group = set()
        if kind not in ("fusion", "schedule"):
            self.in_group.add(kind)
        return self.half


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
