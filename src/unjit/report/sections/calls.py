"""The tree of the calls in which compiles began, as the page shows it."""

from __future__ import annotations

from dataclasses import dataclass

from unjit.model import Capture, CapturedCompile, Unknown, known_or
from unjit.render.captures.call_tree import Began, Branch, call_tree, outcome
from unjit.render.forms.outline import count


@dataclass(frozen=True)
class CallsView:
    """The section on calls."""

    tree: tuple[Began, ...]
    total: int
    unknown: int  # compiles whose calls are not known


def calls_view(capture: Capture) -> CallsView:
    """The section on calls, of a capture."""
    unknown = sum(isinstance(one.stack, Unknown) for one in capture.compiles)
    return CallsView(call_tree(capture), len(capture.compiles), unknown)


def below(branch: Branch) -> str:
    """What began in the last call of a branch: `12 compiles: 3 skipped, 1 failed`."""
    outcomes = [ending(one) for one in branch.compiles]
    parts = [f"{outcomes.count(kind)} {kind}" for kind in dict.fromkeys(outcomes) if kind != "compiled"]
    return ": ".join([count(len(outcomes), "compile"), *([", ".join(parts)] if parts else [])])


def ending(compile_: CapturedCompile) -> str:
    """How a compile ended, in one word."""
    return known_or(compile_.compile.outcome, "of unknown outcome")


def more(compile_: CapturedCompile) -> str:
    """What else there is to a compile: `1 graph break, no graph`."""
    empty = ending(compile_) == "compiled" and compile_.artifact("captured") is None
    return ", ".join([*outcome(compile_.compile)[1:], *(["no graph"] if empty else [])])
