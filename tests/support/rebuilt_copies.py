"""Guards that torch built again without one of them, held against the same guards in Python without it."""

from __future__ import annotations

import contextlib
import itertools
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import Any

import torch
import torch._dynamo.guards

from agreement import changes
from changed_values import STATES
from unjit.guards.predicate import compile_guards
from unjit.guards.source import source_of
from unjit.model import Guard, GuardNode, Guards, Unknown
from unjit.observe.guards.reading import live_guards
from unjit.rewrite.rebuilding import rebuilt_without

WORDS = (".Tensor", ".float32")  # with which Python asks of a tensor: where they are replaced it cannot


@dataclass
class Drops:
    """Guards that were dropped one at a time, and on how many questions the two sides differ."""

    rebuilt: int = 0
    questions: int = 0
    held: int = 0
    refused: Counter[str] = field(default_factory=Counter)
    disagreements: list[str] = field(default_factory=list)


@contextlib.contextmanager
def compiles() -> Iterator[list[tuple[Any, dict[str, Any], CodeType]]]:
    """The guard manager, the frame's locals and the function of each compile in the block."""
    noted: list[tuple[Any, dict[str, Any], CodeType]] = []
    before = torch._dynamo.guards.guard_manager_testing_hook_fn
    torch._dynamo.guards.guard_manager_testing_hook_fn = lambda manager, frame, builder: noted.append(
        (manager, dict(frame), builder.f_code)
    )
    try:
        yield noted
    finally:
        torch._dynamo.guards.guard_manager_testing_hook_fn = before


def drop_each(manager: Any, frame: dict[str, Any], code: CodeType, drops: Drops, most: int | None = None) -> None:
    """Drop each guard on a value of the program by itself, at most so many; those that are alike count as one."""
    guards, _ = live_guards(manager, code)
    nodes = (node for node in guards.tree.walk() if node.access != "L" and not str(node.source).endswith(WORDS))
    ones = (guard for node in nodes for guard in node.guards if guard.parts)
    for guard in itertools.islice(ones, most):
        drop(manager, frame, code, guard, drops)


def drop(manager: Any, frame: dict[str, Any], code: CodeType, dropped: Guard, drops: Drops) -> None:
    def is_it(guard: Guard) -> bool:
        return (guard.kind, guard.source, guard.parts) == (dropped.kind, dropped.source, dropped.parts)

    less = rebuilt_without(manager, is_it, code)
    if isinstance(less, Unknown):
        drops.refused[str(less.reason)] += 1
        return
    drops.rebuilt += 1
    guards, _ = live_guards(manager, code)
    scope = manager.global_scope["G"]
    kept = source_of(Guards(without(guards.tree, is_it), guards.epilogue), "what is kept")
    assert not kept.asked
    predicate = compile_guards(kept, scope, [], "what is kept")

    def ask(what: str, changed: dict[str, Any]) -> None:
        drops.questions += 1
        ours, theirs = predicate(changed), less.root.check_verbose(changed)
        drops.held += ours
        if ours != theirs.result:
            said = f"without {dropped.condition}, {what}: ours {ours}, rebuilt {theirs.result}"
            drops.disagreements.append(f"{said} {theirs.verbose_code_parts}")

    ask("as seen", frame)
    for what, setting in STATES.items():
        with setting():
            ask(what, frame)
    for number, (what, change, undo) in enumerate(changes(guards.tree, frame, scope)):
        if str(dropped.source) in what or number % 7 == 0:  # around what was dropped, and here and there
            changed = change()
            try:
                ask(what, changed)
            finally:
                undo()


def without(node: GuardNode, dropped: Any) -> GuardNode:
    kept = tuple(guard for guard in node.guards if not dropped(guard))
    return replace(node, guards=kept, children=tuple(without(child, dropped) for child in node.children))
