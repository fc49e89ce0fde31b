"""From Dynamo's guards, as `torch_private` read them, to the guards of the model.

A guard of Dynamo's can become several of the model's, and some checks that Dynamo makes without a guard become one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from types import CodeType, ModuleType
from typing import Any

from unjit.guards.kinds import kind_of
from unjit.guards.leaf_text import Parsed
from unjit.guards.leaves import there
from unjit.model import (
    Constant,
    Expression,
    Generated,
    Guard,
    GuardNode,
    GuardOrigin,
    Guards,
    Maybe,
    Message,
    Place,
    Term,
    Topic,
    Unknown,
)
from unjit.model.words.sources import as_written
from unjit.model.words.stack_text import place
from unjit.observe.guards.checks import access_of, check_of, dict_guard, sources_of
from unjit.observe.guards.origins import Origins
from unjit.observe.guards.printed import Comment, Part, readable, take_apart
from unjit.observe.targets.behind_wrapper import NamesBehind, guards_with_names, names_by_guards
from unjit.observe.targets.resolving import is_module_class
from unjit.torch_private.guard_trees.guards import RawGuards, RawLeaf, RawNode, guards_of
from unjit.torch_private.probes.probe import needed

_STATE_KINDS = {"GLOBAL_STATE", "TORCH_FUNCTION_MODE_STACK", "DEFAULT_DEVICE", "DUAL_LEVEL_MATCH"}
_SAME = re.compile(r"(?<= is )the same(?: \S+)?$")  # what torch prints an address of
_ROOT = re.compile(r"([LG])\['([^']*)'\]")
_DYNAMOS_WORDS = re.compile(r"[LG]\[|___")
_LIBRARIES = ("__import_", "__builtins_dict__")  # how Dynamo calls modules that are no globals of the program's
_WITHOUT_LEAF = {"DICT_MANAGER", "PRESENT"}  # conditions of managers: torch prints nothing for them
_ALWAYS_THERE = ("GlobalsGuardAccessor", "key ", "value ")  # and the frame; a dict of another size is not looked into
_ONE_PER_PART = {"LAMBDA_GUARD", "SYMBOLIC_SHAPE_GUARD"}

_NO_CODE = (lambda: None).__code__  # for callers that need no topics: it has no closure

FindFile = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Context:
    """What the guards of one entry are read against."""

    code: CodeType  # of the function that the entry belongs to
    full_path: FindFile  # torch cuts paths to their end
    modes: Maybe[tuple[type, ...]]  # torch function modes that were active at the compile
    origins: Origins
    places: dict[Comment, Place] = field(default_factory=dict)

    def place_of(self, comment: Comment) -> Place:
        """The user's line that a comment names; many guards come from one."""
        if comment not in self.places:
            self.places[comment] = place(self.full_path(comment.file), comment.line, comment.function, comment.code)
        return self.places[comment]


@dataclass(slots=True, unsafe_hash=True)  # never changed; `frozen` would make each cost three times as much
class _Source:
    """What guards look at, in Dynamo's words and in the user's."""

    text: Maybe[Expression]
    written: Maybe[Expression]

    @classmethod
    def of(cls, text: Maybe[str]) -> _Source:
        if isinstance(text, Unknown):
            return cls(text, text)
        return cls(Expression(text), Expression(as_written(text)))


def read_guards(raw: RawGuards, code: CodeType, full_path: FindFile, names: NamesBehind | None = None) -> Guards:
    """The guards of one entry of the function with this code.

    Guards of torch's wrapper are written in the names of a module's forward: that of the class that they ask for, or
    else the one that `names` knows.
    """
    context = _Context(code, full_path, raw.modes, Origins(raw.origins))
    tree = _node(raw.root, None, "other", context)
    after_the_tree = _Position(None, _Source.of(Unknown(Message("it is about several values"))), "shapes")
    leaves = (guard for leaf in raw.epilogue for guard in _guards(leaf, after_the_tree, context))
    modules = set(_names_of_modules(tree))
    epilogue = [replace(guard, topic=_topic_of_text(" ".join(guard.parts), modules)) for guard in leaves]
    guards = Guards(tree, tuple(epilogue), context.origins.lines())
    renamed = names_by_guards(code, raw.root) or names
    return guards if renamed is None else guards_with_names(guards, renamed)


def live_guards(
    guard_manager: Any, code: CodeType = _NO_CODE, full_path: FindFile = str, names: NamesBehind | None = None
) -> tuple[Guards, list[Any]]:
    """The guards of a live guard manager, and for each torch's own object, or None where torch has none for it.

    Torch's objects are part of the manager: they must not be called after it is gone.
    """
    raw = needed(guards_of(guard_manager))
    return read_guards(raw, code, full_path, names), leaves_of(raw)


def leaves_of(raw: RawGuards) -> list[Any]:
    """Torch's own object for each guard that `read_guards` makes of these, or None; see `live_guards`."""
    leaves = [leaf for node in raw.root.walk() for leaf in _leaves(node)]
    return leaves + [leaf.live for leaf in raw.epilogue for _ in range(_guard_count(leaf))]


def _leaves(node: RawNode) -> Iterator[Any]:
    if node.size is not None or _only_reached(node):
        yield None
    yield from (leaf.live for leaf in node.leaves for _ in range(_guard_count(leaf)))


def _only_reached(node: RawNode) -> bool:
    """Whether Dynamo asks nothing of a value but that it is there."""
    asked = node.size is not None or node.leaves or node.children
    return bool(node.accessor) and not asked and not node.accessor.startswith(_ALWAYS_THERE)


def _guard_count(leaf: RawLeaf) -> int:
    """How many guards of the model a leaf becomes: as many as `_guards` makes of it."""
    if isinstance(leaf.parts, Unknown) or leaf.kind not in _ONE_PER_PART:
        return 1
    return max(1, len(leaf.parts))


def _names_of_modules(tree: GuardNode) -> Iterator[str]:
    """`L['self'` for `L['self']` and all that is reached through it, where that is a module of torch's."""
    guards = (guard for node in tree.walk() for guard in node.guards if guard.topic == "module")
    return (guard.source.partition("]")[0] for guard in guards if isinstance(guard.source, str))


def _topic_of_text(text: str, modules: set[str]) -> Topic:
    """What a condition on several values is about: their sizes, or that two names mean one object.

    One that was added to a copy of an entry is written in the names of its function, and not in Dynamo's words.
    """
    if text and not _DYNAMOS_WORDS.search(text):
        return "arguments"
    if " is " not in text:
        return "shapes"
    if "__import_" in text:
        return "libraries"
    return "module" if text.partition("]")[0] in modules else "arguments"


@dataclass(slots=True, unsafe_hash=True)  # never changed; `frozen` would make each cost three times as much
class _Position:
    """Where in the tree a guard stands. Guards of the epilogue, which torch asks after the tree, have no node."""

    node: RawNode | None
    source: _Source
    topic: Topic
    names: tuple[str, ...] = ()  # by which guards may call the value


def _node(raw: RawNode, above: RawNode | None, topic_above: Topic, context: _Context) -> GuardNode:
    topic = _topic(raw, topic_above, context)
    position = _Position(raw, _Source.of(raw.source), topic, sources_of(raw, above))
    access = Generated("L") if above is None else access_of(raw, above)
    return GuardNode(
        manager=Term(raw.manager),
        source=position.source.text,
        access=access if isinstance(access, Unknown) else Generated(access),
        failures=raw.failures,
        guards=(
            *_own_guards(position, context),
            *(guard for leaf in raw.leaves for guard in _guards(leaf, position, context)),
        ),
        children=tuple(_node(child, raw, topic, context) for child in raw.children),
    )


def _own_guards(position: _Position, context: _Context) -> Iterator[Guard]:
    """Guards for what a manager checks by itself: the size of an ordered dict, or that a value is there."""
    assert position.node is not None, "managers are nodes"
    if position.node.size is not None:
        found = dict_guard(position.node)
        size = f"dict: {found}" if isinstance(found, Unknown) else found.expected
        yield _guard("DICT_MANAGER", position, (Part(f"{position.source.written} is a {size}"),), found, context)
    elif _only_reached(position.node):
        yield _guard("PRESENT", position, (Part(f"{position.source.written} is there"),), there(), context)


def _topic(raw: RawNode, above: Topic, context: _Context) -> Topic:
    """What a value is to the user. Everything inside a module or library belongs to it."""
    if above in ("module", "libraries"):
        return above
    if raw.guarded_type is not None and is_module_class(raw.guarded_type):
        return "module"
    if raw.guarded_type is not None and issubclass(raw.guarded_type, ModuleType):
        return "libraries"
    match = _ROOT.match(raw.source) if isinstance(raw.source, str) else None
    if match is None:
        return above
    if match[1] == "G":
        return "libraries" if match[2].startswith(_LIBRARIES) else "globals"
    return "closure" if match[2] in context.code.co_freevars else "arguments"


def _guards(leaf: RawLeaf, position: _Position, context: _Context) -> list[Guard]:
    if isinstance(leaf.parts, Unknown):
        return [_guard(leaf.kind, position, (Part(str(leaf.parts)),), leaf.parts, context)]
    parts = tuple(take_apart(text) for text in leaf.parts)
    if leaf.kind in _ONE_PER_PART and len(parts) > 1:
        return [
            _guard(leaf.kind, position, (part,), _check(leaf, (part,), position, context), context) for part in parts
        ]
    return [_guard(leaf.kind, position, parts, _check(leaf, parts, position, context), context)]


def _check(leaf: RawLeaf, parts: tuple[Part, ...], position: _Position, context: _Context) -> Maybe[Parsed]:
    return check_of(leaf, [part.condition for part in parts], position.node, position.names, context.modes)


def _guard(kind: str, position: _Position, parts: tuple[Part, ...], check: Maybe[Parsed], context: _Context) -> Guard:
    comment = next((part.comment for part in parts if part.comment is not None), None)
    state = kind in _STATE_KINDS or (position.topic == "other" and kind == "LAMBDA_GUARD")
    own = kind in _WITHOUT_LEAF
    short = kind_of(kind)
    first = parts[0].condition if parts else ""  # torch 2.6 prints nothing for some
    origin = context.origins.of(short, position.source.text, comment, first)
    return Guard(
        kind=Term(short),
        topic="torch state" if state else position.topic,
        source=position.source.text,
        subject=position.source.written,
        condition=Generated(parts[0].condition if own else _condition(kind, parts, check)),
        parts=() if own else tuple(Generated(part.condition) for part in parts),
        cause=_cause(comment, origin, context),
        note=Message(comment.note) if comment and comment.note else None,
        check=check if isinstance(check, Unknown) else Generated(check.check),
        expected=check if isinstance(check, Unknown) else Constant(check.expected),
        origin=origin,
    )


def _condition(kind: str, parts: tuple[Part, ...], check: Maybe[Parsed]) -> str:
    texts = dict.fromkeys(readable(kind, part.condition) for part in parts)
    told = " and ".join(texts) or kind.lower().replace("_", " ")
    name = None if isinstance(check, Unknown) else check.name
    return told if name is None else _SAME.sub(lambda _: name, told)


def _cause(comment: Comment | None, origin: Maybe[GuardOrigin] | None, context: _Context) -> Maybe[Place] | None:
    """The user's line; None for guards that torch adds whatever the user wrote.

    Their comment names a line of torch's, without code. Where torch prints no line, Dynamo's Guard object has it.
    """
    if comment is not None and comment.code is not None:
        return context.place_of(comment)
    if isinstance(origin, GuardOrigin):
        return context.origins.place(origin)
    return Unknown(Message("torch keeps no line for it")) if comment is None else None
