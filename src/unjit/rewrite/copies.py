"""A copy of a cache entry: other guards, other code, the same function's frame."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import CodeType
from typing import Any

from unjit.api.entry import EntryHandle
from unjit.decompiler import Decompiled, Verdict, decompile
from unjit.errors import UnjitError
from unjit.model import Entry, Maybe, Unknown
from unjit.model.words.wording import with_article
from unjit.observe.targets.owners import Owner
from unjit.rewrite.codes import Edited, code_from, editable
from unjit.rewrite.editing import in_editor
from unjit.rewrite.graph_calls import CollectedInput, GraphCalls, TakenOutput, graph_named, takes
from unjit.rewrite.guard_changes import changed_guards, changes_from
from unjit.rewrite.installing import Installation, install, not_an_entry
from unjit.torch_private.cache.entries import globals_of
from unjit.torch_private.guard_trees.answers import verbose_answer
from unjit.torch_private.guard_trees.guard_copies import GuardCopy
from unjit.torch_private.installing.installation import Installed, Position
from unjit.torch_private.installing.registration import Like, like_entry_of


class EntryCopy:
    """A cache entry that is not in Dynamo's cache: it can be run by hand, changed again, and installed.

    It keeps its code and guards alive, and does not change: `copy`, `edit` and what else changes something give a new
    one.
    """

    def __init__(self, owner: Owner, code: CodeType, guards: GuardCopy, source: _Source) -> None:
        self.owner, self.code_object = owner, code
        self._guards, self._source = guards, source

    @property
    def code(self) -> Decompiled:
        """Its code, decompiled."""
        return decompile(self.code_object)

    @property
    def conditions(self) -> list[str]:
        """The conditions that were added to Dynamo's guards."""
        return [condition.text for condition in self._guards.conditions]

    def run(self, *args: Any, **kwargs: Any) -> Any:
        """What the code gives for these arguments, guards not checked; see `EntryHandle.run`."""
        return self.owner.call(args, kwargs).run(self.code_object)

    def check(self, *args: Any, **kwargs: Any) -> bool:
        """Whether its guards and conditions hold for a call with these arguments, here and now."""
        return verbose_answer(self._guards.manager, self.owner.locals(args, kwargs)).holds

    def copy(self, *, guards: Any = None, code: Any = None, names: Mapping[str, Any] | None = None) -> EntryCopy:
        """A changed copy of this one; see `EntryHandle.copy`."""
        return _changed(self.owner, self.code_object, self._guards.manager, self._source, _Changes(guards, code, names))

    def edit(self, source: str | None = None, *, names: Mapping[str, Any] | None = None) -> EntryCopy:
        """A copy with edited code; see `EntryHandle.edit`."""
        return self.copy(code=_edited(self.code_object, source), names=names)

    @property
    def graph_inputs(self) -> tuple[CollectedInput, ...]:
        """How the code collects what it passes to its graphs. Raises UnjitError if its source was not recovered."""
        return GraphCalls(editable(self.code_object).source).inputs(self._source.data.graphs)

    @property
    def graph_outputs(self) -> tuple[TakenOutput, ...]:
        """How the code takes what its graphs give apart. Raises UnjitError if its source was not recovered."""
        return GraphCalls(editable(self.code_object).source).outputs()

    def with_graph_input(self, index: int, expression: str, graph: str | None = None) -> EntryCopy:
        """A copy that passes another expression as an input; in it, `_` is what is passed now.

        It may use all names of the code's source. `graph` names the graph where there are several. Raises UnjitError.
        """
        return self._with_source(lambda calls: calls.with_input(index, expression, graph))

    def with_graph_output(self, index: int, expression: str, graph: str | None = None) -> EntryCopy:
        """A copy that takes another expression for an output of a graph; in it, `_` is the output. See above."""
        return self._with_source(lambda calls: calls.with_output(index, expression, graph))

    def with_graph(self, function: Callable[..., Any], graph: str | None = None) -> EntryCopy:
        """A copy that calls `function` in the place of a compiled graph: the same inputs in, a tuple of outputs out.

        Dynamo does not compile the function, nor what it calls. Raises UnjitError if it cannot take the inputs, and at
        a call if it gives something else.
        """
        from torch.compiler import disable

        name = graph_named(graph, self.code_object)
        if not callable(function):
            raise UnjitError(f"what runs in place of {name} is a function, not {type(function).__name__}")
        is_readable = self.code.verdict is not Verdict.OPAQUE
        count = sum(one.graph == name for one in self.graph_inputs) if is_readable else None
        if count is not None and not takes(function, count):
            inputs = f"{count} input{'s' * (count != 1)}"
            raise UnjitError(f"{name} is called with {inputs}, which the function in its place cannot take")
        taken = [one.index for one in self.graph_outputs if one.graph == name] if is_readable else []
        giving = _giving_outputs(function, name, max(taken, default=-1) + 1)
        return self.copy(names={name: disable(giving)})  # type: ignore[no-untyped-call]

    def _with_source(self, change: Callable[[GraphCalls], str]) -> EntryCopy:
        context = editable(self.code_object)
        return self.copy(code=Edited(change(GraphCalls(context.source)), context))

    def install(self, position: Position = "first") -> Installation:
        """Put it into Dynamo's cache: it is taken at the next call that fits its guards.

        "first": before all other entries, the newest of ours first, for calls with every backend; torch 2.9 and newer.
        "cache": as the newest ordinary entry, for calls with the backend of the entry that it was copied from, and
        counted towards the recompile limit; torch 2.13 and newer. Survives recompiles, not `torch._dynamo.reset()`.

        Remove it by the handle, or use it as a context manager. Raises Unsupported where torch cannot do it.
        """
        fresh = changed_guards(self._guards.manager, self._source.data.guards, (), self.owner.living_code(), {})
        code = self.code_object.replace()  # an object of its own, by which its runs are counted
        return install(Installed(self.owner.living_code(), code, fresh, position, self._source.code), self._source.like)

    def __repr__(self) -> str:
        more = f", {len(self.conditions)} condition{'s' if self.conditions[1:] else ''}" if self.conditions else ""
        return f"<copy of {self._source.name}, not installed{more}>"


class _Source:
    """What a copy knows of the entry that it was made from, which may be gone when it is installed.

    Its code is kept: Dynamo takes the graphs and resume functions that it names out of the globals when it dies.
    """

    def __init__(self, name: str, code: CodeType, data: Entry, like: Maybe[Like]) -> None:
        self.name, self.code, self.data, self.like = name, code, data, like


def _giving_outputs(function: Callable[..., Any], graph: str, needed: int) -> Callable[..., Any]:
    """The function, which has to give as many outputs as are needed, if no more.

    A tensor alone, of which the code would take rows for outputs, is refused.
    """

    def outputs(*inputs: Any) -> Any:
        given = function(*inputs)
        if not isinstance(given, tuple | list):
            kind = with_article(type(given).__name__)
            raise UnjitError(f"what runs in place of {graph} gave {kind}; it gives a tuple of the graph's outputs")
        if len(given) < needed:
            outputs_of = f"output{'s' * (len(given) != 1)}"
            raise UnjitError(f"what runs in place of {graph} gave {len(given)} {outputs_of}; the code takes {needed}")
        return given

    return outputs


@dataclass(frozen=True, slots=True)
class _Changes:
    """What to change in a copy, as `EntryHandle.copy` takes it; None for what stays."""

    guards: Any
    code: Any
    names: Mapping[str, Any] | None


def copied(
    entry: EntryHandle, guards: Any = None, code: Any = None, names: Mapping[str, Any] | None = None
) -> EntryCopy:
    """A changed copy of a live entry. Raises UnjitError if `entry` is none."""
    if not isinstance(entry, EntryHandle):
        raise UnjitError(not_an_entry(entry))
    manager = entry.manager()
    name = f"{entry.data.name} of {entry.owner.living_code().co_name}"
    source = _Source(name, entry.code_object, entry.data, like_entry_of(manager))
    return _changed(entry.owner, source.code, manager, source, _Changes(guards, code, names))


def edited(entry: EntryHandle, source: str | None, names: Mapping[str, Any] | None) -> EntryCopy:
    """A copy of a live entry with edited code. Raises UnjitError if `entry` is none."""
    if not isinstance(entry, EntryHandle):
        raise UnjitError(not_an_entry(entry))
    return copied(entry, None, _edited(entry.code_object, source), names)


def _edited(code: CodeType, source: str | None) -> Edited | str:
    if source is not None:
        return source
    context = editable(code)
    return Edited(in_editor(context), context)


def _changed(owner: Owner, code: CodeType, manager: Any, source: _Source, changes: _Changes) -> EntryCopy:
    """A copy of what has this code, and the guards of this manager."""
    living, scope = owner.living_code(), _globals(owner, manager)
    new = code_from(changes.code, code, living, scope, {} if changes.names is None else changes.names)
    guards = changed_guards(manager, source.data.guards, changes_from(changes.guards), living, scope)
    return EntryCopy(owner, new, guards, source)


def _globals(owner: Owner, manager: Any) -> dict[str, Any]:
    """The globals that the entry was made for; where torch does not tell, those of the function."""
    found = globals_of(manager)
    return owner.call((), {}).function.__globals__ if isinstance(found, Unknown) else found
