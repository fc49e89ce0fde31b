"""Backends by name, and entries that a backend of ours made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from types import CodeType
from typing import Any, Final

from unjit.model import Maybe, Term, Unknown, known_or
from unjit.torch_private.cache.entries import backend_name, entries_of
from unjit.torch_private.installing.removal import invalidate
from unjit.torch_private.probes import cache_probes, call_probes

Compiler = Callable[[Any, list[Any]], Callable[..., Any]]
BACKENDS: Final = ("eager", "aot_eager", "inductor")  # each goes one step of the compiler further
_COMPARED: Final = "unjit compared backends"


def compiler_of(backend: str) -> Maybe[Compiler]:
    """What Dynamo calls with a graph and example inputs; Unknown with torch's words where there is no such backend."""
    found: Maybe[Compiler] = cache_probes.LOOKUP_BACKEND.call(backend)
    return found


def any_is_in_use() -> bool:
    """Whether torch.compile was called, since the last reset, with whatever backend."""
    used = call_probes.BACKENDS_IN_USE.get()
    return not isinstance(used, Unknown) and bool(used)


def inductor_settings(compiler: Compiler) -> dict[str, Any] | None:
    """The settings that a program gave Inductor, by mode and options; None for another backend, or unknown ones."""
    if compiler is compiler_of("inductor"):
        return {}
    settings = cache_probes.BACKEND_SETTINGS.of(compiler)
    if cache_probes.BACKEND_NAME.of(compiler) != "inductor" or isinstance(settings, Unknown):
        return None
    return dict(settings)


def settings_of(compiler: Any) -> Mapping[str, Any]:
    """The settings that a program gave a backend, by mode and options; none where it has no such thing."""
    options = cache_probes.BACKEND_OPTIONS.of(compiler)
    given = options.get("options") if isinstance(options, Mapping) else None
    found = (one for one in (cache_probes.BACKEND_SETTINGS.of(compiler), given) if isinstance(one, Mapping) and one)
    return next(found, {})


def name_with_settings(compiler: Maybe[Compiler]) -> Maybe[Term]:
    """The backend's name, with the mode and options that a program gave it."""
    name = backend_name(compiler)
    told = ", ".join(f"{key}={value!r}" for key, value in settings_of(compiler).items())
    return Term(f"{name} with {told}") if told and not isinstance(name, Unknown) else name


def records_cuda_graphs(compiler: Maybe[Compiler]) -> bool:
    """Whether what this backend makes for GPUs may be recorded and replayed, as far as it can be told: else it may."""
    if isinstance(compiler, Unknown) or settings_of(compiler):
        return True
    name = backend_name(compiler)
    return known_or(cache_probes.CUDA_GRAPHS.get(), True) is not False if name == "inductor" else name not in BACKENDS


def drop_entries(codes: Iterable[CodeType], backend: str) -> None:
    """Take out the entries of these codes that a backend of this name made, where this torch can do so."""
    for code in codes:
        for entry in known_or(entries_of(code), ()):
            if entry.backend == backend and entry.invalid is None:
                invalidate(entry.guard_manager, _COMPARED)


def only_compared(code: CodeType) -> bool:
    """Whether a comparison of unjit's alone compiled this code: it had entries, and all of them were dropped."""
    entries = known_or(entries_of(code), ())
    return bool(entries) and all(entry.invalid == _COMPARED for entry in entries)
