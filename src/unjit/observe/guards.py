"""Dynamo's guards to the model's."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from types import CodeType, ModuleType

from unjit.model import (
    Expression,
    Generated,
    Guard,
    GuardNode,
    Guards,
    Maybe,
    Message,
    Place,
    Term,
    Topic,
    Unknown,
)
from unjit.observe.guard_text import Part, as_written, readable, take_apart
from unjit.observe.messages import place
from unjit.torch_private.guards import RawGuards, RawLeaf, RawNode

_STATE_KINDS = {"GLOBAL_STATE", "TORCH_FUNCTION_MODE_STACK", "DEFAULT_DEVICE", "DUAL_LEVEL_MATCH"}
_ROOT = re.compile(r"([LG])\['([^']*)'\]")
_ONE_PER_PART = {"LAMBDA_GUARD", "SYMBOLIC_SHAPE_GUARD"}

FindFile = Callable[[str], str]


@dataclass(frozen=True, slots=True)
class _Context:
    """What the guards of one entry are read against."""

    code: CodeType  # of the function that the entry belongs to
    full_path: FindFile  # torch cuts paths to their end


@dataclass(frozen=True, slots=True)
class _Source:
    """What guards look at, in Dynamo's words and in the user's."""

    text: Maybe[Expression]
    written: Maybe[Expression]

    @classmethod
    def of(cls, text: Maybe[str]) -> _Source:
        if isinstance(text, Unknown):
            return cls(text, text)
        return cls(Expression(text), Expression(as_written(text)))


def read_guards(raw: RawGuards, code: CodeType, full_path: FindFile) -> Guards:
    """The guards of one entry of the function with this code."""
    context = _Context(code, full_path)
    tree = _node(raw.root, "other", context)
    several = _Source.of(Unknown(Message("it is about several values")))
    leaves = (guard for leaf in raw.epilogue for guard in _guards(leaf, several, "shapes", context))
    modules = {guard.source.partition("]")[0] for guard in _of_topic(tree, "module") if isinstance(guard.source, str)}
    return Guards(tree, tuple(replace(guard, topic=_topic_of_text(" ".join(guard.parts), modules)) for guard in leaves))


def _of_topic(tree: GuardNode, topic: Topic) -> Iterator[Guard]:
    return (guard for node in tree.walk() for guard in node.guards if guard.topic == topic)


def _topic_of_text(text: str, modules: set[str]) -> Topic:
    """What a condition on several values is about: their sizes, or that two names mean one object."""
    if " is " not in text:
        return "shapes"
    if "__import_" in text:
        return "libraries"
    return "module" if text.partition("]")[0] in modules else "arguments"


def _node(raw: RawNode, above: Topic, context: _Context) -> GuardNode:
    topic = _topic(raw, above, context)
    source = _Source.of(raw.source)
    return GuardNode(
        manager=Term(raw.manager),
        source=source.text,
        failures=raw.failures,
        guards=tuple(guard for leaf in raw.leaves for guard in _guards(leaf, source, topic, context)),
        children=tuple(_node(child, topic, context) for child in raw.children),
    )


def _topic(raw: RawNode, above: Topic, context: _Context) -> Topic:
    """What a value is to the user. Everything inside a module or library belongs to it."""
    if above in ("module", "libraries"):
        return above
    if raw.guarded_type is not None and _is_module_class(raw.guarded_type):
        return "module"
    if raw.guarded_type is not None and issubclass(raw.guarded_type, ModuleType):
        return "libraries"
    match = _ROOT.match(raw.source) if isinstance(raw.source, str) else None
    if match is None:
        return above
    if match[1] == "G":
        return "libraries" if match[2].startswith("__") else "globals"
    return "closure" if match[2] in context.code.co_freevars else "arguments"


def _is_module_class(kind: type) -> bool:
    """An nn.Module, told without importing torch."""
    return any(base.__name__ == "Module" and base.__module__ == "torch.nn.modules.module" for base in kind.__mro__)


def _guards(leaf: RawLeaf, source: _Source, topic: Topic, context: _Context) -> list[Guard]:
    if isinstance(leaf.parts, Unknown):
        return [_guard(leaf.kind, source, topic, (Part(str(leaf.parts)),), context)]
    parts = tuple(take_apart(text) for text in leaf.parts)
    if leaf.kind in _ONE_PER_PART and len(parts) > 1:
        return [_guard(leaf.kind, source, topic, (part,), context) for part in parts]
    return [_guard(leaf.kind, source, topic, parts, context)]


def _guard(kind: str, source: _Source, topic: Topic, parts: tuple[Part, ...], context: _Context) -> Guard:
    explained = next((part for part in parts if part.file is not None), None)
    if kind in _STATE_KINDS or (topic == "other" and kind == "LAMBDA_GUARD"):
        topic = "torch state"
    return Guard(
        kind=Term(kind.removesuffix("_GUARD")),
        topic=topic,
        source=source.text,
        subject=source.written,
        condition=Generated(_condition(kind, parts)),
        parts=tuple(Generated(part.condition) for part in parts),
        cause=_cause(explained, context),
        note=Message(explained.note) if explained and explained.note else None,
    )


def _condition(kind: str, parts: tuple[Part, ...]) -> str:
    texts = dict.fromkeys(readable(kind, part.condition) for part in parts)
    return " and ".join(texts) or kind.lower().replace("_", " ")


def _cause(part: Part | None, context: _Context) -> Maybe[Place] | None:
    """None for guards that torch adds whatever the user wrote: their comment names a line of torch's, without code."""
    if part is None or part.file is None:
        return Unknown(Message("torch keeps no line for it"))
    if part.code is None:
        return None
    return place(context.full_path(part.file), part.line, part.function, part.code)
