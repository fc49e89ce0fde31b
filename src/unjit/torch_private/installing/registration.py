"""An entry of ours among Dynamo's ordinary ones, as the newest.

torch makes such an entry in one place only: when a frame begins for which its callback returns code and guards. So a
frame of the function is begun, with a callback of ours that returns the entry, and ended at once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from unjit.model import Maybe, Message, Unknown, first_unknown
from unjit.model.words.wording import in_words
from unjit.torch_private.calling.begun_frames import begin_frame
from unjit.torch_private.calling.calls import nobody_is_told
from unjit.torch_private.installing.asking import ASKING, is_asking
from unjit.torch_private.installing.installation import Installed, lock, mark
from unjit.torch_private.probes import cache_probes, call_probes
from unjit.torch_private.probes import install_probes as probes

_NEEDED = (
    *(probes.SET_CALLBACK, probes.SET_REGION, probes.GUARDED_CODE, probes.ANSWER, probes.STRATEGY, probes.ACTION),
    *(probes.ORIGINALS, call_probes.GENERATED_CODES),
)
_ACTIONS = (probes.ACTION_DEFAULT, probes.ACTION_SKIP)
_NOT_ASKED = Unknown(
    Message("Dynamo does not look for new entries of this function (it is skipped, or its recompile limit is reached)")
)
_NOT_ORDINARY = Unknown(
    Message(
        "what it was copied from is none of Dynamo's ordinary entries, and tells no backend: copy one that Dynamo "
        "compiled, or install it at 'first'"
    )
)


@dataclass(frozen=True)
class Like:
    """What a new entry has in common with the one that it was copied from."""

    backend: Any  # torch's; it decides which calls of the function may take the entry
    compile_id: Any
    region: int


def like_entry_of(manager: Any) -> Maybe[Like]:
    """Read from the ordinary entry with these guards, while it is in the cache."""
    entry = probes.CACHE_ENTRY.of(manager)
    if entry is None or isinstance(entry, Unknown):
        return entry or _NOT_ORDINARY
    backend, region = cache_probes.ENTRY_BACKEND.of(entry), probes.ENTRY_REGION.of(entry)
    compile_id = cache_probes.ENTRY_COMPILE_ID.of(entry)
    return first_unknown(backend, region, compile_id) or Like(backend, compile_id, region)


def install_in_cache(made: Installed, like: Like) -> Maybe[Installed]:
    """Put an entry among the ordinary ones, as the newest. It counts towards the recompile limit as they do."""
    action = probes.ACTION.get()
    parts = [*(probe.get() for probe in _NEEDED), *(probe.of(action) for probe in _ACTIONS)]
    missing = first_unknown(*parts)
    if missing is not None:
        return missing
    try:
        registration = _Registration(made, like)
    except TypeError as error:  # another torch may describe an entry in other words
        return Unknown(Message(f"Dynamo cannot be told of an entry here: {in_words(error)}"))
    mark(made)
    with lock:
        if is_asking():
            return ASKING
        probes.ORIGINALS.get()[made.code] = made.owner
        call_probes.GENERATED_CODES.get().add(made.code)
        registration.run()
    return made if probes.CACHE_ENTRY.of(made.guards.manager) is not None else _NOT_ASKED


class _Registration:
    """One frame that begins, is asked for its entry, and ends."""

    def __init__(self, made: Installed, like: Like) -> None:
        self.made, self.like = made, like
        # Prepared before, since torch calls back with its own hook around every Python function that then runs.
        strategy, answer = probes.STRATEGY.get(), probes.ANSWER.get()
        as_any, skip = (probe.of(probes.ACTION.get()) for probe in _ACTIONS)
        default = strategy(as_any, as_any)
        entry = probes.GUARDED_CODE.get()(made.code, made.guards.manager, like.compile_id, "installed by unjit")
        self.entry = answer(default, apply_to_code=False, guarded_code=entry)
        self.leave_alone = answer(strategy(skip, as_any), apply_to_code=False)
        # torch reads this attribute inside its lookup: were it a property, reading it would begin another lookup.
        self._torchdynamo_orig_backend = like.backend

    def __call__(self, frame: Any, *_rest: Any) -> Any:
        return self.entry if frame.f_code is self.made.owner else self.leave_alone

    def run(self) -> None:
        """Begin the frame; it is ended whatever torch decides to run in it."""
        with nobody_is_told(self.made.code):  # who counts or steps through generated code: it never runs
            begin_frame(self.made.owner, [self.made.code], self, self.like.region)
