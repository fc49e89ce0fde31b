"""What `aot_compile` makes: functions that carry their code and guards with them, outside of Dynamo's cache.

torch keeps no list of them. They are noted, weakly, when somebody asks about one, or looked for by their class. What
was made while a recording was on is known by its guards as well: after `gc.freeze()`, as in vLLM, nothing can be
looked for.
"""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator
from dataclasses import dataclass
from types import CodeType, FrameType, FunctionType, MethodType
from typing import Any, Final

from unjit.model import Maybe, Message, Term, Unknown, first_unknown
from unjit.model.explained.functions import AHEAD
from unjit.model.words.wording import backend_in_words
from unjit.torch_private.cache.entries import RawEntry
from unjit.torch_private.calling.frames import frame_of
from unjit.torch_private.guard_trees.guards_in_making import making
from unjit.torch_private.probes import trace_probes as probes
from unjit.torch_private.probes.cache_probes import BACKEND_NAME

_NO_NUMBER: Final = Unknown(Message("torch keeps no number of what it compiled ahead of time"))
_NO_CACHE: Final = Unknown(Message("it is in no cache"))
_NOT_FOUND: Final = Unknown(Message("what aot_compile returned was not found among the objects of the program"))
_KNOWN: Final[list[weakref.ref[Any]]] = []


@dataclass(frozen=True, slots=True)
class MadeAhead:
    """What aot_compile has when its guards are ready; live objects, for passing use only."""

    original: CodeType
    generated: CodeType
    manager: Any  # of torch's guards


@dataclass(frozen=True, slots=True)
class _Noted:
    """The same, held weakly, with the backend."""

    original: weakref.ref[CodeType]
    generated: weakref.ref[CodeType]
    backend: Maybe[Term]


_NOTED: Final[weakref.WeakKeyDictionary[Any, _Noted]] = weakref.WeakKeyDictionary()  # by the guards


def frame_ahead() -> FrameType | None:
    """The frame of aot_compile in this thread, while it compiles; None if it does not."""
    return frame_of(probes.COMPILE_AHEAD.get())


def is_loading() -> bool:
    """Whether this thread makes a function of what aot_compile had compiled, in this program or in another."""
    return frame_of(probes.LOAD_AHEAD.get()) is not None


def made_ahead() -> Maybe[MadeAhead]:
    """What aot_compile is making in this thread, when torch tells of guards that are ready. It is noted by these."""
    frame, guards = frame_ahead(), making()
    if frame is None or isinstance(guards, Unknown):
        return guards if isinstance(guards, Unknown) else Unknown(Message("nothing is compiled ahead of time"))
    original = getattr(frame.f_locals.get("fn"), "__code__", None)
    generated = probes.CODE_OF_CAPTURE.of(frame.f_locals.get("graph_capture_output"))
    manager = probes.GUARDS_MADE.of(guards.f_locals.get("self"))
    missing = first_unknown(generated, manager)
    if missing is not None:
        return missing
    if not isinstance(original, CodeType) or not isinstance(generated, CodeType):
        return Unknown(Message("this torch keeps elsewhere what it compiles ahead of time"))
    backend = _backend(BACKEND_NAME.of(frame.f_locals.get("backend")))
    _NOTED[manager] = _Noted(weakref.ref(original), weakref.ref(generated), backend)
    return MadeAhead(original, generated, manager)


def original_of(target: Any) -> FunctionType | MethodType | None:
    """What was compiled, with the globals of its code; None if aot_compile did not return `target`.

    A module has a compiled function for each kind of input, all of one forward.
    """
    made = next(iter(_functions_of(target)), None)
    code, runs = (None, None) if made is None else (_artifact(made, probes.AHEAD_ORIGINAL), probes.AHEAD_RUNS.of(made))
    if not isinstance(code, CodeType) or not isinstance(runs, FunctionType):
        return None
    closure = runs.__closure__ if code.co_freevars == runs.__code__.co_freevars else None
    if code.co_freevars and closure is None:
        return None
    for one in reversed(_functions_of(target)):
        _note(one)
    function = FunctionType(code, runs.__globals__, code.co_name, runs.__defaults__, closure)
    function.__kwdefaults__ = runs.__kwdefaults__
    function.__qualname__ = getattr(code, "co_qualname", code.co_name)  # Python 3.10 has none
    return function if target is made else MethodType(function, probes.AHEAD_MODULE.of(target))


def entries_of_ahead(target: Any) -> list[RawEntry]:
    """The entries that a call of what aot_compile returned asks, in that order; empty for anything else."""
    return [_entry(made) for made in _functions_of(target)]


def called_ahead(target: Any) -> tuple[Any, ...]:
    """What the code of what aot_compile returned has by name: the graphs that it calls, and functions of torch's."""
    functions = [runs for runs in map(probes.AHEAD_RUNS.of, _functions_of(target)) if isinstance(runs, FunctionType)]
    scopes = ((one.__globals__, one.__code__.co_names) for one in functions)
    return tuple(scope[name] for scope, names in scopes for name in names if name in scope)


def asks_guards(target: Any) -> bool:
    """Whether a call of it runs an entry only if its guards hold; a program can do without."""
    return any(probes.AHEAD_ASKS.of(made) is not False for made in _functions_of(target))


def look_for_all() -> None:
    """Note all that are alive, which Python's garbage collector finds by their class.

    It is never asked for all objects: a tuple that another thread is just filling cannot be finished while a second
    reference to it exists (SystemError).
    """
    kind = probes.AHEAD_FUNCTION.get()
    if not isinstance(kind, Unknown):
        met = set(map(id, _alive()))
        _KNOWN.extend(weakref.ref(one) for one in gc.get_referrers(kind) if type(one) is kind and id(one) not in met)


def originals_ahead() -> list[CodeType]:
    """The code that those were made from which are noted and alive."""
    found = [_artifact(made, probes.AHEAD_ORIGINAL) for made in _alive()]
    found += [noted.original() for noted in list(_NOTED.values())]
    return [code for code in found if isinstance(code, CodeType)]


def codes_ahead() -> list[CodeType]:
    """The code that those run which are noted and alive."""
    runs = (probes.AHEAD_RUNS.of(made) for made in _alive())
    return [function.__code__ for function in runs if isinstance(function, FunctionType)]


def entries_ahead(code: CodeType) -> list[RawEntry]:
    """The entries of a function that are noted and alive: those of its code, or of the same read back from a file."""
    found = [_entry(made) for made in _made_of(code)]
    met = {id(entry.guard_manager) for entry in found}
    others = [(manager, noted) for manager, noted in list(_NOTED.items()) if id(manager) not in met]
    return found + [_noted_entry(manager, noted) for manager, noted in others if _is_same(noted.original(), code)]


def functions_ahead(code: CodeType) -> list[tuple[RawEntry, FunctionType]]:
    """The same, with the function that runs each."""
    found = ((made, probes.AHEAD_RUNS.of(made)) for made in _made_of(code))
    return [(_entry(made), runs) for made, runs in found if isinstance(runs, FunctionType)]


def _made_of(code: CodeType) -> list[Any]:
    return [made for made in _alive() if _is_same(_artifact(made, probes.AHEAD_ORIGINAL), code)]


def _functions_of(target: Any) -> list[Any]:
    function, model = probes.AHEAD_FUNCTION.get(), probes.AHEAD_MODEL.get()
    if not isinstance(function, Unknown) and type(target) is function:
        return [target]
    if not isinstance(model, Unknown) and type(target) is model:
        found = probes.AHEAD_RESULTS.of(target)
        return [] if isinstance(found, Unknown) else list(found)
    return []


def _note(made: Any) -> None:
    """What was asked for last comes first."""
    _KNOWN[:] = [weakref.ref(made), *(known for known in _KNOWN if known() is not None and known() is not made)]


def _alive() -> Iterator[Any]:
    """Each once: threads that look at the same time note what both have found."""
    return iter({id(made): made for known in list(_KNOWN) if (made := known()) is not None}.values())


def _artifact(made: Any, probe: Any) -> Any:
    return probe.of(probes.AHEAD_ARTIFACTS.of(made))


def _is_same(own: Any, code: CodeType) -> bool:
    return own is code or (own == code and own.co_filename == code.co_filename)


def _entry(made: Any) -> RawEntry:
    runs, backend = probes.AHEAD_RUNS.of(made), _backend(_artifact(made, probes.AHEAD_BACKEND))
    code, scope = (runs.__code__, runs.__globals__) if isinstance(runs, FunctionType) else (runs, runs)
    return _raw(code, scope, backend, _artifact(made, probes.AHEAD_GUARDS))


def _noted_entry(manager: Any, noted: _Noted) -> RawEntry:
    """One that was seen being made, and whose function was not found."""
    return _raw(noted.generated() or _NOT_FOUND, _NOT_FOUND, noted.backend, manager)


def _raw(code: Any, scope: Any, backend: Maybe[Term], manager: Any) -> RawEntry:
    return RawEntry(
        kind=AHEAD,
        code=code,
        compile_id=_NO_NUMBER,
        backend=backend,
        live_backend=None,
        region=_NO_CACHE,
        guard_manager=manager,
        globals=scope,
        invalid=None,
    )


def _backend(name: Any) -> Maybe[Term]:
    if isinstance(name, Unknown):
        return name
    if not isinstance(name, str) or name == "unknown":
        return Unknown(Message("torch notes the names of its own backends alone"))
    return Term(backend_in_words(name))
