"""What guards of torch's own wrapper are about, under the names of the module that it calls.

The wrapper gets whatever it is called with as `args` and `kwargs`, and has the module as `fn`: nobody wrote these.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import CodeType, FunctionType
from typing import Any

from unjit.bytecode.functions.frame import argument_names
from unjit.model import FailedGuard, Generated, Guard, GuardNode, Guards, Maybe, Unknown
from unjit.observe.targets.resolving import is_module, is_module_class
from unjit.torch_private.cache.targets import is_torchs_wrapper
from unjit.torch_private.guard_trees.guards import RawNode

_MODULE = "L['fn']"  # in Dynamo's words
_OWN_FORWARD = re.compile(r"L\['fn'\]\.(?:__dict__\['forward'\]|forward\b)")
_NAMES = re.compile(
    r"(?P<literal>'(?:\\.|[^'\\])*'|\"(?:\\.|[^\"\\])*\")"
    r"|(?<![\w.])(?P<module>fn)(?!\w)"
    r"|(?<![\w.])args\[(?P<position>\d+)\]"
    r"|(?<![\w.])kwargs\['(?P<keyword>\w+)'\]"
)
# Where torch tells in words what was otherwise, what it is about stands in quotes.
_TOLD = re.compile(r"(tensor '|expected type of ')(.*)(' (?:[\w ]+ mismatch|to be )\b.*)", re.DOTALL)


@dataclass(frozen=True, slots=True)
class NamesBehind:
    """The names of the arguments of a module's forward: calling this puts them in place of the wrapper's."""

    positional: tuple[str, ...] = ()
    named: frozenset[str] | None = None  # what it takes by keyword; None where that is not known
    more: str | None = None  # what gathers further arguments by position
    others: str | None = None  # and by keyword

    @classmethod
    def of_class(cls, kind: Any) -> NamesBehind:
        """Those of a class of modules."""
        forward = kind.forward
        return cls.of_forward(forward.__code__) if type(forward) is FunctionType else cls()

    @classmethod
    def of_module(cls, module: Any) -> NamesBehind:
        """Those of one module, which may have a forward of its own."""
        return cls() if "forward" in vars(module) else cls.of_class(type(module))

    @classmethod
    def of_forward(cls, code: CodeType) -> NamesBehind:
        """Those of a method with this code; none where it gathers the module with the arguments."""
        if code.co_argcount == 0:
            return cls()
        takes = code.co_argcount + code.co_kwonlyargcount
        names, stars = argument_names(code)[1:takes], list(argument_names(code)[takes:])
        more = stars.pop(0) if code.co_flags & inspect.CO_VARARGS else None
        return cls(
            names[: code.co_argcount - 1],
            frozenset(names[max(0, code.co_posonlyargcount - 1) :]),
            more,
            stars[0] if stars else None,
        )

    def __call__(self, text: str) -> str:
        """The text in the names of the forward, as far as they are known."""
        told = _TOLD.fullmatch(text)
        return f"{told[1]}{self(told[2])}{told[3]}" if told else _NAMES.sub(self._name, text)

    def _name(self, match: re.Match[str]) -> str:
        if match["module"]:
            return "self"
        if match["position"]:
            at, count = int(match["position"]), len(self.positional)
            further = match[0] if self.more is None else f"{self.more}[{at - count}]"
            return self.positional[at] if at < count else further
        keyword = match["keyword"]
        if keyword and (self.named is None or keyword in self.named):
            return str(keyword)
        return f"{self.others}['{keyword}']" if keyword and self.others else match[0]


def names_behind(function: FunctionType, frame: dict[str, Any]) -> NamesBehind | None:
    """The names of the module's forward; None where `function` is no such wrapper, or around something else."""
    module = frame.get("fn")
    return NamesBehind.of_module(module) if is_torchs_wrapper(function) and is_module(module) else None


def names_by_closure(code: CodeType, closure: Mapping[str, Any]) -> NamesBehind | None:
    """The same of code that is being compiled, by its free variables with their cells."""
    if not is_torchs_wrapper(code) or "fn" not in closure:
        return None
    module = closure["fn"].cell_contents
    return NamesBehind.of_module(module) if is_module(module) else None


def names_by_guards(code: CodeType, root: RawNode) -> NamesBehind | None:
    """The same of an entry, by the class that its guards ask of the module; None where they ask for none."""
    if not is_torchs_wrapper(code):
        return None
    nodes = list(root.walk())
    kinds = [node.guarded_type for node in nodes if node.source == _MODULE and node.guarded_type is not None]
    if not kinds or not is_module_class(kinds[0]):
        return None
    own = any(isinstance(node.source, str) and _OWN_FORWARD.match(node.source) for node in nodes)
    return NamesBehind() if own else NamesBehind.of_class(kinds[0])


def failed_with_names(
    failed: Maybe[tuple[FailedGuard, ...]], renamed: Callable[[str], str] | None
) -> Maybe[tuple[FailedGuard, ...]]:
    """What kept entries from fitting in such names."""
    if renamed is None or isinstance(failed, Unknown):
        return failed
    return tuple(replace(one, condition=Generated(renamed(one.condition))) for one in failed)


def guards_with_names(guards: Guards, renamed: Callable[[str], str]) -> Guards:
    """Guards that are told in such names. What runs, and what torch calls its values, is as it was."""
    return replace(
        guards,
        tree=_node_with_names(guards.tree, renamed),
        epilogue=tuple(_guard_with_names(one, renamed) for one in guards.epilogue),
    )


def _node_with_names(node: GuardNode, renamed: Callable[[str], str]) -> GuardNode:
    return replace(
        node,
        guards=tuple(_guard_with_names(one, renamed) for one in node.guards),
        children=tuple(_node_with_names(child, renamed) for child in node.children),
    )


def _guard_with_names(guard: Guard, renamed: Callable[[str], str]) -> Guard:
    subject = guard.subject if isinstance(guard.subject, Unknown) else type(guard.subject)(renamed(guard.subject))
    return replace(guard, subject=subject, condition=type(guard.condition)(renamed(guard.condition)))
