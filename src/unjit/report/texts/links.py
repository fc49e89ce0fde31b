"""Which rows of which texts belong together: lines of the user's program, nodes of graphs, buffers and kernels.

A row *is* some things and *comes from* others, all named by tags. A choice lights up the rows that are what was chosen,
that come from it, or that it comes from. What a tag names:

    line=train.py:12           a line of the user's program
    pre=toy/0/add              a node of the captured graph, which keeps its name through Inductor's first passes
    joint=toy/0/div            a node of the graph of forward and backward in one, or of an inference graph as the
                               passes for such graphs have it
    post=toy/0/forward/div     a node of a forward, backward or inference graph, which keeps it through the last passes
    buffer=toy/0/forward/buf0
    kernel=toy/0/forward/cpp_fused_add_0

Lines come from torch's comments above nodes; which node became which is torch's own record (`Kernel.operations`,
`.captured`), Inductor's notes above the calls of kernels, and the origins of operations in its log of fusion.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from unjit.model import CapturedCompile, Place, Unknown, known_or
from unjit.model.captured.pieces import half_of
from unjit.report.ids import Ids

PRE = ("captured", "pre_grad_before", "pre_grad_after")
JOINT = ("joint", "joint_passes_before", "joint_passes_after")


@dataclass
class Row:
    """Consecutive rows of a text that say one thing."""

    start: int  # from 0
    end: int  # the row after the last
    id: str | None = None  # what a choice of it is called: node=toy/0/captured/add
    is_: list[str] = field(default_factory=list)
    from_: list[str] = field(default_factory=list)


class Tags:
    """The tags of one compile's things."""

    def __init__(self, compile_: CapturedCompile, ids: Ids) -> None:
        self.compile = ids.compile(compile_)
        self.ids = ids

    def node(self, artifact: str, name: str) -> str | None:
        """A node by the text that shows it; None where its name means nothing in another text."""
        if artifact in PRE:
            return self.pre(name)
        if artifact in JOINT:
            return self.joint(name)
        half = half_of(artifact)
        return self.post(half, name) if half and artifact in _graphs_of(half) else None

    def pre(self, name: str) -> str:
        return f"pre={self.compile}/{name}"

    def joint(self, name: str) -> str:
        return f"joint={self.compile}/{name}"

    def post(self, half: str, name: str) -> str:
        return f"post={self.compile}/{half}/{name}"

    def buffer(self, half: str, name: str) -> str:
        return f"buffer={self.compile}/{half}/{name}"

    def kernel(self, half: str, name: str) -> str:
        return f"kernel={self.compile}/{half}/{name}"

    def line(self, file: str, line: int | str) -> str:
        return f"line={self.ids.file(file)}:{line}"

    def place(self, place: Place) -> list[str]:
        """The line of a place, if it has one."""
        return [] if isinstance(place.line, Unknown) else [self.line(place.file, place.line)]


def _graphs_of(half: str) -> tuple[str, ...]:
    return (half, f"{half}_post_grad_before", f"{half}_post_grad_after")


def kernel_origins(compile_: CapturedCompile, tags: Tags) -> dict[str, list[str]]:
    """What each kernel came from, by its tag, as far as torch told."""
    found = {}
    for kernel in compile_.kernels:
        origins = [tags.post(kernel.half, name) for name in known_or(kernel.operations, ())]
        origins += [tags.pre(name) for name in known_or(kernel.captured, ())]
        origins += [tag for place in known_or(kernel.places, ()) for tag in tags.place(place)]
        found[tags.kernel(kernel.half, kernel.name)] = origins
    return found
