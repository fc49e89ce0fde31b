"""Every guard that does not hold for a frame, with what is there instead."""

from __future__ import annotations

import ast
import contextlib
import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from types import CodeType
from typing import Any

from unjit.errors import UnjitError
from unjit.guards import runtime
from unjit.guards.actual import actual_of
from unjit.guards.expressions import tree_of
from unjit.guards.kinds import RELATIONS
from unjit.guards.shown import is_tensor, shown
from unjit.guards.values import namespace
from unjit.model import Guard, GuardNode, Guards, Unknown
from unjit.model.words.wording import in_words

ONE_OBJECT = "are one object"
_NUMBERS = (int, float, complex)
UNREAD = "cannot be read"
NO_VIEW = "is no view of another tensor"
_TENSORS_OF = ("as_tensor", "float_tensor")  # what stands in a check where Dynamo makes a tensor of a value
_HELPER = re.compile(rf"^(?:{'|'.join(_TENSORS_OF)})\(")
Ask = Callable[[Guard, Any], bool]  # torch's own answer to a guard that has no check


@dataclass(frozen=True, slots=True)
class Finding:
    """A guard that does not hold, and the two sides of the comparison as far as they differ."""

    guard: Guard
    expected: str
    actual: str


def failing(guards: Guards, frame: dict[str, Any], scope: dict[str, Any], ask: Ask) -> list[Finding]:
    """All guards that do not hold, in the order in which Dynamo would ask them.

    `frame` are the frame's locals, `scope` the globals that the entry was made for. Values that cannot be reached
    because a guard above them fails are left out; others that cannot be reached are told once, by their first guard.
    """
    return list(_Walk(frame, scope, ask).root(guards))


def failing_on(guards: Guards, settled: dict[str, Any], scope: dict[str, Any], ask: Ask) -> list[Finding]:
    """`failing` for locals that are known before a call.

    Guards on others, on globals and on several values are not asked, but what numbers and sizes of these alone must be.
    """
    frame, wanted = _Settled(settled), {f"_[{name!r}]" for name in settled}
    walk = _Walk(frame, scope, ask)
    with _reading():
        found = [
            finding
            for child in guards.tree.children
            if child.access in wanted
            for finding in walk.node(child, frame, quiet=False)
        ]
        sizes = dict.fromkeys(guard for guard in (*_relations(guards), *guards.epilogue) if _is_of(guard, settled))
        failed = (guard for guard in sizes if walk.can_ask(guard) and not walk.holds(guard, frame))
        return [*found, *map(walk.several, failed)]


def _is_of(guard: Guard, settled: dict[str, Any]) -> bool:
    """Whether it is a condition on numbers and sizes that are read from these locals, and from nothing else."""
    if guard.topic != "shapes" or isinstance(guard.check, Unknown):
        return False
    sources = _sources(guard.check)
    return bool(sources) and all(any(text.startswith(f"L[{name!r}]") for name in settled) for text in sources)


def reached(guards: Guards, frame: dict[str, Any], scope: dict[str, Any]) -> list[tuple[GuardNode, Any]]:
    """Each value that guards are on, with its place in the tree, as far as it can be read."""
    walk = _Walk(frame, scope, lambda _guard, _value: True)
    with _reading():
        return [pair for child in guards.tree.children for pair in walk.values(child, frame)]


class _Settled(dict[str, Any]):
    """Locals of a frame of which others are not known: a guard that reads one of these cannot be asked."""

    def __missing__(self, name: str) -> Any:
        raise UnjitError(f"{name} is not known before the call")


@dataclass(slots=True)
class _Walk:
    frame: dict[str, Any]
    scope: dict[str, Any]
    ask: Ask

    def root(self, guards: Guards) -> Iterator[Finding]:
        yield from self.own(guards.tree, self.frame)
        with _reading():
            found = [one for child in guards.tree.children for one in self.node(child, self.frame, quiet=False)]
            several: dict[str, Guard] = {}
            for guard in (*_relations(guards), *guards.epilogue):
                several.setdefault(str(guard.check), guard)
            failed = [guard for guard in several.values() if self.can_ask(guard) and not self.holds(guard, self.frame)]
            anew = [guard for guard in failed if self.tells_more(guard)]
            found += map(self.several, anew if found or anew else failed)
        yield from found

    def node(self, node: GuardNode, above: Any, *, quiet: bool) -> Iterator[Finding]:
        """What fails on a value and below it; `quiet` where a guard above fails already."""
        if isinstance(node.access, Unknown):
            return
        try:
            value = self.value(str(node.access), above)
        except UnjitError:
            return
        except Exception as error:
            first = next((guard for one in node.walk() for guard in one.guards), None)
            if first is not None and not quiet:
                yield Finding(first, "to be there", f"missing ({in_words(error)})")
            return
        own = list(self.own(node, value))
        yield from own
        for child in node.children:
            yield from self.node(child, value, quiet=quiet or bool(own))

    def values(self, node: GuardNode, above: Any) -> Iterator[tuple[GuardNode, Any]]:
        """The value of a node and those below it; none where it cannot be reached."""
        if isinstance(node.access, Unknown):
            return
        try:
            value = self.value(str(node.access), above)
        except Exception:  # a guard above it does not hold, or the program's own class raises
            return
        yield node, value
        for child in node.children:
            yield from self.values(child, value)

    def own(self, node: GuardNode, value: Any) -> Iterator[Finding]:
        """The guards on this very value that do not hold."""
        for guard in node.guards:
            if guard.kind not in RELATIONS and not self.holds(guard, value):
                expected, actual = actual_of(guard, value)
                yield Finding(guard, expected, actual)

    def holds(self, guard: Guard, value: Any) -> bool:
        """Whether a guard holds. A condition that raises does not hold, as in Dynamo."""
        try:
            return self.ask(guard, value) if isinstance(guard.check, Unknown) else bool(self.value(guard.check, value))
        except UnjitError:
            return True  # it cannot be asked, so it is not what is known to fail
        except Exception:
            return False

    def can_ask(self, guard: Guard) -> bool:
        """Whether a condition can be asked: not a relation of numbers where a value is none, which another guard tells.

        To compare that would call it: a tensor warns, and an object may do anything.
        """
        if guard.topic != "shapes" or isinstance(guard.check, Unknown):
            return True
        try:
            return all(issubclass(type(self.value(text, self.frame)), _NUMBERS) for text in _sources(guard.check))
        except Exception:
            return True  # what is missing is told to fail

    def several(self, guard: Guard) -> Finding:
        """The finding for a condition on several values that does not hold: what each of them is."""
        if guard.kind == "NO_TENSOR_ALIASING":
            return Finding(guard, "different objects", self.aliases(str(guard.check)))
        parts = [] if isinstance(guard.check, Unknown) else list(_sources(guard.check))
        return Finding(guard, str(guard.expected), ", ".join(self.part(text) for text in parts) or "it does not hold")

    def tells_more(self, guard: Guard) -> bool:
        """Whether a condition on several values fails by itself.

        What is missing, or is no tensor in the place of one, is told before.
        """
        if isinstance(guard.check, Unknown):
            return True
        try:
            values = [self.value(text, self.frame) for text in _sources(guard.check)]
        except Exception:  # one cannot be reached
            return False
        tensors = list(filter(is_tensor, values))
        if " is " in guard.check:  # that two names mean one object
            return len(tensors) in (0, len(values))
        return guard.kind != "NO_TENSOR_ALIASING" or not runtime.are_different(*tensors)

    def aliases(self, check: str) -> str:
        """Which tensors are one object, or what else several names mean; where that cannot be read, each of them."""
        texts, means = _sources(check), dict[int, tuple[Any, list[str]]]()
        try:
            for text in texts:
                value = self.value(text, self.frame)
                means.setdefault(id(value), (value, []))[1].append(text)
        except Exception:  # one cannot be reached: each is told by itself
            return ", ".join(map(self.part, texts))
        shared = [(value, " and ".join(names)) for value, names in means.values() if names[1:]]
        tensors = [f"{names} {ONE_OBJECT}" for value, names in shared if is_tensor(value)]
        return ", ".join(tensors or (f"{names} are {shown(value)}" for value, names in shared)) or "it does not hold"

    def part(self, text: str) -> str:
        """What one of several values is, in words; that it cannot be read, if so."""
        try:
            told = f"is {shown(self.value(text, self.frame))}"
        except Exception as error:
            if (no_view := self.no_view(text)) is not None:
                return no_view
            told = f"{UNREAD} ({type(error).__name__})"
        return f"{_HELPER.sub('torch.as_tensor(', text)} {told}"

    def no_view(self, text: str) -> str | None:
        """Of what belongs to the tensor that another is a view of: that it is none, if so."""
        of_view, is_of_base, _ = text.partition("._base")
        with contextlib.suppress(Exception):  # then it is the tensor itself that cannot be read
            if is_of_base and self.value(f"{of_view}._base", self.frame) is None:
                return f"{of_view} {NO_VIEW}"
        return None

    def value(self, template: str, value: Any) -> Any:
        return eval(_compiled(template), {**_names(), "G": self.scope, "L": self.frame, "_": value})  # noqa: S307


def _relations(guards: Guards) -> Iterator[Guard]:
    return (guard for node in guards.tree.walk() for guard in node.guards if guard.kind in RELATIONS)


@functools.lru_cache(maxsize=8192)
def _compiled(template: str) -> CodeType:
    return compile(template, "<guard>", "eval")


@functools.cache
def _names() -> dict[str, Any]:
    return {**vars(runtime), **namespace()}


def _reading() -> contextlib.AbstractContextManager[Any]:
    try:
        return runtime.plain_reading()  # type: ignore[no-any-return]
    except UnjitError:
        return contextlib.nullcontext()


def _called_on(call: ast.Call) -> ast.expr:
    """What a value is read from by a call: a method's object, or what Dynamo makes a tensor of first."""
    made = isinstance(call.func, ast.Name) and call.func.id in _TENSORS_OF and len(call.args) == 1
    return call.args[0] if made else call.func


def _sources(text: str) -> list[str]:
    """The parts of a condition that read a value of the frame or of the globals, largest first, each once."""
    found: dict[str, None] = {}

    def visit(node: ast.AST) -> None:
        root: ast.AST = node
        while isinstance(root, (ast.Attribute, ast.Subscript, ast.Call)):
            root = _called_on(root) if isinstance(root, ast.Call) else root.value
        if root is not node and isinstance(root, ast.Name) and root.id in ("L", "G"):
            found[ast.unparse(node)] = None
            return
        for child in ast.iter_child_nodes(node):
            visit(child)

    visit(tree_of(text))
    return list(found)
