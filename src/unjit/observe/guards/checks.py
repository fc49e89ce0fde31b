"""Each guard's condition in Python, and how its value is reached."""

from __future__ import annotations

from collections.abc import Iterable

from unjit.guards.access import Step, access
from unjit.guards.conditions import parse_condition
from unjit.guards.kinds import RELATIONS, kind_of
from unjit.guards.leaf_text import LeafText, Parsed
from unjit.guards.leaves import dict_check, parse_leaf
from unjit.guards.torch_state import root_lambda
from unjit.model import Maybe, Message, Unknown, known_or
from unjit.torch_private.guard_trees.guards import RawLeaf, RawNode

_LAMBDAS = {"LAMBDA_GUARD", "LAMBDA_GUARD_NO_ARGS"}
_PLAIN_DICTS = ("", "GlobalsGuardAccessor", "GetGenericDictGuardAccessor", "TypeDictGuardAccessor")
_RAW = Unknown(Message("its text has no form that is known; it stands as torch prints it"))


def check_of(
    leaf: RawLeaf, parts: Iterable[str], node: RawNode | None, sources: Iterable[str], modes: Maybe[tuple[type, ...]]
) -> Maybe[Parsed]:
    """The condition of a leaf guard, whose value torch may name in several ways. Without a node it is about several."""
    texts = tuple(parts)
    if node is None or kind_of(leaf.kind) in RELATIONS:
        return _all_of([parse_condition(text) for text in texts])
    if node.accessor == "" and leaf.kind in _LAMBDAS:
        return _all_of([root_lambda(text) for text in texts])
    known_modes = known_or(modes, None)
    leaves = (LeafText(leaf.kind, texts, source, node.guarded_type, known_modes) for source in sources)
    return next(filter(None, map(parse_leaf, leaves)), _RAW)


def _all_of(found: list[Parsed | None]) -> Maybe[Parsed]:
    parsed = [one for one in found if one is not None]
    if not parsed or len(parsed) < len(found):
        return _RAW
    return Parsed(
        " and ".join(f"({one.check})" for one in parsed) if parsed[1:] else parsed[0].check, parsed[0].expected
    )


def sources_of(node: RawNode, above: RawNode | None) -> tuple[str, ...]:
    """How torch names a value in its guards: mostly as the manager does, but items of ordered dicts by their place."""
    if above is None or not node.accessor.startswith("value "):
        return (str(node.source),)
    key = f"list(dict.keys({above.source}))[{node.accessor[6:]}]"
    return str(node.source), f"dict.__getitem__({above.source}, {key})", f"{above.source}[{key}]"


def access_of(node: RawNode, above: RawNode) -> Maybe[str]:
    """How the value of `node` is reached from the one above it."""
    found = access(Step(node.accessor, str(above.source), str(node.source), _exact_type(above)))
    return Unknown(Message(f"{node.accessor} has no form that is known")) if found is None else found


def _exact_type(node: RawNode) -> type | None:
    """The class that a value is sure to have when it is read through."""
    if node.accessor.partition("(")[0] in _PLAIN_DICTS:
        return dict
    checked = node.manager == "DictGuardManager" or any(leaf.kind == "TYPE_MATCH" for leaf in node.leaves)
    return node.guarded_type if checked else None


def dict_guard(node: RawNode) -> Maybe[Parsed]:
    """What Dynamo's manager of an ordered dict checks by itself: the class and the size."""
    assert node.size is not None, "only such a manager has a size"
    if node.guarded_type is None:
        return Unknown(Message("torch does not tell the class of the dict, or it no longer exists"))
    return node.size if isinstance(node.size, Unknown) else dict_check(node.guarded_type, node.size)
