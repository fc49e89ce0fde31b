"""One compile while it happens: its texts go to files as they come, its facts are kept for the end."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Final

from unjit.artifacts.decompositions import decompositions_text
from unjit.capturing.collecting.naming import Namer, kind_of, named_after
from unjit.capturing.collecting.program import NodeOrigins, Program
from unjit.capturing.reading import replays
from unjit.capturing.reading.cache_records import is_look_up, read_cache_record
from unjit.capturing.reading.kept import read_kept
from unjit.capturing.reading.kernels import read_kernels
from unjit.capturing.reading.phases import Timeline
from unjit.capturing.reading.shapes import INPUT_KINDS
from unjit.directory.files import Files
from unjit.directory.stable import Stabiliser
from unjit.model import (
    CACHED,
    IN_FILE,
    Artifact,
    CacheLookup,
    CheckTimes,
    Generated,
    Host,
    KeptForBackward,
    Kernel,
    Maybe,
    Message,
    Name,
    StackFrame,
    Term,
    Unknown,
)
from unjit.observe.listening.recorded_compile import RecordedCompile
from unjit.observe.listening.size_records import SIZE_RECORDS
from unjit.torch_private.compiled_graphs.graphs import as_program, as_runnable
from unjit.torch_private.following.records import AOT_GRAPHS, GRAPHS, NAMES, WHOLE_AOT_GRAPHS

METRICS: Final = {"compilation_metrics": "forward", "bwd_compilation_metrics": "backward"}
CONFIGURATIONS: Final = ("dynamo_config", "functorch_config", "inductor_config")  # in the metrics, as JSON
_CACHES: Final = {"fx_graph_cache": "FX graph", "aotautograd_cache": "AOTAutograd"}
_LINES: Final = {"fusion": "ir_post_fusion", "schedule": "inductor_output_code"}  # and what comes next
_NO_GUARDS: Final = Unknown(Message("torch told of no guards"))
_PROGRAMS: Final = ("inductor_output_code", "fx_graph_runnable")  # they import what they need
_FACTS: Final = {*SIZE_RECORDS, *INPUT_KINDS}


@dataclass
class Building:
    """A compile under construction."""

    function: Name
    number: int
    order: int  # among all compiles, as they began
    path: str  # of its folder
    recorded: RecordedCompile
    thread: Maybe[Host]
    files: Files
    stable: Stabiliser
    timeline: Timeline
    program: Program
    stack: tuple[StackFrame, ...] = ()  # the calls that led here; empty where they are not known
    attempt: int = 0
    namer: Namer = field(default_factory=Namer)
    artifacts: list[Artifact] = field(default_factory=list)
    facts: list[tuple[str, Mapping[str, Any]]] = field(default_factory=list)
    caches: list[CacheLookup] = field(default_factory=list)
    metrics: dict[str, Mapping[str, Any]] = field(default_factory=dict)
    check_times: Maybe[CheckTimes] = _NO_GUARDS
    replaying: bool = False  # Inductor's records come from its cache
    logged: dict[str, list[str]] = field(default_factory=dict)  # lines of Inductor's logs that belong together
    _kept: tuple[int, tuple[KeptForBackward, ...]] | None = None  # with the number of artifacts that there were
    _kernels: tuple[list[Artifact], tuple[Kernel, ...]] | None = None  # with the artifacts that they were read from

    def take(self, metadata: Mapping[str, Any], payload: str) -> None:
        """One record of torch's trace that belongs to this compile."""
        kind = kind_of(metadata)
        self._begin_attempt(metadata.get("attempt", 0))
        if kind in _FACTS:
            self.facts.append((kind, metadata[kind]))
        elif kind == "chromium_event":
            self.timeline.take(payload)
        elif kind in METRICS:
            self.metrics[METRICS[kind]] = {
                name: value for name, value in metadata[kind].items() if name not in CONFIGURATIONS
            }
        elif kind in _LINES:
            self.logged.setdefault(kind, []).append(payload)
        elif payload:
            self._flush_lines(kind)
            self.replaying = self.replaying or replays.is_replay(metadata)
            self.add(kind, payload)
            self._note_cache(kind)

    def add(self, kind: str, text: str) -> Artifact:
        """One text, into its file."""
        name, suffix = self._name(named_after(kind, text))
        of = self.program.origins(text) if kind in GRAPHS else NodeOrigins()
        apart = of.decompositions if kind in AOT_GRAPHS else None
        artifact = self._keep(kind, name, suffix, text, replace(of, decompositions=apart))
        if kind in WHOLE_AOT_GRAPHS and isinstance(apart, tuple) and apart:
            beside = decompositions_text(f"{name}{suffix}", text, apart)
            self._keep(f"{kind}_decompositions", f"{name}_decompositions", ".txt", beside, NodeOrigins())
        return artifact

    def _name(self, kind: str) -> tuple[Term, Term]:
        of_inductor = NAMES.get(kind, ("", ""))[0].startswith("*")
        found = self.namer.name(kind, self.program.inductor_graph() if of_inductor else None)
        loss = f"{self.path}: which backward graph Inductor compiled is taken from their order: the last piece's first"
        if self.namer.guessed and loss not in self.files.losses:
            self.files.losses.append(loss)
        return found

    def _keep(self, kind: str, name: str, suffix: str, text: str, of: NodeOrigins) -> Artifact:
        path = Term(self.file(f"{name}{suffix}"))
        about = (of.modules, of.calls, of.decompositions)
        artifact = Artifact(Term(name), Term(suffix), Term(kind), self.attempt, path, IN_FILE, *about)
        self.artifacts.append(artifact)
        self.files.write(artifact.path, self._as_file(artifact, text))
        return artifact

    def _flush_lines(self, kind: str) -> None:
        """Lines of a log are a text when the step that they tell of is over."""
        for logged in _LINES:
            if kind == _LINES[logged] and logged in self.logged:
                self.add(logged, "\n".join(self.logged.pop(logged)))

    @property
    def kernels(self) -> tuple[Kernel, ...]:
        """The kernels in Inductor's code: asked for when the compile ends, and at the end of the capture."""
        if self._kernels is None or self._kernels[0] != self.artifacts:
            self._kernels = list(self.artifacts), read_kernels(self.artifacts, self.files.read)
        return self._kernels[1]

    @property
    def kept(self) -> tuple[KeptForBackward, ...]:
        """What forward graphs keep for their backward; asked for as often as the kernels."""
        if self._kept is None or self._kept[0] != len(self.artifacts):
            found = tuple(read_kept(self.artifacts, self.facts, self.files.read))
            self._kept = len(self.artifacts), found
        return self._kept[1]

    def file(self, name: str) -> str:
        """The path of a file in the folder of this compile."""
        return f"{self.path}/{name}"

    def _as_file(self, artifact: Artifact, text: str) -> str:
        if artifact.origin == "inductor_output_code" and self.replaying:
            text = replays.without_comments(text)
        if is_look_up(artifact.origin):
            text = read_cache_record(text)
        text = self._steady(artifact.origin, text)
        if artifact.suffix == ".py" and artifact.origin not in _PROGRAMS:
            text = as_program(text)
        return text if text.endswith("\n") else f"{text}\n"

    def _steady(self, kind: str, text: str) -> str:
        if kind == "fx_graph_runnable":
            return self.stable.program(as_runnable(text))
        if kind == "recompile_reasons":
            return self.stable.value(text)
        return self.stable.guards(text) if kind == "dynamo_cpp_guards_str" else self.stable.text(text)

    def _begin_attempt(self, attempt: int) -> None:
        """When Dynamo begins anew, what it had made goes into a folder of its own, out of the way."""
        if attempt <= self.attempt:
            return
        folder = f"attempt_{self.attempt}"
        for at, artifact in enumerate(self.artifacts):
            if artifact.attempt == self.attempt:
                path = Term(self.file(f"{folder}/{artifact.name}{artifact.suffix}"))
                self.files.rename(artifact.path, path)
                self.artifacts[at] = replace(artifact, path=path)
        self.attempt, self.namer = attempt, Namer()
        self.facts.clear()

    def _note_cache(self, kind: str) -> None:
        cache, _, result = kind.rpartition("_")
        if cache not in _CACHES or result not in ("hit", "miss", "bypass"):
            return
        self.replaying = False
        half = None if cache == "aotautograd_cache" else Term(self.artifacts[-1].name.rpartition("_cache")[0])
        self.caches.append(CacheLookup(Term(_CACHES[cache]), half, result))  # type: ignore[arg-type]  # checked above
        if result == "hit":
            self._leave_out_replays(kind)

    def _leave_out_replays(self, hit: str) -> None:
        current = [at for at, one in enumerate(self.artifacts) if one.attempt == self.attempt]
        for at in reversed(replays.replayed(hit, [str(self.artifacts[index].origin) for index in current])):
            artifact = self.artifacts[current[at]]
            left_out = replace(artifact, text=Unknown(Message(replays.REASON)))
            kept = tuple(self._set_apart(artifact)) if self.program.keeps_cached else ()
            self.files.remove(artifact.path)
            self.artifacts[current[at] : current[at] + 1] = [left_out, *kept]

    def _set_apart(self, artifact: Artifact) -> Iterator[Artifact]:
        """What a cache brought back in place of a text, in a file whose name says so."""
        text = replays.set_apart(str(artifact.origin), self.files.read(artifact.path) or "")
        if text is not None:
            name = Term(f"{CACHED}{artifact.name}")
            path = Term(self.file(f"{name}{artifact.suffix}"))
            self.files.write(path, text)
            yield replace(artifact, name=name, path=path, modules=None, calls=None, decompositions=None)


def metrics_text(metrics: Mapping[str, Mapping[str, Any]]) -> Generated:
    """torch's metrics of a compile as JSON."""
    return Generated(json.dumps(metrics, default=str, sort_keys=True))
