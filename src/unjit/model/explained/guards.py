"""The conditions under which a cache entry may be used."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, Literal

from unjit.model.places import Place
from unjit.model.plain.brief import Brief
from unjit.model.texts import Constant, Expression, Generated, Message, Name, Term
from unjit.model.unknown import Maybe, Unknown
from unjit.model.words.wording import backend_in_words, object_gone

_NOT_LOOKED: Final = Unknown(Message("where these guards came from was not looked for"))

Topic = Literal[
    "arguments",  # the values that the function is called with
    "shapes",  # relations between sizes, strides and offsets of tensors
    "module",  # parameters, buffers, hooks and attributes of an nn.Module
    "globals",  # names of the function's module
    "closure",  # variables of enclosing functions
    "libraries",  # torch and other imported code
    "torch state",  # grad mode, default dtype and device, function modes
    "other",
]
TOPICS: tuple[Topic, ...] = Topic.__args__  # type: ignore[attr-defined]  # the members, in the order of display


@dataclass(frozen=True, slots=True)
class GuardLine:
    """A line of a call on the way to guards."""

    place: Place
    within: int | None  # the line whose call led to this one, as an index into the same tuple


@dataclass(frozen=True, slots=True)
class GuardOrigin:
    """What Dynamo asked for, of which a guard came: its own Guard object, which is gone when the compile ends."""

    kind: Term  # CLOSURE_MATCH; the guard's kind is what became of it
    guarded_class: Maybe[Name]  # of the value that it asked about
    line: int | None  # the innermost line of the program, as an index into `Guards.lines`; None: torch always asks
    torch_line: int | None  # the line of torch's that asked, as an index there too; None: torch does not keep it


@dataclass(frozen=True, slots=True, repr=False)
class Guard(Brief):
    """One condition: a leaf of Dynamo's guard tree, or a condition over several sources."""

    kind: Term  # TENSOR_MATCH, ID_MATCH, …: the class of the guard without its suffix
    topic: Topic
    source: Maybe[Expression]  # what it looks at, in Dynamo's words: L['x'].shape[0]
    subject: Maybe[Expression]  # the same as the user would write it: x.shape[0]
    condition: Generated  # what must hold, in one readable line
    parts: tuple[Generated, ...]  # what torch prints for it, comments removed
    cause: Maybe[Place] | None  # the line of the user's program that made Dynamo add it; None: torch always adds it
    note: Message | None  # what torch says about it
    check: Maybe[Generated]  # the condition in Python; `_` is the value, or else it reads `L` and `G`
    expected: Maybe[Constant]  # what the value is compared with
    origin: Maybe[GuardOrigin] | None = None  # None: no origins were read, `Guards.lines` says why


@dataclass(frozen=True, slots=True, repr=False)
class GuardNode(Brief):
    """A value that guards look at, with the guards on it and the values reached through it."""

    manager: Term  # the class of Dynamo's guard manager
    source: Maybe[Expression]
    access: Maybe[Generated]  # how it is reached in Python; `_` is the value above, the frame's locals at the root
    failures: Maybe[int]  # how often this node said no
    guards: tuple[Guard, ...]
    children: tuple[GuardNode, ...]

    def walk(self) -> Iterator[GuardNode]:
        """This node and all below it, parents first, in the order in which Dynamo keeps them."""
        pending = [self]
        while pending:
            node = pending.pop()
            yield node
            pending.extend(reversed(node.children))


@dataclass(frozen=True, slots=True)
class GuardGroup:
    """The guards that protect one kind of thing."""

    topic: Topic
    guards: tuple[Guard, ...]


@dataclass(frozen=True, slots=True, repr=False)
class Guards(Brief):
    """All guards of one cache entry: the tree, and the conditions that are checked after it."""

    tree: GuardNode
    epilogue: tuple[Guard, ...]
    lines: Maybe[tuple[GuardLine, ...]] = _NOT_LOOKED  # of the calls that led to guards: callers before called

    def __iter__(self) -> Iterator[Guard]:
        for node in self.tree.walk():
            yield from node.guards
        yield from self.epilogue

    def __len__(self) -> int:
        return sum(1 for _ in self)

    def __getitem__(self, number: int) -> Guard:
        return tuple(self)[number]

    def stack(self, guard: Guard) -> Maybe[tuple[Place, ...]]:
        """The calls of the program that led to one of these guards, outermost first; empty if torch always adds it."""
        if isinstance(self.lines, Unknown):
            return self.lines
        if guard.origin is None or isinstance(guard.origin, Unknown):
            return guard.origin or _NOT_LOOKED
        found: list[Place] = []
        at = guard.origin.line
        while at is not None:
            found.append(self.lines[at].place)
            at = self.lines[at].within
        return tuple(reversed(found))

    def groups(self) -> tuple[GuardGroup, ...]:
        """The guards by what they protect, in the order of `TOPICS`; empty groups are left out."""
        by_topic: dict[Topic, list[Guard]] = {topic: [] for topic in TOPICS}
        for guard in self:
            by_topic[guard.topic].append(guard)
        return tuple(GuardGroup(topic, tuple(found)) for topic, found in by_topic.items() if found)


_HOLD_NOW = "Unexpected recompilation: runtime guards failed even though they passed"
_WAITED = "its guards held when torch asked again: another thread had made it by then, or what they ask about changed"
_CONTRARY = {  # of conditions that are told in words (observe.guards.printed)
    " is the same": " is not the same",
    "no other torch function mode is active": "other torch function modes are active, or none",
    "other global settings of torch are unchanged": "other global settings of torch are not all unchanged",
    "__tensor_flatten__ gives the same metadata": "__tensor_flatten__ gives other metadata",
    "the tensors are different objects": "some of the tensors are one object",
    "_has_dynamo_dim_marking is present on runtime tensor but was absent at compile time": (
        "a tensor has dimensions that are marked, as by mark_dynamic, and had none"
    ),
}


_SETTINGS = re.compile(r"GLOBAL_STATE changed: (.+)")
_MARKED = {
    "dynamic": "mark_dynamic",
    "weak_dynamic": "maybe_mark_dynamic",
    "static": "mark_static",
    "unbacked": "mark_unbacked",
    "strict_unbacked": "mark_unbacked",
}
_MARKS = re.compile(rf"_dynamo_({'|'.join(_MARKED)})_indices should be absent but is present on runtime tensor")
_BACKENDS = re.compile(r"BACKEND_MATCH failure: .*?Cached backend: (.+)\. New backend: (.+)\. If this is", re.DOTALL)
_OTHER_BACKEND = "BACKEND_MATCH failure"  # without their names up to torch 2.12
_WRAPPED = re.compile(r"_TorchCompileWrapper\(compiler=(['\"])(?P<name>.*)\1, dynamic=(?P<dynamic>\w+)\)", re.DOTALL)


def _setting(name: str) -> str:
    """One of torch's settings, as its reason names it: `grad_mode`, `autocast(cpu)_enabled`."""
    return re.sub(r"^autocast\((\w+)\)_enabled$", r"autocast on \1", name).replace("_", " ")


def _backend(described: str) -> str:
    """A backend as the program names it, of what torch says of its object."""
    described = re.sub(r" \(id=[^()]*\)$", "", described)
    if described == "_TorchCompileInductorWrapper":
        return "inductor"
    wrapped = _WRAPPED.fullmatch(described)
    if wrapped is None:
        return backend_in_words(described)
    name = backend_in_words(wrapped["name"])
    return name if wrapped["dynamic"] == "None" else f"{name} with dynamic={wrapped['dynamic']}"


_VALUES = (ast.Name, ast.Attribute, ast.Subscript)


def _denied(text: str, condition: ast.expr) -> str | None:
    """What a condition denies, in its words; None where it denies nothing."""

    def words(part: ast.expr) -> str:
        return ast.get_source_segment(text, part) or ast.unparse(part)

    match condition:
        case ast.UnaryOp(op=ast.Not(), operand=operand):
            return words(operand)
        case ast.Compare(ops=[ast.NotIn() | ast.IsNot() as denial], left=left, comparators=[right]):
            return f"{words(left)} {'in' if isinstance(denial, ast.NotIn) else 'is'} {words(right)}"
    return None


@dataclass(frozen=True, slots=True)
class FailedCondition:
    """A guard that does not hold for a call."""

    kind: Term
    subject: Maybe[Expression]  # what it looks at, as the user would write it
    condition: Generated
    expected: Maybe[Constant]
    actual: Maybe[Constant]
    cause: Maybe[Place] | None  # the user's line that made Dynamo add it; None: torch always adds it


@dataclass(frozen=True, slots=True)
class FailedGuard:
    """Why an existing entry did not fit a call."""

    entry: Maybe[Name]  # the compile id of the entry that did not fit: "0/0"
    condition: Generated  # what should have held, or what was otherwise, as torch says it in words of the program
    cause: Maybe[Place]

    @property
    def told(self) -> str:
        """What kept the entry from fitting: of an expression, what became of it; of words, the contrary."""
        if self.expression is not None:
            expression, became = self.expression
            return f"{expression} {became}"
        if self.condition.startswith(_HOLD_NOW):  # torch takes it for a fault of its own; threads wait for each other
            return _WAITED
        if settings := _SETTINGS.fullmatch(self.condition):
            return f"settings of torch differ: {', '.join(map(_setting, settings[1].split()))}"
        if marks := _MARKS.match(self.condition):
            return f"a tensor has dimensions that {_MARKED[marks[1]]} marks, and had none of these"
        if gone := object_gone(self.condition):
            return gone
        if backends := _BACKENDS.match(self.condition):
            made_for, called_with = map(_backend, backends.groups())
            also = f"another one called {called_with}" if made_for == called_with else called_with
            return f"it was compiled for the backend {made_for}, and the call was for {also}"
        if self.condition.startswith(_OTHER_BACKEND):
            return "it was compiled for another backend"
        if not self.condition.strip():
            return "torch names no guard that failed, as before torch 2.10 where it was compiled for another backend"
        found = next(((held, is_so) for held, is_so in _CONTRARY.items() if held in self.condition), None)
        return str(self.condition) if found is None else self.condition.replace(*found)

    @property
    def expression(self) -> tuple[str, str] | None:
        """A condition in Python and what became of it, in words; None where torch says in words what was otherwise.

        Of a denial it is what was denied: that `not x` or `x not in y` did not hold would say it twice over.
        """
        try:
            condition = ast.parse(self.condition, mode="eval").body
        except (SyntaxError, ValueError, RecursionError, MemoryError):
            return None
        denied = _denied(self.condition, condition)
        if denied is None:
            return str(self.condition), "did not hold"
        is_value = isinstance(condition, ast.UnaryOp) and isinstance(condition.operand, _VALUES)
        return denied, "was false or empty, and is not now" if is_value else "did not hold, and does now"
