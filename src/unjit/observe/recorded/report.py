"""The reader of a run: what was recorded while the program ran, joined with what is alive at its end."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from types import CodeType
from typing import Any

from unjit.bytecode import Definition, distinct
from unjit.model import (
    PYTHON_VERSION,
    Compile,
    CompileId,
    Entry,
    FilePath,
    Function,
    Maybe,
    Message,
    Name,
    Place,
    Report,
    Status,
    Term,
    Unknown,
    known_or,
)
from unjit.model.places import UNNAMED
from unjit.model.words.wording import in_words
from unjit.observe.faults import known, or_else
from unjit.observe.functions.names import identifier_of_name, unused
from unjit.observe.functions.sources import line_text
from unjit.observe.functions.stack_words import in_words_of_the_program
from unjit.observe.listening.recorded_compile import FrameNumber, RecordedCompile
from unjit.observe.listening.recorder import Recorder, why_silent
from unjit.observe.live import report as live
from unjit.observe.messages.full_paths import full_path, with_full_paths
from unjit.observe.recorded.compiles import hit_limit, outcome, read_compile, status_without_entries
from unjit.observe.recorded.dropped_entries import completed, dropped_entry
from unjit.observe.recorded.outline import outline
from unjit.observe.recorded.users_lines import with_users_lines
from unjit.observe.targets.resolving import Target
from unjit.torch_private.cache.ahead_of_time import look_for_all, originals_ahead
from unjit.torch_private.following import trace
from unjit.torch_private.probes.probe import torch_version

_GIVEN_UP = "Dynamo gave it up at its last compile. From then on the original runs, and its entries no longer run."
_GONE = Message("the function itself was gone at the end of the run")


@dataclass
class Frame:
    """All compiles of one code object: Dynamo gives each code object a number, anew after each reset."""

    compiles: dict[CompileId, RecordedCompile] = field(default_factory=dict)

    @property
    def code(self) -> CodeType | None:
        """The original code object, if it is alive."""
        return next((code for code in map(_original, self.compiles.values()) if code is not None), None)

    @property
    def definition(self) -> Definition | None:
        """Where the function is defined, if any compile got so far."""
        return next((found for one in self.compiles.values() if (found := one.definition) is not None), None)


def _original(recorded: RecordedCompile) -> CodeType | None:
    return None if recorded.original is None else recorded.original()


def read_run(recorder: Recorder) -> Report:
    """Every function that Dynamo compiled, or tried to, in the order of first compiles."""
    frames = _frames(recorder)
    losses = [Message(f"the recorder failed: {error}") for error in recorder.errors]
    silent = known("whether torch's trace was heard", why_silent, recorder)
    if silent is not None:
        losses.append(Message(f"compiles may be missing: {silent}"))
    ahead: list[CodeType] = or_else([], losses, "what aot_compile made", _made_ahead, recorder)
    codes = distinct([*(frame.code for frame in frames), *ahead])
    alive = _read_alive(codes, losses, whole=silent is not None)
    if alive is not None:
        alive = _numbered(alive, frames)
    joined = tuple(map(in_words_of_the_program, _with_full_paths(_with_the_rest(_joined(frames, alive)))))
    functions = or_else(joined, losses, "lines of the program", _with_users_lines, joined, recorder)
    return Report(
        reader="events",
        torch_version=Term(torch_version()),
        python_version=PYTHON_VERSION,
        roots=tuple(function.key for function in functions if function.resume is None),
        functions=functions,
        losses=tuple(dict.fromkeys([*(alive.report.losses if alive else ()), *losses])),
    )


def _made_ahead(recorder: Recorder) -> list[CodeType]:
    """The code of functions that were compiled ahead of time, where any were compiled or loaded."""
    if not (recorder.loaded_ahead or any(recorded.ahead for recorded in recorder.compiles)):
        return []
    look_for_all()
    return originals_ahead()


def _with_users_lines(functions: tuple[Function, ...], recorder: Recorder) -> tuple[Function, ...]:
    """Functions with the lines of the program that the records of sizes tell of."""
    last = len(recorder.runs) - 1
    sizes = {(last - one.run, str(one.compile_id)): one.sizes for one in recorder.compiles}
    file_of = functools.cache(trace.interned)

    def place_of(frame: Mapping[str, Any]) -> Place:
        file, line = file_of(frame.get("filename")) or UNNAMED, int(frame.get("line") or 0)
        return Place(FilePath(file), line, Name(str(frame.get("name"))), line_text(file, line))

    return with_users_lines(functions, lambda entry: sizes.get(entry, ()), place_of)


def _frames(recorder: Recorder) -> list[Frame]:
    frames: dict[FrameNumber, Frame] = {}
    for recorded in recorder.compiles:
        resets = len(recorder.runs) - 1 - recorded.run
        frame = frames.setdefault(recorded.frame, Frame())
        frame.compiles[replace(recorded.compile_id, resets=resets)] = recorded
    return list(frames.values())


def _read_alive(codes: list[CodeType], losses: list[Message], *, whole: bool) -> live.LiveReport | None:
    """The live state of these functions; with `whole`, of all that Dynamo looked at."""
    targets = [Target(code, None) for code in codes]
    try:
        seen = live.compiled_targets() if whole else []
        return live.read([*targets, *known_or(seen, [])])
    except Exception as error:  # what was recorded must be shown even if what is alive cannot be read
        losses.append(Message(f"live state could not be read: {in_words(error)}"))
        return None


def _numbered(alive: live.LiveReport, frames: list[Frame]) -> live.LiveReport:
    """What is alive, with the numbers of the compiles ahead of time, of which torch keeps none."""
    numbers = {
        id(manager): number
        for frame in frames
        for number, recorded in frame.compiles.items()
        if recorded.manager is not None and (manager := recorded.manager()) is not None
    }

    def numbered(function: Function, entry: Entry) -> Entry:
        number = numbers.get(id(alive.managers.get((function.key, entry.index))))
        return entry if number is None else replace(entry, compile_id=number)

    functions = tuple(
        replace(one, entries=tuple(numbered(one, entry) for entry in one.entries)) for one in alive.report.functions
    )
    return replace(alive, report=replace(alive.report, functions=functions)) if numbers else alive


def _joined(frames: list[Frame], alive: live.LiveReport | None) -> list[Function]:
    """Live functions with their recorded compiles, and functions that exist in the record only."""
    keys = {id(code): key for key, code in alive.functions.items()} if alive else {}
    by_key: dict[Name, list[Frame]] = {}
    for frame in frames:
        key = keys.get(id(frame.code)) if frame.code is not None else _key_by_definition(frame, frames, alive)
        by_key.setdefault(key or _unused(frame, {*keys.values(), *by_key}), []).append(frame)
    live_functions = {function.key: function for function in alive.report.functions} if alive else {}
    joined = [
        _with_record(live_functions[key], own) if key in live_functions else _from_record(key, own)
        for key, own in by_key.items()
    ]
    return [*joined, *(_unrecorded(function) for key, function in live_functions.items() if key not in by_key)]


def _with_the_rest(functions: list[Function]) -> list[Function]:
    """Functions with the resume functions that a reset has parted from them."""
    named = {key for function in functions for key in function.resume_functions}
    parted: dict[Name, list[Name]] = {}
    for function in functions:
        if function.resume is not None and function.key not in named:
            begun = [one for one in functions if _may_go_on_as(one, function)]
            if begun:
                parted.setdefault(max(begun, key=lambda one: known_or(one.place.line, 0)).key, []).append(function.key)
    return [
        replace(one, resume_functions=(*one.resume_functions, *parted[one.key])) if one.key in parted else one
        for one in functions
    ]


def _may_go_on_as(function: Function, rest: Function) -> bool:
    """By its name, of which torch may have told the last part alone, and by where it begins: the last one to do so."""
    if function.resume is not None or rest.resume is None or function.place.file != rest.place.file:
        return False
    same_name = function.qualname.rpartition(".")[2] == rest.resume.of.rpartition(".")[2]
    return same_name and known_or(function.place.line, 0) <= known_or(rest.place.line, 0)


def _with_full_paths(functions: list[Function]) -> list[Function]:
    files = {str(function.place.file) for function in functions}
    full = functools.cache(functools.partial(full_path, files=files))
    return [
        function
        if isinstance(function.compiles, Unknown)
        else replace(function, compiles=tuple(with_full_paths(one, full) for one in function.compiles))
        for function in functions
    ]


def _unrecorded(function: Function) -> Function:
    """A live function of whose compiles there is no record, such as a resume function that no call reached."""
    if function.entries or function.status.state != "never ran":
        return function
    return replace(function, compiles=(), status=Status("never ran", Message("No call reached it."), None))


def _key_by_definition(frame: Frame, frames: list[Frame], alive: live.LiveReport | None) -> Name | None:
    """The live function that a compile without code was of: the one that is defined there, or that tells of it."""
    claimed = {id(other.code) for other in frames if other.code is not None and _same_run(frame, other)}
    found = [
        key
        for key, code in (alive.functions.items() if alive else ())
        if Definition.of(code) == frame.definition and id(code) not in claimed
    ]
    if alive is not None and len(found) > 1:
        found = [key for key in found if _tells_of(alive.report.function(key), frame)]
    return found[0] if len(found) == 1 else None


def _tells_of(function: Function, frame: Frame) -> bool:
    """Whether torch, which remembers the last compiles, says that this frame was this function."""
    return any(compile_.compile_id in frame.compiles for compile_ in known_or(function.compiles, ()))


def _same_run(one: Frame, other: Frame) -> bool:
    return next(iter(one.compiles)).resets == next(iter(other.compiles)).resets


def _unused(frame: Frame, taken: set[Name]) -> Name:
    """A key for a function that is not alive: an identifier made of its name."""
    definition = frame.definition
    name = f"frame_{next(iter(frame.compiles)).frame}" if definition is None else definition.name
    return unused(identifier_of_name(name), taken)


def _with_record(function: Function, frames: list[Frame]) -> Function:
    """A live function, with what was recorded of its compiles and with the entries that it has lost."""
    recorded = {key: value for frame in frames for key, value in frame.compiles.items()}
    own = {entry.compile_id: entry for entry in function.entries}
    entries = [_completed(entry, recorded) for entry in function.entries]
    entries += _dropped(recorded, set(own), len(entries))
    return replace(
        function,
        status=_status(function, list(recorded.values())),
        entries=tuple(entries),
        compiles=_alike(tuple(read_compile(one, key, _backend(one, own.get(key))) for key, one in recorded.items())),
    )


def _alike(compiles: tuple[Compile, ...]) -> tuple[Compile, ...]:
    """One that was refused before it began tells nothing of its code, which wraps nothing where others say so."""
    if not any(one.wraps == () for one in compiles):
        return compiles
    return tuple(replace(one, wraps=()) if isinstance(one.wraps, Unknown) else one for one in compiles)


def _backend(compile_: RecordedCompile, entry: Entry | None) -> Maybe[Term]:
    """The backend of a compile, of which its entry alone tells."""
    if entry is not None:
        return entry.backend
    made_one = outcome(compile_) == "compiled"
    return Unknown(Message("the entry is gone" if made_one else "it made no entry, which alone would tell"))


def _completed(entry: Entry, recorded: dict[CompileId, RecordedCompile]) -> Entry:
    number = entry.compile_id
    if isinstance(number, Unknown) or number not in recorded:
        return entry
    return completed(entry, recorded[number], number)


def _status(function: Function, compiles: list[RecordedCompile]) -> Status:
    """What Dynamo does with a function; the record knows of a limit that was hit, whatever the limit is now."""
    limited = bool(compiles) and hit_limit(compiles[-1])
    if not function.entries or limited:
        return status_without_entries(compiles)
    if not isinstance(function.status.state, Unknown) or not compiles:
        return function.status
    # What is alive may not tell whether an error was one of a call with fullgraph=True, which gives nothing up.
    if outcome(compiles[-1]) == "skipped":
        return Status("skipped", Message(_GIVEN_UP), function.status.advice)
    return Status("compiled", None, None) if outcome(compiles[-1]) == "failed" else function.status


def _dropped(recorded: dict[CompileId, RecordedCompile], alive: set[object], first: int) -> Iterator[Entry]:
    """Entries that were compiled and are gone, numbered after those that are alive."""
    for key, value in recorded.items():
        entry = None if key in alive else dropped_entry(value, key, first)
        if entry is not None:
            first += 1
            yield entry


def _from_record(key: Name, frames: list[Frame]) -> Function:
    """A function that is not alive, or of which no compile got far enough to tell which code it was."""
    recorded = {number: value for frame in frames for number, value in frame.compiles.items()}
    definition = next((found for frame in frames if (found := frame.definition) is not None), None)
    return replace(
        outline(key, definition, Unknown(_GONE)),
        status=status_without_entries(list(recorded.values())),
        entries=tuple(_dropped(recorded, set(), 0)),
        compiles=tuple(read_compile(value, number, Unknown(_GONE)) for number, value in recorded.items()),
    )
