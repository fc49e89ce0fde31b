"""The cost of the guards of a live entry: `entry.guards.cost(…)`."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any

from unjit.errors import BadCall
from unjit.guards.evaluate import reached
from unjit.guards.tensors import NO_MARKS
from unjit.model import Guard, GuardCost, GuardNode, Guards, Message, Name, Saving, Term, Unknown, known_or
from unjit.observe.guards.costs import THOROUGH, check_times
from unjit.render.forms.notebook import ShownInFull
from unjit.render.functions.costs import cost_text
from unjit.torch_private.cache.entries import globals_of
from unjit.torch_private.guard_trees.answers import verbose_answer
from unjit.torch_private.guard_trees.guard_costs import Stopwatch, nodes_of, source_of, stopwatch
from unjit.torch_private.guard_trees.state import settings_stay_guarded

_SAVINGS = {
    "torch.compiler.skip_guard_on_inbuilt_nn_modules_unsafe": "changes of torch's own modules (their mode, hooks, "
    "parameters that are replaced) go unnoticed",
    "torch.compiler.skip_guard_on_all_nn_modules_unsafe": "changes of any module (training or eval, hooks, attributes, "
    "parameters that are replaced) go unnoticed",
    "torch.compiler.skip_guard_on_globals_unsafe": "changes of globals and of the contents of modules go unnoticed",
    "torch.compiler.keep_tensor_guards_unsafe": "only changes of tensors that are no parameters are noticed",
}
# Guards of ours that torch's filters see as one guard, on a tensor.
_OF_A_TENSOR = {"TENSOR_MATCH", "DIMENSION_DYNAMIC_MARKING", "DYNAMIC_INDICES", "NO_TENSOR_ALIASING"}
_OF_SETTINGS = {"GLOBAL_STATE", "TORCH_FUNCTION_MODE_STACK"}


def cost_of(guards: Guards, manager: Any, frame: dict[str, Any], title: str) -> Cost:
    """What it costs to check these guards. Raises BadCall if they do not hold for the frame."""
    if not verbose_answer(manager, frame).holds:
        raise BadCall("the guards do not hold for this call, and a check that fails stops early; unjit.why says where")
    watch = stopwatch(manager, frame, THOROUGH)
    check = check_times(watch)
    kept = _kept_tensors(guards, frame, known_or(globals_of(manager), {}))
    return Cost(GuardCost(Name(title), len(guards), check, tuple(_savings(guards, kept, watch, check.thorough))))


class Cost(ShownInFull):
    """The answer: `str()` is the text for people, `.data` all of it as frozen data."""

    def __init__(self, data: GuardCost) -> None:
        self.data = data

    def __str__(self) -> str:
        return cost_text(self.data)

    def __repr__(self) -> str:
        return f"<cost of {self.data.guards} guards: {self.data.check.seconds * 1e6:.1f} µs>"


def _kept_tensors(guards: Guards, frame: dict[str, Any], scope: dict[str, Any]) -> set[str]:
    """The sources of the tensors that `keep_tensor_guards_unsafe` keeps guarded: all but parameters."""
    import torch

    on_tensors = (
        (node, value)
        for node, value in reached(guards, frame, scope)
        if any(guard.kind == "TENSOR_MATCH" for guard in node.guards)
    )
    return {str(node.source) for node, value in on_tensors if not isinstance(value, torch.nn.Parameter)}


def _savings(guards: Guards, kept_tensors: set[str], watch: Stopwatch, everything: float) -> Iterator[Saving]:
    """What each filter of `torch.compiler` would save: a check is measured without the nodes that it leaves out."""
    import torch

    dropped = {
        name: set(_dropped(name, guards, kept_tensors))
        for name in _SAVINGS
        if hasattr(torch.compiler, name.split(".")[2])
    }
    nodes = list(nodes_of(watch.root))
    for name, sources in dropped.items():
        ways: set[str] = set()
        _note_ways(guards.tree, sources, ways)
        kept = {id(node) for node in nodes if (source := source_of(node)) not in sources or source in ways}
        seconds = max(0.0, everything - watch.thorough(functools.partial(_is_in, kept)))
        count = _number_left_out(name, guards, kept_tensors, sources)
        if count:
            yield Saving(Term(name), count, seconds, Message(_SAVINGS[name]))


def _number_left_out(option: str, guards: Guards, kept_tensors: set[str], sources: set[str]) -> int:
    """How many guards the option leaves out: those on values with these `sources`, and for one option others too."""
    if "keep_tensor" not in option:
        return sum(len(node.guards) for node in guards.tree.walk() if str(node.source) in sources)
    on_tensors = (guard for node in guards.tree.walk() if str(node.source) in kept_tensors for guard in node.guards)
    kept = sum(guard.kind in _OF_A_TENSOR or guard.expected == NO_MARKS for guard in on_tensors)
    if settings_stay_guarded():
        kept += sum(guard.kind in _OF_SETTINGS for guard in guards)
    return len(guards) - kept


def _is_in(kept: set[int], node: Any) -> bool:
    return id(node) in kept


def _note_ways(node: GuardNode, dropped: set[str], ways: set[str]) -> bool:
    """Add to `ways` the values through which a check still goes: below each is one that is not dropped.

    Returns whether a check still comes to this node.
    """
    leads = [child for child in node.children if _note_ways(child, dropped, ways)]
    if leads:
        ways.add(str(node.source))
    return bool(leads) or str(node.source) not in dropped


def _dropped(option: str, guards: Guards, kept_tensors: set[str]) -> Iterator[str]:
    """The sources of the values whose guards the option leaves out."""
    if "inbuilt" in option:
        yield from _of_builtin_modules(guards.tree, is_within=False)
    for node in guards.tree.walk():
        if node is guards.tree or isinstance(node.source, Unknown):
            continue
        topics = {guard.topic for one in node.walk() for guard in one.guards}
        if "all_nn_modules" in option and topics == {"module"}:
            yield str(node.source)
        if "globals" in option and node.source.startswith("G"):  # what is in a dict may have a source of another form
            yield from (str(one.source) for one in node.walk())
        if "keep_tensor" in option and str(node.source) not in kept_tensors:
            yield str(node.source)


def _of_builtin_modules(node: GuardNode, *, is_within: bool) -> Iterator[str]:
    """The sources of torch's own modules and of what is in them, except other modules that they hold."""
    is_within = is_within or any(map(_is_builtin_module, node.guards))
    if is_within:
        yield str(node.source)
    for child in node.children:
        is_part = str(node.source).endswith("._modules") and any(guard.kind == "TYPE_MATCH" for guard in child.guards)
        yield from _of_builtin_modules(child, is_within=is_within and not is_part)


def _is_builtin_module(guard: Guard) -> bool:
    """Whether the guard asks for a module of torch's own in the sense of the option: containers do not count."""
    kind = str(guard.expected) if guard.kind == "TYPE_MATCH" else ""
    return kind.startswith("torch.nn.modules.") and not kind.startswith("torch.nn.modules.container.")
