"""What was asked about, as far as it decides which cache entries are for it.

A module or another instance is the `self` of its method, and a closure has the values of its free variables. These are
settled before any call, so the guards on them can be asked now.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import CodeType, FunctionType
from typing import Any

from unjit.bytecode import free_variables
from unjit.errors import BadTarget
from unjit.guards.dispatch_keys import by_caller, may_be_by_inference_mode
from unjit.guards.evaluate import Ask, Finding, failing_on
from unjit.model import Guards, Maybe, Message, Relevance, Term, Unknown, known_or
from unjit.observe.faults import known
from unjit.observe.guards.failed import asker, failed_condition, finding_with_names, may_be_skipped
from unjit.observe.targets.behind_wrapper import names_behind
from unjit.observe.targets.frames import entered, with_code
from unjit.observe.targets.resolving import called_through, is_module
from unjit.torch_private.cache.entries import RawEntry
from unjit.torch_private.guard_trees.answers import may_skip
from unjit.torch_private.guard_trees.state import in_the_other_inference_mode

_OPEN_ENDED = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)


@dataclass(frozen=True, slots=True)
class Asked:
    """One target: the code of the function that its calls enter, and what its frames hold before anything is passed."""

    what: Term
    code: CodeType
    settled: dict[str, Any]  # locals by name, with cells opened
    scope: dict[str, Any]  # the globals of the function
    renamed: Callable[[str], str] | None  # puts names of the program's in place of those of torch's wrapper

    def relevance(self, raw: RawEntry, guards: Maybe[Guards], leaves: list[Any]) -> Relevance:
        """What an entry has to do with it; `leaves` are torch's own objects for the guards, where it has one."""
        if isinstance(guards, Unknown):
            return Relevance(self.what, guards)
        scope = known_or(raw.globals, self.scope)
        found = known("whether they hold", self._failing, guards, scope, asker(guards, leaves))
        if isinstance(found, Unknown):
            return Relevance(self.what, found)
        if may_be_skipped(found) and may_skip(raw.guard_manager):
            return Relevance(self.what, _skipped(found))
        if self.renamed is not None:
            found = [finding_with_names(one, self.renamed) for one in found]
        return Relevance(self.what, tuple(map(failed_condition, found)))

    def _failing(self, guards: Guards, scope: dict[str, Any], ask: Ask) -> list[Finding]:
        """The guards that hold in no mode of the caller: the dispatch keys of a tensor depend on it, too."""
        found = [one for one in failing_on(guards, self.settled, scope, ask) if not by_caller(one)]
        if not any(map(may_be_by_inference_mode, found)):
            return found
        with in_the_other_inference_mode():
            other = [one for one in failing_on(guards, self.settled, scope, ask) if not by_caller(one)]
        return min(found, other, key=len)


def _skipped(found: list[Finding]) -> Unknown:
    several = ", ".join(dict.fromkeys(str(one.guard.subject) for one in found))
    guards = f"a guard on {several} does" if len(found) == 1 else f"{len(found)} guards on {several} do"
    skips = "this torch asks none on a module whose dicts have not changed: unjit.why tells it of a call"
    return Unknown(Message(f"{guards} not hold, but {skips}"))


def asked_by_code(targets: Iterable[Any]) -> dict[int, Asked]:
    """What was asked about by the identity of its code; without plain functions, and where several share one code."""
    found: dict[int, list[Asked]] = {}
    for target in targets:
        asked = known("what was asked about", _asked, target)
        if isinstance(asked, Asked):
            found.setdefault(id(asked.code), []).append(asked)
    return {code: asked[0] for code, asked in found.items() if len(asked) == 1 and asked[0].settled}


def _asked(target: Any) -> Asked | None:
    try:
        function, args, kwargs = entered(called_through(target) or target, (), {})
    except BadTarget:  # a class or a code object: nothing is settled
        return None
    settled = {**_arguments(function, args, kwargs), **free_variables(function)}
    renamed = names_behind(function, settled)
    return Asked(_kind(settled, args), function.__code__, settled, function.__globals__, renamed)


def _arguments(function: FunctionType, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """Those that methods and partials pass by themselves; what more may be passed along with is not settled."""
    signature = inspect.signature(with_code(function, function.__code__))
    given = signature.bind_partial(*args, **kwargs).arguments
    return {name: value for name, value in given.items() if signature.parameters[name].kind not in _OPEN_ENDED}


def _kind(settled: dict[str, Any], args: tuple[Any, ...]) -> Term:
    if any(map(is_module, settled.values())):
        return Term("module")
    return Term("object" if args else "function")
