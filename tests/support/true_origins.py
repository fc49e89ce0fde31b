"""Which Guard object of Dynamo's each condition of its tree came from, by watching torch add them.

While the block lasts, the tree is looked at before and after torch goes through each Guard object: what is new came
from that one. This is slow, and it is what unjit's own join, made afterwards from names and texts, is held against.
"""

from __future__ import annotations

import contextlib
from collections import defaultdict
from collections.abc import Iterator

import torch._guards

from unjit.model import GuardOrigin, Guards
from unjit.observe.guards.printed import take_apart
from unjit.torch_private.guard_trees.guards import RawNode, guards_of

Key = tuple[str, str, str]  # the value that a condition is on, its kind, its text
Cause = tuple[str, tuple[tuple[str, int, str], ...]]  # what was asked, and the calls that led there


@contextlib.contextmanager
def watched() -> Iterator[dict[int, dict[Key, set[Cause]]]]:
    """For each guard manager, by its id, what each of its conditions truly came from."""
    found: dict[int, dict[Key, set[Cause]]] = defaultdict(lambda: defaultdict(set))
    create, inside = torch._guards.Guard.create, []

    def watching(guard, builder):
        if inside:  # torch makes some of others: the first is the one that was asked for
            return create(guard, builder)
        before = leaves(builder.guard_manager)
        inside.append(guard)
        try:
            return create(guard, builder)
        finally:
            inside.pop()
            calls = tuple((one.filename, one.lineno, one.name) for one in guard.user_stack or ())
            for key in leaves(builder.guard_manager) - before:
                found[id(builder.guard_manager)][key].add((guard.inner_create_fn().__name__, calls))

    torch._guards.Guard.create = watching
    try:
        yield found
    finally:
        torch._guards.Guard.create = create


def leaves(manager) -> set[Key]:
    def of(node: RawNode) -> Iterator[Key]:
        for leaf in node.leaves:
            yield str(node.source), leaf.kind.removesuffix("_GUARD"), take_apart(leaf.parts[0]).condition
        for child in node.children:
            yield from of(child)

    return set(of(guards_of(manager).root))


def wrong(guards: Guards, true: dict[Key, set[Cause]]) -> list[str]:
    """The guards that were joined with something else than what they came from."""
    found = []
    for node in guards.tree.walk():
        for guard in node.guards:
            causes = true.get((str(node.source), str(guard.kind), str(guard.parts[0]) if guard.parts else ""))
            if isinstance(guard.origin, GuardOrigin) and causes is not None:
                calls = tuple((str(one.file), one.line, str(one.function)) for one in guards.stack(guard))
                if (str(guard.origin.kind), calls) not in causes:
                    found.append(f"{guard.kind} {guard.condition}: {guard.origin} at {calls}, truly {causes}")
    return found
