"""What a call of something that torch.compile returned brings along: backend, limit and region, and torch's stance."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import dataclass
from types import CellType, CodeType
from typing import Any, Final

from unjit.model import Maybe, Message, Term, Unknown, known_or
from unjit.torch_private.cache.entries import backend_name
from unjit.torch_private.calling.frames import outward
from unjit.torch_private.probes import cache_probes, call_probes
from unjit.torch_private.probes.probe import Probe, is_part_of_torch

_SHARED: Final = -1  # the region of entries that every call may use
_LOST: Final = Unknown(Message("under this stance torch before 2.9 compares it with a backend that it may have let go"))
_CALLS: Final = "torch._dynamo.eval_frame"  # the module of torch's functions that such a call goes through


@dataclass(frozen=True, slots=True)
class Caller:
    """A call's part in Dynamo's choice of an entry. What is not known of the call excludes no entry."""

    backend: Any  # of torch, or Unknown
    limit: int | None  # of entries, where torch.compile was given one
    region: Maybe[int]
    stance: Term  # as of torch.compiler.set_stance
    skips_guards: bool  # by the same: of the guards it asks those alone that tell entries apart
    loses_backend: bool  # by the same, before torch 2.9: entries point to a backend that torch has let go
    fullgraph: Maybe[bool]
    guard_filter: Term | None  # the name of the function by which torch.compile was told to leave guards out

    def may_use(self, backend: Any, region: Maybe[int]) -> Maybe[bool]:
        """Whether Dynamo looks at an entry that has this backend (None: one for all) and lies in this region."""
        return self._same_backend(backend) if self._same_region(region) else False

    def _same_backend(self, other: Any) -> Maybe[bool]:
        if other is None or isinstance(self.backend, Unknown):
            return True
        if not isinstance(other, Unknown):
            return self._has(other)
        if self.loses_backend:
            return _LOST
        used = call_probes.BACKENDS_IN_USE.get()
        # Where Dynamo is switched off it notes None.
        is_one = isinstance(used, dict) and all(map(self._has, filter(None, used.values())))
        return True if is_one else Unknown(Message(f"{other.reason}, and several backends are in use"))

    def _has(self, backend: Any) -> bool:
        return self.backend is backend or bool(self.backend == backend)

    def _same_region(self, other: Maybe[int]) -> bool:
        if isinstance(self.region, Unknown) or isinstance(other, Unknown):
            return True
        return other in (_SHARED, self.region)


def caller_of(target: Any) -> Caller:
    """What `target` brings along when it is called; all Unknown if torch.compile did not return it."""
    return _caller(_callback(target), known_or(call_probes.MODULE_CONTEXT.of(target), target))


def sizes_that_vary(target: Any) -> dict[str, Any]:
    """What torch.compile was told of sizes when it returned `target`, by argument; what it was not told is left out.

    It is torch's configuration while a call of `target` lasts, and another compile of the function has it not.
    """
    context = call_probes.MODULE_CONTEXT.of(target)
    context = _cells(target).get("self") if isinstance(context, Unknown) else context
    told = {"dynamic": call_probes.DYNAMIC_SIZES.of(context), "shapes_spec": call_probes.SIZES_TOLD.of(context)}
    return {name: value for name, value in told.items() if value is not None and not isinstance(value, Unknown)}


def caller_at_work() -> Caller:
    """What the innermost such call that this thread is in the middle of has brought along; Unknown if there is none."""
    for frame in outward(sys._getframe(1)):
        context = frame.f_locals.get("self") if frame.f_globals.get("__name__") == _CALLS else None
        callback = call_probes.CALLBACK.of(context)
        if not isinstance(callback, Unknown):
            return _caller(callback, context)
    return _caller(call_probes.CALLBACK.missing(), None)


def _caller(callback: Any, context: Any) -> Caller:
    wrappers = list(_wrappers(callback))
    limits = map(call_probes.OWN_LIMIT.of, wrappers)
    region = call_probes.CALL_REGION.of(context)
    forced = _stance(call_probes.STANCE_BACKEND, None)
    stance = Term(_stance(call_probes.STANCE_NAME, "default"))
    return Caller(
        backend=_innermost(wrappers) if forced is None else cache_probes.LOOKUP_BACKEND.call(forced),
        limit=next((limit for limit in limits if isinstance(limit, int)), None),
        region=region if isinstance(region, int) else Unknown(Message("torch does not tell the region of a call")),
        stance=stance,
        skips_guards=_stance(call_probes.STANCE_SKIPS, False) is True,
        loses_backend=stance.endswith("eager_then_compile") and any(map(_is_wrapped_as_before, wrappers[:1])),
        fullgraph=_fullgraph(wrappers),
        guard_filter=_guard_filter(wrappers),
    )


def _guard_filter(wrappers: list[Any]) -> Term | None:
    """As a program names it; torch before 2.7 takes none, and what has no name goes by its class."""
    hooks = known_or(call_probes.CALLBACK_HOOKS.of(wrappers[0] if wrappers else None), None)
    asked = known_or(call_probes.GUARD_FILTER.of(hooks), None)
    return None if asked is None else known_or(backend_name(asked), Term("a filter"))


def _fullgraph(wrappers: list[Any]) -> Maybe[bool]:
    if not wrappers:
        return Unknown(Message("torch.compile did not return what is called"))
    return any(call_probes.ONE_GRAPH.of(wrapper) is True for wrapper in wrappers)


def _stance(part: Probe, otherwise: Any) -> Any:
    """A part of what torch.compiler.set_stance set, or what holds if nothing did."""
    return known_or(part.of(call_probes.STANCE.get()), otherwise)


def _callback(target: Any) -> Any:
    """Dynamo's callback for what torch.compile returned: a module has it in an attribute, a function in a cell."""
    context = call_probes.MODULE_CONTEXT.of(target)
    if context is not None and not isinstance(context, Unknown):
        return call_probes.CALLBACK.of(context)
    cells = _cells(target)
    return cells["callback"] if "callback" in cells else call_probes.CALLBACK.missing()


def _cells(target: Any) -> dict[str, Any]:
    """What a function of torch's own has in its closure; a decorator of the program's may have the same names there."""
    code = getattr(target, "__code__", None)
    if not isinstance(code, CodeType) or not is_part_of_torch(code):
        return {}
    return {
        name: cell.cell_contents
        for name, cell in zip(code.co_freevars, target.__closure__ or (), strict=True)
        if cell != CellType()  # an empty one
    }


def _wrappers(callback: Any) -> Iterator[Any]:
    """The callback and what it wraps, down to the backend."""
    while callback not in (None, False) and not isinstance(callback, Unknown):
        yield callback
        wrapped = call_probes.CALLBACK_WRAPS.of(callback)
        is_torchs = type(callback).__module__.startswith("torch._dynamo.")
        if isinstance(wrapped, Unknown) and is_torchs:  # a function that is switched off has the old name as well
            wrapped = call_probes.CALLBACK_WRAPS_OLD.of(callback)
        callback = wrapped


def wants_one_graph(callback: Any) -> bool:
    """Whether a callback of Dynamo's is that of torch.compile(fullgraph=True)."""
    return _fullgraph(list(_wrappers(callback))) is True


def innermost(callback: Any) -> Any:
    """The backend that a callback of Dynamo's calls, or Unknown."""
    return _innermost(list(_wrappers(callback)))


def _is_wrapped_as_before(callback: Any) -> bool:
    """Whether this torch keeps what a callback wraps where it did before 2.9."""
    return isinstance(call_probes.CALLBACK_WRAPS.of(callback), Unknown)


def _innermost(wrappers: list[Any]) -> Any:
    return wrappers[-1] if wrappers else Unknown(Message("torch.compile did not return what is called"))


def same_matched_objects(manager: Any, frame: dict[str, Any]) -> bool:
    """Whether an entry counts against the limit of entries for this frame.

    Dynamo counts those alone whose arguments guarded by identity, such as modules, are the frame's, or are gone.
    """
    matched = call_probes.MATCHED.of(manager)
    if isinstance(matched, Unknown):
        return True
    alive = {name: reference() for name, reference in matched.items()}
    return all(value is None or frame.get(name) is value for name, value in alive.items())
