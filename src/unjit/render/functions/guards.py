"""Thousands of guards as what a person wants to know first.

Conditions on arguments, closures, globals and shapes are listed; those that only make sure that nothing was replaced
(modules, libraries, torch's settings) are counted, since they fail rarely and look alike.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from unjit.model import Guard, GuardGroup, GuardNode, Guards, Maybe, Topic, Unknown
from unjit.render.forms.outline import Item, Section, Source, count, listed
from unjit.render.forms.places import cause, where

_STEM = re.compile(r"(?<![\w.])[A-Za-z_]\w*(?:\.\w+)?(?![\w.]*\()")  # no call, as `list(dict.keys(self.h))` has
_MOST_LISTED = 12
_MOST_NAMES = 6
_LISTED: set[Topic] = {"arguments", "shapes", "globals", "closure", "other"}
_MINOR = {"DIMENSION_DYNAMIC_MARKING", "NO_TENSOR_ALIASING", "NO_HASATTR", "STORAGE_OVERLAPPING", "DICT_VERSION"}
_NO_MARKS = "no marks on dimensions"  # what is expected where the call that was compiled for had none
_WORDS = {
    "TENSOR_MATCH": "dtype, device, shape and strides of tensors",
    "ID_MATCH": "the same objects",
    "TYPE_MATCH": "the same types",
    "EQUALS_MATCH": "the same values",
    "LENGTH_CHECK": "the same lengths",
    "DICT_LENGTH": "the same lengths",
    "DICT_LENGTH_CHECK": "the same lengths",
    "MAPPING_KEYS_MATCH": "the same keys",
    "MAPPING_KEYS": "the same keys",
    "DICT_CONTAINS": "keys present or absent",
    "SET_CONTAINS": "members present or absent",
    "NO_HASATTR": "attributes still absent",
    "NONE_MATCH": "still None",
    "TRUE_MATCH": "still True",
    "FALSE_MATCH": "still False",
    "NO_TENSOR_ALIASING": "tensors that are different objects",
    "DIMENSION_DYNAMIC_MARKING": "no other dimension marked dynamic or static",
    "LAMBDA": "other conditions",
    "GLOBAL_STATE": "grad mode, autocast and other settings unchanged",
    "TORCH_FUNCTION_MODE_STACK": "no other torch function mode",
    "DEFAULT_DEVICE": "the same default device",
}


def guards_section(guards: Maybe[Guards]) -> Item:
    """The guards of an entry, grouped by what they protect."""
    if isinstance(guards, Unknown):
        return f"Its guards are {guards}."
    if not len(guards):
        return "It has no guards: it runs for any call, whether its code fits that or not."
    groups = tuple(_group(group, guards) for group in guards.groups())
    return Section(f"It runs only if {count(len(guards), 'guard')} hold:", (*groups, *_failures(guards.tree)))


def _group(group: GuardGroup, guards: Guards) -> Section:
    main = [guard for guard in group.guards if guard.kind not in _MINOR] if group.topic in _LISTED else []
    rest = [guard for guard in group.guards if guard not in main[:_MOST_LISTED]] if main else list(group.guards)
    lines = _aligned(main[:_MOST_LISTED], guards)
    items: list[Item] = [Source(tuple(lines))] if lines else []
    if rest:
        items.append(("and " if lines else "all " if len(rest) > 1 else "") + _counted(rest))
    return Section(f"{group.topic} ({len(group.guards):,})", tuple(items))


def _aligned(listed: list[Guard], guards: Guards) -> list[str]:
    """Conditions with the user's lines beside them, and below them the calls that led there, where they are known."""
    texts = [_short(guard.condition, 100) for guard in listed]
    width = min(max(map(len, texts), default=0), 70)
    lines: list[str] = []
    before: list[str] = []
    for text, guard in zip(texts, listed, strict=True):
        calls = _calls(guard, guards)
        lines.append(f"{text:<{width}}{cause(guard.cause)}".rstrip())
        lines += ["  called the same way"] if calls and calls == before else calls
        before = calls
    return lines


def _calls(guard: Guard, guards: Guards) -> list[str]:
    """The calls that led to the line beside a guard, outermost first; none where that line is the outermost."""
    stack = guards.stack(guard)
    if isinstance(stack, Unknown) or len(stack) < 2:
        return []
    return [f"  {'called from' if at == 0 else 'and'} {where(place)}" for at, place in enumerate(stack[:-1])]


def _counted(guards: list[Guard]) -> str:
    """`120 on self.h, self.ln and 40 others: the same objects (80), the same types (40)`."""
    kinds = Counter(map(_word, guards))
    what = next(iter(kinds)) if len(kinds) == 1 else ", ".join(f"{word} ({n:,})" for word, n in kinds.most_common())
    return f"{len(guards):,}{_names(guards)}: {what}"


def _word(guard: Guard) -> str:
    if guard.kind == "DIMENSION_DYNAMIC_MARKING" and guard.expected == _NO_MARKS:
        return "no dimension marked dynamic or static"
    return _WORDS.get(guard.kind, guard.kind.lower().replace("_", " "))


def _names(guards: Iterable[Guard]) -> str:
    named = [guard for guard in guards if guard.source not in ("L", "G") and not isinstance(guard.subject, Unknown)]
    names = list(dict.fromkeys(_stem(str(guard.subject)) for guard in named if guard.subject))
    return f" on {listed(names, _MOST_NAMES)}" if names else ""


def _stem(subject: str) -> str:
    """The first two steps of `self.transformer.h[0].attn`."""
    match = _STEM.search(subject)
    return match[0] if match else subject


def _failures(tree: GuardNode) -> Iterable[str]:
    """The values whose guards said no so far, without those that only lead to them."""
    failed = [(node, _own_refusals(node)) for node in tree.walk() if _refusals(node)]
    named = [f"{_written(node)} ({count(times, 'time')})" for node, times in failed if times > 0]
    if named:
        yield f"Failed so far: {', '.join(named)}."


def _own_refusals(node: GuardNode) -> int:
    """How often a guard on the value itself said no: torch counts what those of its parts say as well."""
    return _refusals(node) - (0 if _is_dict(node) else sum(map(_all_refusals, node.children)))


def _all_refusals(node: GuardNode) -> int:
    return _refusals(node) + (sum(map(_all_refusals, node.children)) if _is_dict(node) else 0)


def _is_dict(node: GuardNode) -> bool:
    """Whether it is a dict whose items torch goes through in order: there it counts its own alone."""
    return node.manager == "DictGuardManager"


def _refusals(node: GuardNode) -> int:
    return node.failures if isinstance(node.failures, int) else 0


def _written(node: GuardNode) -> object:
    """What a node is about, as its guards call it; on the root there are none but those on torch's own state."""
    if node.source == "L":
        return "torch state"
    return next((guard.subject for guard in node.guards if guard.source == node.source), node.source)


def _short(text: str, most: int) -> str:
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1] + "…"
