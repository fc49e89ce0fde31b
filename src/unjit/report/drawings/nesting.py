"""Which module, function or graph within the graph each node of a graph lies in: what folds when it is drawn."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from unjit.model import ModuleCall, Unknown
from unjit.report.drawings.printed_graph import PrintedNode

_CROWD: Final = 120  # more than this in one level is cut into runs, so that a level can be laid out at once
_RUN: Final = 40
_TO: Final = " … "
_FEW: Final = 12  # a graph as small as this is drawn flat where its modules are not known


@dataclass
class Group:
    """What folds: a module, a function of the user's, a graph within the graph, or a run of nodes."""

    label: str
    detail: str
    parent: int  # -1: it lies in the graph itself


@dataclass
class Nesting:
    """Groups, parents before children, and the group of each node; -1 is the graph itself."""

    groups: list[Group] = field(default_factory=list)
    of: list[int] = field(default_factory=list)

    def add(self, label: str, detail: str, parent: int) -> int:
        self.groups.append(Group(label, detail, parent))
        return len(self.groups) - 1


def nest(nodes: Sequence[PrintedNode], modules: tuple[ModuleCall, ...] | None) -> Nesting:
    """Which group each node lies in: by module where that is known, else by the user's function."""
    nesting = Nesting()
    if modules:
        _by_module(nodes, modules, nesting)
    elif len(nodes) > _FEW:
        _by_function(nodes, nesting)
    else:
        nesting.of = [-1] * len(nodes)
    _by_inner_graph(nodes, nesting)
    _inputs_to_where_they_are_used(nodes, nesting)
    while _cut_crowds(nodes, nesting):
        continue
    return _parents_first(nesting)


def _by_module(nodes: Sequence[PrintedNode], modules: tuple[ModuleCall, ...], nesting: Nesting) -> None:
    for call in modules:
        outer = -1 if call.within is None else call.within
        above = str(modules[outer].path) if outer >= 0 else ""
        label = str(call.path).removeprefix(f"{above}.") if above else _readable(str(call.path))
        nesting.add(label, str(call.kind), outer)
    group_of = {str(name): number for number, call in enumerate(modules) for name in call.nodes}
    nesting.of = [-1 if node.within else group_of.get(node.name, -1) for node in nodes]


def _readable(path: str) -> str:
    """`L['self'].transformer` is `self.transformer` to the user."""
    if path.startswith(("L['", "G['")) and "']" in path:
        return path[3:].replace("']", "", 1)
    return path


def _by_function(nodes: Sequence[PrintedNode], nesting: Nesting) -> None:
    """Nodes that follow each other and come from one function of the user's."""
    before, group = None, -1
    for node in nodes:
        here = None if isinstance(node.place, Unknown) else (str(node.place.function), str(node.place.file))
        if node.kind in ("placeholder", "get_attr", "output") or here is None:
            nesting.of.append(-1)
            continue
        if here != before:
            group = nesting.add(here[0], here[1].rpartition("/")[2], -1)
            before = here
        nesting.of.append(group)
    if len(nesting.groups) == 1:
        nesting.groups, nesting.of = [], [-1] * len(nodes)


def _by_inner_graph(nodes: Sequence[PrintedNode], nesting: Nesting) -> None:
    """A graph that another calls is a group of its own."""
    known: dict[tuple[str, ...], int] = {(): -1}
    for at, node in enumerate(nodes):
        for depth in range(1, len(node.within) + 1):
            within = node.within[:depth]
            if within not in known:
                known[within] = nesting.add(within[-1], "graph within the graph", known[within[:-1]])
        if node.within:
            nesting.of[at] = known[node.within]


def _inputs_to_where_they_are_used(nodes: Sequence[PrintedNode], nesting: Nesting) -> None:
    """An input that one module alone reads lies within it, as a parameter does."""
    users: dict[int, set[int]] = {}
    for at, node in enumerate(nodes):
        for source in node.inputs:
            users.setdefault(source, set()).add(nesting.of[at])
    for at, node in enumerate(nodes):
        if node.kind in ("placeholder", "get_attr") and not node.within and at in users:
            nesting.of[at] = _common(users[at], nesting)


def _common(groups: set[int], nesting: Nesting) -> int:
    """The innermost group that all of these lie in."""
    paths = [list(reversed(list(_upwards(group, nesting)))) for group in groups]
    found = -1
    for level in zip(*paths, strict=False):
        if len(set(level)) > 1:
            break
        found = level[0]
    return found


def _upwards(group: int, nesting: Nesting) -> Iterator[int]:
    while group >= 0:
        yield group
        group = nesting.groups[group].parent


def _name(item: tuple[str, int], nodes: Sequence[PrintedNode], nesting: Nesting) -> list[str]:
    """What a node or group is called; of a run, the first and the last of it."""
    kind, number = item
    return [nodes[number].name] if kind == "node" else nesting.groups[number].label.split(_TO)


def _cut_crowds(nodes: Sequence[PrintedNode], nesting: Nesting) -> bool:
    """Cut each level that holds too much into runs; whether there was one."""
    levels: dict[int, list[tuple[str, int]]] = {}
    for number, group in enumerate(nesting.groups):
        levels.setdefault(group.parent, []).append(("group", number))
    for at, group_of in enumerate(nesting.of):
        levels.setdefault(group_of, []).append(("node", at))
    crowds = {level: items for level, items in levels.items() if len(items) > _CROWD}
    for level, items in crowds.items():
        for start in range(0, len(items), _RUN):
            run = items[start : start + _RUN]
            first, last = _name(run[0], nodes, nesting), _name(run[-1], nodes, nesting)
            parent = nesting.add(
                f"{first[0]}{_TO}{last[-1]}", f"{start + 1} to {start + len(run)} of {len(items)}", level
            )
            for kind, number in run:
                if kind == "node":
                    nesting.of[number] = parent
                else:
                    nesting.groups[number].parent = parent
    return bool(crowds)


def _parents_first(nesting: Nesting) -> Nesting:
    """The same with groups in the order in which a reader can build the tree; groups without content are left out."""
    filled = {above for group in set(nesting.of) for above in _upwards(group, nesting)}
    depth = {number: sum(1 for _ in _upwards(number, nesting)) for number in filled}
    order = sorted(filled, key=lambda number: (depth[number], number))
    new = {-1: -1} | {old: at for at, old in enumerate(order)}
    groups = [nesting.groups[old] for old in order]
    return Nesting([Group(one.label, one.detail, new[one.parent]) for one in groups], [new[one] for one in nesting.of])
