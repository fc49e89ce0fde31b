"""Live functions and entries: the model's data with what can still be done with the objects behind it.

A handle keeps its live object by a weak reference, so that asking about a function never keeps it, its graphs or its
tensors alive.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import TYPE_CHECKING, Any

from unjit.api.entry_guards import LiveGuards
from unjit.decompiler import Decompiled, decompile
from unjit.errors import Gone
from unjit.model import CompileId, Entry, Function, Graph, Maybe, Name, Report, Term, Unknown
from unjit.model.explained.functions import AHEAD
from unjit.observe.live.report import LiveReport
from unjit.observe.targets.owners import Owner
from unjit.observe.targets.resolving import resolve
from unjit.observe.targets.weak_references import weakly
from unjit.render.forms.notebook import ShownInFull
from unjit.render.forms.outline import count
from unjit.render.forms.text import entry_text, function_text
from unjit.render.functions.entry_counts import entries_counted
from unjit.torch_private.guard_trees.answers import verbose_answer

if TYPE_CHECKING:
    from unjit.api.explain import Explanation
    from unjit.rewrite import EntryCopy


@dataclass(frozen=True, slots=True)
class LiveEntry:
    """What is alive behind an entry, held weakly."""

    function: Name  # the qualified name
    code: Callable[[], CodeType | None]
    manager: Callable[[], Any]
    owner: Owner


def live_entry(live: LiveReport, function: Function, entry: Entry, targets: tuple[Any, ...]) -> LiveEntry:
    """What is alive behind an entry of a report; its calls are those of the first target that enters `function`."""
    key = (function.key, entry.index)
    owner = live.functions[function.key]
    asked = next((target for target in targets if owner in _entered_by(target)), None)
    code, manager = weakly(live.entries.get(key)), weakly(live.managers.get(key))
    return LiveEntry(function.qualname, code, manager, Owner(owner, asked))


def _entered_by(target: Any) -> tuple[CodeType | None, ...]:
    resolved = resolve(target)
    return resolved.code, resolved.entered


class EntryHandle(ShownInFull):
    """One cache entry. Its facts are those of the moment at which `unjit.explain` was called; `.data` has them all."""

    def __init__(self, data: Entry, live: LiveEntry, explanation: Explanation) -> None:
        self.data = data
        self._live = live
        self._explanation = explanation

    @property
    def index(self) -> int:
        """The order in which it is tried, from 0."""
        return self.data.index

    @property
    def compile_id(self) -> Maybe[CompileId]:
        """Dynamo's number of the compile that made it, or Unknown."""
        return self.data.compile_id

    @property
    def backend(self) -> Maybe[Term]:
        """The backend's name, or Unknown."""
        return self.data.backend

    @property
    def hits(self) -> Maybe[int]:
        """How often it ran while `count_calls` was active, or Unknown."""
        return self.data.hits

    @property
    def guards(self) -> Maybe[LiveGuards]:
        """The conditions under which it runs: to look at, to run as a Python function, and to check a call with."""
        if isinstance(self.data.guards, Unknown):
            return self.data.guards
        entry = f"{self.data.name} of {self._live.function}"
        return LiveGuards(self.data.guards, entry, self._live.manager, self._live.owner)

    @property
    def graphs(self) -> tuple[Graph, ...]:
        """The graphs that its code calls."""
        return self.data.graphs

    @property
    def code(self) -> Decompiled:
        """Its code, decompiled. Raises Gone if the code object no longer exists."""
        return decompile(self.code_object)

    @property
    def code_object(self) -> CodeType:
        """The code itself. Raises Gone if it no longer exists."""
        code = self._live.code()
        if code is None:
            raise Gone(f"the code of entry {self.data.compile_id} no longer exists; its source is in .data.code")
        return code

    @property
    def owner(self) -> Owner:
        """The function that has the entry, held weakly."""
        return self._live.owner

    def manager(self) -> Any:
        """torch's own guards. Raises Gone if Dynamo does not have the entry any more."""
        if isinstance(self.guards, Unknown):
            raise Gone(f"the guards of entry {self.compile_id} are not known: {self.guards.reason}")
        return self.guards.manager()

    @property
    def resume_functions(self) -> list[FunctionHandle]:
        """The functions in which it goes on after a graph break."""
        return [self._explanation.function(key) for key in self.data.resume_functions]

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """What its code gives for these arguments; its guards are not checked.

        The arguments are those of a call of what was explained; for the entries of other functions, such as resume
        functions, those that this function itself gets. Defaults, free variables and `self` are the function's own.
        Runs without Dynamo: functions in which it continues run as plain Python. Raises what the code raises,
        TypeError for arguments that do not fit, and Gone if the code or the function no longer exists.
        """
        return self.owner.call(args, kwargs).run(self.code_object)

    def check(self, *args: Any, **kwargs: Any) -> bool:
        """Whether Dynamo's own guards of this entry hold for a call with these arguments, here and now.

        Guards look at more than the arguments: grad mode, default dtype, globals, in this thread at this moment.
        At a call, torch before 2.10 skips the guards on a module whose dicts have not changed, so that the entry runs
        even if one of the module's tensors has changed: `unjit.why` says so. Raises TypeError for arguments that do not
        fit, and Gone if Dynamo does not have the entry any more.
        """
        return verbose_answer(self.manager(), self.owner.locals(args, kwargs)).holds

    def copy(self, *, guards: Any = None, code: Any = None, names: Mapping[str, Any] | None = None) -> EntryCopy:
        """A copy that can be changed, run by hand and installed; see `unjit.rewrite.EntryCopy`.

        `guards`: changes made by the functions of `unjit.rewrite` (keep, drop, require, replace, only), one or a list;
        a function or an expression over the arguments, such as "x.shape[0] >= 5", is a condition to add. `code`: a
        function, a code object or the edited source; `names`: what it means by names that the function's module does
        not have. Raises UnjitError for what does not fit, saying what to change.
        """
        from unjit.rewrite import copied

        return copied(self, guards, code, names)

    def edit(self, source: str | None = None, *, names: Mapping[str, Any] | None = None) -> EntryCopy:
        """A copy whose code is the decompiled source of this one after editing it: in $EDITOR, or given as a string.

        `names` as in `copy`. Raises UnjitError for source that does not compile or does not fit, and if there is no
        source to edit.
        """
        from unjit.rewrite import edited

        return edited(self, source, names)

    def invalidate(self) -> None:
        """Take this entry out of Dynamo's cache: the next call that it would have served compiles again.

        Raises Gone if Dynamo does not have it any more, Unsupported where torch cannot take out a single entry.
        """
        from unjit.rewrite import invalidate

        invalidate(self)

    def __getattr__(self, name: str) -> Any:
        """Only to raise an AttributeError that says where to find what a copy has and an entry has not."""
        if not name.startswith("_"):
            from unjit.rewrite import EntryCopy

            if hasattr(EntryCopy, name):
                raise AttributeError(f"an entry stays as it is; a copy of it has this: entry.copy().{name}")
        raise AttributeError(f"a cache entry has no {name!r}")

    def __str__(self) -> str:
        report = self._explanation.report
        owner = next(one for one in report.functions if any(entry is self.data for entry in one.entries))
        return entry_text(self.data, owner, report)

    def __repr__(self) -> str:
        code = self.data.code
        verdict = "no code" if isinstance(code, Unknown) else code.verdict
        kind = "entry made ahead of time" if self.data.kind == AHEAD else f"cache entry {self.data.compile_id}"
        return f"<{kind}: {count(len(self.graphs), 'graph')}, {verdict}>"


class FunctionHandle(ShownInFull):
    """One function that Dynamo looked at."""

    def __init__(self, data: Function, entries: list[EntryHandle], report: Report) -> None:
        self.data = data
        self.entries = entries
        self._report = report

    @property
    def name(self) -> Name:
        """A valid identifier, unique within its explanation."""
        return self.data.key

    def __str__(self) -> str:
        return function_text(self.data, self._report)

    def __repr__(self) -> str:
        return f"<function {self.data.key}: {entries_counted(entry.data.kind for entry in self.entries)}>"
