"""Generated guard functions against Dynamo's own guards: on the frames seen, and changed in one property at a time.

`frames` notes the locals of each frame that Dynamo compiles, resume functions included. `compare` asks both sides about
each of them, and again after each single change of a value that a guard looks at, or of torch's state; it takes the
change back before the next. A pair is one question to both.
"""

from __future__ import annotations

import builtins
import contextlib
import copy
import inspect
import itertools
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from types import CodeType
from typing import Any

import torch
import torch._dynamo.guards

from changed_values import STATES, others
from unjit.errors import Unsupported
from unjit.guards.evaluate import failing
from unjit.guards.predicate import compile_guards
from unjit.guards.source import source_of
from unjit.model import Guard, GuardNode, Unknown
from unjit.observe.guards.reading import live_guards

NAMESPACE = {name: getattr(__import__("unjit.guards.runtime", fromlist=["x"]), name) for name in (
    "item", "key_at", "value_at", "named", "rest_of", "referent", "as_tensor", "function_mode",
)}  # fmt: skip
REFUSALS = (AttributeError, TypeError, ValueError, RuntimeError)  # a gradient of another dtype gets the last one
MISSED = re.compile(r"(?:failed on source|KeyError on|IndexError on|Not a function on) (.*)$")  # what is not there


@dataclass
class Score:
    """Pairs tried, and those on which the two sides differ."""

    pairs: int = 0
    held: int = 0
    asked: int = 0  # conditions that only torch could answer
    unreadable: int = 0
    undecided: int = 0  # questions that the function refused, since all that it can read holds
    entries: int = 0
    named: int = 0  # failures of which all guards that fail were listed
    disagreements: list[str] = field(default_factory=list)


@contextlib.contextmanager
def frames() -> Iterator[list[tuple[Any, dict[str, Any]]]]:
    """The guard managers of all compiles in the block, each with the locals of its frame."""
    noted: list[tuple[Any, dict[str, Any]]] = []
    before = torch._dynamo.guards.guard_manager_testing_hook_fn
    torch._dynamo.guards.guard_manager_testing_hook_fn = lambda manager, frame, *builder: noted.append(
        (manager, as_called(frame, builder[0].f_code) if builder else dict(frame))  # older torch has none
    )
    try:
        yield noted
    finally:
        torch._dynamo.guards.guard_manager_testing_hook_fn = before


def as_called(frame: dict[str, Any], code: CodeType) -> dict[str, Any]:
    """The locals as the call began: what a function does to its `**kwargs` is done to a dict of its own."""
    arguments = code.co_argcount + code.co_kwonlyargcount + bool(code.co_flags & inspect.CO_VARARGS)
    own = code.co_varnames[arguments] if code.co_flags & inspect.CO_VARKEYWORDS else None
    return {name: dict(value) if name == own else value for name, value in frame.items()}


def compare(manager: Any, frame: dict[str, Any], score: Score, *, most: int | None = None) -> None:
    """Both sides on the frame and on each change of it, at most so many changes of values."""
    guards, leaves = live_guards(manager)
    source = source_of(guards, "guards")
    by_guard = {id(guard): leaf for guard, leaf in zip(guards, leaves, strict=True)}
    asked = [by_guard[id(guard)] for guard in source.asked]
    scope = manager.global_scope["G"]
    predicate = compile_guards(source, scope, asked, "guards")
    score.entries += 1
    score.asked += len(source.asked)
    score.unreadable += len(source.unreadable)

    def ask(what: str, changed: dict[str, Any]) -> None:
        score.pairs += 1
        theirs = manager.root.check_verbose(changed)
        try:
            ours = predicate(changed)
        except Unsupported:  # all that can be read holds, and what cannot be read decides
            score.undecided += 1
            return
        score.held += ours
        if not ours and score.pairs % 5 == 0:
            name_failures(what, changed, theirs)
        if ours != theirs.result:
            score.disagreements.append(f"{what}: ours {ours}, theirs {theirs.result} {theirs.verbose_code_parts}")

    def name_failures(what: str, changed: dict[str, Any], theirs: Any) -> None:
        """The guard that Dynamo meets first has to be among all that fail."""
        score.named += 1
        found = failing(guards, changed, scope, lambda guard, value: bool(by_guard[id(guard)](value)))
        if not any(names(finding.guard, theirs.verbose_code_parts) for finding in found):
            told = [str(finding.guard.source) for finding in found]
            score.disagreements.append(f"{what}: torch names {theirs.verbose_code_parts}, not among {told}")

    ask("as seen", frame)
    for name in frame:
        ask(f"no {name}", {key: value for key, value in frame.items() if key != name})
    for what, setting in STATES.items():
        with setting():
            ask(what, frame)
    for what, change, undo in itertools.islice(changes(guards.tree, frame, scope), most):
        changed = change()
        try:
            ask(what, changed)
        finally:
            undo()


def names(guard: Guard, texts: list[str]) -> bool:
    """Whether torch's words for a failure can be about this guard."""
    words = " ".join(texts)
    state = guard.kind == "GLOBAL_STATE" and words.startswith("GLOBAL_STATE")
    marks = guard.kind == "DIMENSION_DYNAMIC_MARKING" and "_dynamo" in words
    several = marks or (guard.kind == "NO_TENSOR_ALIASING" and words.startswith("Duplicate tensor"))
    source = not isinstance(guard.source, Unknown) and guard.source != "L" and str(guard.source) in words
    missed = MISSED.search(words)
    source = source or bool(missed and missed[1] in str(guard.source))  # ___from_numpy(L['a']) for L['a']
    missing = not re.search(r"\b[LG]\[|==", words)  # what a condition in Python raised
    return state or several or source or missing or any(str(part) in words for part in guard.parts)


def changes(tree: GuardNode, frame: dict[str, Any], scope: dict[str, Any]):
    """Each change as what it is, a function that makes it and gives the frame to ask about, and one that undoes it."""
    tensors = [value for value in frame.values() if isinstance(value, torch.Tensor)]
    for node, holder, access in reached(tree, frame, scope):
        name, key = place(access)
        if name is None or (name == "item" and not isinstance(holder, (dict, list))):
            continue
        value = read(holder, name, key)
        for what, other in others(value, tensors):
            label = f"{node.source} {what}"
            if holder is frame:
                yield label, lambda key=key, other=other: {**frame, key: other}, lambda: None
            else:
                yield label, setter(holder, name, key, other, frame), setter(holder, name, key, value, frame)
        yield from inner_changes(node, value, frame)


def setter(holder, name, key, other, frame):
    def set_it():
        if name == "attribute":
            try:
                object.__setattr__(holder, key, other)
            except REFUSALS:  # a property may have its own ideas
                with contextlib.suppress(*REFUSALS):
                    setattr(holder, key, other)
        elif isinstance(holder, dict):
            dict.__setitem__(holder, key, other)
        else:
            list.__setitem__(holder, key, other)
        return frame

    return set_it


def reached(node: GuardNode, frame, scope, value=None, holder=None):
    """Each node below with the value above it, for as far as values can be reached."""
    value = frame if node.access == "L" else value
    for child in node.children:
        if isinstance(child.access, Unknown):
            continue
        try:
            found = eval(child.access, {**NAMESPACE, "G": scope, "torch": torch}, {"_": value})
        except Exception:
            continue
        if value is builtins.__dict__ or found is builtins.__dict__:
            continue  # Python itself lives there
        yield child, value, child.access
        yield from reached(child, frame, scope, found, value)


def place(access: str) -> tuple[str | None, Any]:
    """What to set to change what an access reads."""
    if access.startswith("_.") and access[2:].isidentifier() and not access.endswith("__"):
        return "attribute", access[2:]
    for start, end in (("_[", "]"), ("item(_, ", ")")):
        if access.startswith(start) and access.endswith(end):
            with contextlib.suppress(ValueError, SyntaxError):
                return "item", __import__("ast").literal_eval(access[len(start) : -len(end)])
    return None, None


def read(holder, name, key):
    return getattr(holder, key) if name == "attribute" else (
        dict.__getitem__(holder, key) if isinstance(holder, dict) else holder[key]
    )  # fmt: skip


def inner_changes(node: GuardNode, value: Any, frame):
    """Changes inside a value that stays the same object."""
    if isinstance(value, torch.nn.Module):
        yield f"{node.source}.training flipped", flip(value, frame), flip(value, frame)
        hooks: list[Any] = []
        yield (
            f"{node.source} with a hook",
            lambda: (hooks.append(value.register_forward_hook(lambda *_: None)), frame)[1],
            lambda: hooks.pop().remove(),
        )
    if type(value) in (dict, list) and value:
        saved = copy.copy(value)
        yield f"{node.source} emptied", lambda: (value.clear(), frame)[1], lambda: restore(value, saved)
    if isinstance(value, torch.nn.Parameter):
        grad = value.requires_grad
        yield (
            f"{node.source} requires_grad in place",
            lambda: (value.requires_grad_(not grad), frame)[1],
            lambda: value.requires_grad_(grad),
        )


def restore(value, saved):
    value.clear()
    value.update(saved) if isinstance(value, dict) else value.extend(saved)


def flip(module, frame):
    def change():
        module.training = not module.training
        return frame

    return change


def score_of(function, calls, *, gradients=True, **inputs):
    """Both sides compared on all entries that these calls make."""
    torch._dynamo.reset()
    score = Score()
    with frames() as noted:
        compiled = torch.compile(function, backend="eager")
        for arguments in calls:
            with torch.set_grad_enabled(gradients):
                try:
                    compiled(*arguments, **inputs)
                except RuntimeError:  # some of these programs raise; what was compiled before is there
                    break
    for manager, frame in noted:
        compare(manager, frame, score)
    return score
