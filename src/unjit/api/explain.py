"""`unjit.explain`: what Dynamo has for a function, now."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from unjit.api.entry import EntryHandle, FunctionHandle, live_entry
from unjit.errors import BadTarget, UnjitError, Unsupported
from unjit.model import Report, Unknown
from unjit.model.words.wording import in_words, with_article
from unjit.observe.live.report import LiveReport, compiled_targets, read
from unjit.observe.targets.resolving import Target, compiled_behind, resolve
from unjit.render.forms.outline import count
from unjit.render.forms.text import text
from unjit.render.functions.entry_counts import entries_counted
from unjit.torch_private.cache.ahead_of_time import look_for_all, originals_ahead
from unjit.torch_private.cache.entries import has_entries

_T = TypeVar("_T")


def explain(*targets: Any, scaffolding: bool = False) -> Explanation:
    """What torch.compile did to each target, with no preparation before the compile.

    A target is a function, a compiled function, a bound method, an nn.Module, what torch.compile or aot_compile
    returned for one, a class with a forward, a partial, a callable instance or a code object. Without targets:
    everything that Dynamo looked at since the process started or torch._dynamo.reset() was called.

    Generated code is shown without the instructions that only serve torch's profiler, and says how many these are;
    with `scaffolding` it is shown whole.

    Compiles nothing, changes nothing, keeps nothing alive. Raises BadTarget if a target has no Python code.
    """
    if targets:
        targets = tuple(_looked_into(compiled_behind, target) for target in targets)
        resolved = [_looked_into(resolve, target) for target in targets]
        if not all(map(_has_entries, resolved)):
            look_for_all()  # what aot_compile made of it, if that is why the cache has nothing
        return Explanation(read(resolved, scaffolding=scaffolding, asked=targets), targets)
    look_for_all()
    found = compiled_targets()
    if isinstance(found, Unknown):
        raise Unsupported(f"cannot list what was compiled: {found.reason}; pass a function")
    ahead = [Target(code, None) for code in originals_ahead()]
    return Explanation(read([*found, *ahead], scaffolding=scaffolding))


def _has_entries(target: Target) -> bool:
    """Whether Dynamo's cache has any of what a target leads to."""
    codes = (target.code, target.entered, *target.parts)
    return any(code is not None and has_entries(code) is True for code in codes)


def _looked_into(look: Callable[[Any], _T], target: Any) -> _T:
    try:
        return look(target)
    except UnjitError:
        raise
    except Exception as error:  # of the target's own attributes, or of torch
        raise BadTarget(
            f"{with_article(type(target).__name__)} that cannot be looked into: {in_words(error)}"
        ) from error


class Explanation:
    """The answer: `str()` is the text for people, `.report` the data, `.entries` and `.functions` live handles."""

    def __init__(self, live: LiveReport, targets: tuple[Any, ...] = ()) -> None:
        self.report: Report = live.report
        self._handles = {
            function.key: FunctionHandle(
                function,
                [EntryHandle(entry, live_entry(live, function, entry, targets), self) for entry in function.entries],
                live.report,
            )
            for function in live.report.functions
        }

    @property
    def functions(self) -> list[FunctionHandle]:
        """Those that were asked for first, then those that they lead to."""
        return list(self._handles.values())

    @property
    def entries(self) -> list[EntryHandle]:
        """The entries of the function that was asked for, in the order in which they are tried."""
        return [entry for key in self.report.roots for entry in self._handles[key].entries]

    def function(self, key: str) -> FunctionHandle:
        """The function with this key; KeyError if there is none."""
        return {str(name): handle for name, handle in self._handles.items()}[key]

    def to_dict(self) -> dict[str, Any]:
        """The data in plain dictionaries and lists, under a schema version."""
        return self.report.to_dict()

    def to_json(self, indent: int | None = 2) -> str:
        """The data as JSON."""
        return self.report.to_json(indent)

    def __str__(self) -> str:
        return text(self.report)

    def __repr__(self) -> str:
        names = ", ".join(self.report.roots[:3]) + (", …" if len(self.report.roots) > 3 else "")
        entries = entries_counted(entry.data.kind for entry in self.entries)
        return f"<unjit.Explanation of {names}: {entries}, {count(len(self.functions), 'function')}>"

    def _repr_html_(self) -> str:
        from unjit.render.forms.html import html

        return html(self.report)

    def _repr_mimebundle_(self, **_formats: object) -> dict[str, str]:
        """What a notebook shows: the page, and the text where it cannot show pages."""
        return {"text/plain": str(self), "text/html": self._repr_html_()}
