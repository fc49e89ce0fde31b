"""Cache entries as Dynamo keeps them."""

from __future__ import annotations

from dataclasses import dataclass
from types import CodeType
from typing import Any, Final

from unjit.model import CompileId, Maybe, Message, Term, Unknown
from unjit.model.explained.functions import EntryKind
from unjit.model.words.wording import backend_in_words
from unjit.torch_private.cache.reading import read_entries
from unjit.torch_private.installing.installation import Installed, installed_by
from unjit.torch_private.probes import cache_probes as probes
from unjit.torch_private.probes.install_probes import ENTRY_REGION
from unjit.torch_private.probes.probe import Probe

_ATTRIBUTES: Final = (probes.ENTRY_GUARDS, probes.ENTRY_COMPILE_ID, probes.ENTRY_BACKEND, ENTRY_REGION)

_DROPPED: Final = Unknown(Message("Dynamo dropped it when it invalidated the entry"))


@dataclass(frozen=True, slots=True)
class RawEntry:
    """One entry, with what can be read from it without its guards. Holds live objects: for passing use only."""

    kind: EntryKind
    code: Maybe[CodeType] | None  # None: Dynamo dropped it when it invalidated the entry
    compile_id: Maybe[CompileId]
    backend: Maybe[Term]
    live_backend: Any  # of torch, or Unknown; None where calls for every backend use it
    region: Maybe[int]  # which calls may use it, of torch.compile(isolate_recompiles=True)
    guard_manager: Any  # of torch, or Unknown
    globals: Maybe[dict[str, Any]]  # the globals of the function that it was made from
    invalid: Message | None  # why Dynamo no longer uses it


def entries_of(code: CodeType) -> Maybe[list[RawEntry]]:
    """The entries of a code object in the order in which Dynamo tries them; invalidated ones come last."""
    normal = read_entries(probes.CACHE_ENTRIES, code, [probes.ENTRY_CODE, *_ATTRIBUTES])
    if isinstance(normal, Unknown):
        return normal
    early = read_entries(probes.PRECOMPILE_ENTRIES, code, [probes.PRECOMPILE_CODE, *_ATTRIBUTES])
    found = [] if isinstance(early, Unknown) else [_read("precompiled", entry) for entry in early]
    found += [_read("cache entry", entry) for entry in normal]
    return [entry for entry in found if not _is_leaving(entry)]


def has_entries(code: CodeType) -> Maybe[bool]:
    """Whether a code object has any entries."""
    found = entries_of(code)
    return found if isinstance(found, Unknown) else bool(found)


def _is_leaving(entry: RawEntry) -> bool:
    """Whether it is an entry of ours that is switched off, and in torch's list only until it can safely leave."""
    ours = installed_by(entry.guard_manager)
    return ours is not None and ours.position == "first" and not ours.switch.is_on


def _read(kind: EntryKind, entry: dict[Probe, Any]) -> RawEntry:
    manager = entry[probes.ENTRY_GUARDS]
    ours = installed_by(manager)
    code = entry[probes.ENTRY_CODE if kind == "cache entry" else probes.PRECOMPILE_CODE] if ours is None else ours.code
    invalid = probes.INVALIDATION.of(manager)
    backend = _DROPPED if entry[probes.ENTRY_BACKEND] is None else entry[probes.ENTRY_BACKEND]
    return RawEntry(
        kind=kind if ours is None else "installed",
        code=code if isinstance(code, (CodeType, Unknown)) else None,
        compile_id=_without(kind, ours) or compile_id_of(entry[probes.ENTRY_COMPILE_ID]),
        backend=_without(kind, None) or backend_name(backend),
        live_backend=None if kind == "precompiled" else backend,
        region=entry[ENTRY_REGION],
        guard_manager=manager,
        globals=globals_of(manager),
        invalid=None if isinstance(invalid, Unknown) else Message(invalid),
    )


def _without(kind: EntryKind, ours: Installed | None) -> Unknown | None:
    """Why an entry has no compile of its own, or no backend."""
    if ours is not None:
        if ours.stands_for is not None:
            return Unknown(Message(f"it stands in for entry {ours.stands_for} while a block of unjit.debug lasts"))
        return Unknown(Message("it was installed, not compiled"))
    return Unknown(Message("torch does not keep it for precompiled entries")) if kind == "precompiled" else None


def compile_id_of(raw: Any) -> Maybe[CompileId]:
    """A compile id from torch's object or from its text `[!autograd/]frame/compile`."""
    if raw is None or isinstance(raw, Unknown):
        return raw or Unknown(Message("torch gives none"))
    head, _, tail = str(raw).rpartition("/")
    autograd, _, frame = head.rpartition("/")
    try:
        return CompileId(int(frame), int(tail.split("_")[0]), int(autograd.lstrip("!")) if autograd else None)
    except ValueError:
        return Unknown(Message(f"compile id {str(raw)!r} has a form that is not known"))


def backend_name(backend: Any) -> Maybe[Term]:
    """What the user would pass to `torch.compile(backend=…)`."""
    if isinstance(backend, Unknown):
        return backend
    wrapped = probes.BACKEND_NAME.of(backend)
    if isinstance(wrapped, str):
        return Term(backend_in_words(wrapped))
    return Term(getattr(backend, "__name__", type(backend).__name__))


def globals_of(manager: Any) -> Maybe[dict[str, Any]]:
    """The globals of the function that an entry was made from."""
    if isinstance(manager, Unknown):
        return manager
    scope = probes.GUARDS_GLOBALS.of(manager)
    found = scope.get("G") if isinstance(scope, dict) else None
    if isinstance(found, dict):
        return found
    return scope if isinstance(scope, Unknown) else Unknown(Message("the entry's guards name no globals"))
