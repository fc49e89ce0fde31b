"""Records what Dynamo does while a program runs, for the explanation at the end.

One handler on torch's structured trace and one hook on generated code. Both are called in the middle of the user's
compiles, so they only store, they hold nothing of the user's alive, and whatever goes wrong in them stays in them.
"""

from __future__ import annotations

import contextlib
import json
import logging
import threading
import time
import weakref
from collections.abc import Callable, Mapping
from types import CodeType
from typing import Any, Protocol

from unjit.collection import collection_paused
from unjit.model import CompileId, Maybe, Message, Name, Unknown
from unjit.model.words.wording import in_words
from unjit.observe.functions.wrappers import may_wrap, wrapped
from unjit.observe.listening.ahead_of_time import code_being_captured
from unjit.observe.listening.copied_code import may_be_copied
from unjit.observe.listening.recorded_compile import (
    AHEAD_OF_TIME,
    KEPT_METRICS,
    RecordedCompile,
    compile_id_in,
)
from unjit.observe.listening.size_records import SIZE_RECORDS, size_record
from unjit.observe.targets.behind_wrapper import NamesBehind, names_by_closure
from unjit.torch_private.cache import history
from unjit.torch_private.cache.ahead_of_time import frame_ahead, is_loading, made_ahead
from unjit.torch_private.cache.comprehensions import named_comprehensions
from unjit.torch_private.following import trace
from unjit.torch_private.following.being_compiled import (
    closure_being_compiled,
    code_being_compiled,
    code_being_loaded,
)
from unjit.torch_private.following.bytecode_texts import LISTINGS
from unjit.torch_private.following.metadata_texts import METADATA
from unjit.torch_private.following.unseen_handler import UnseenHandler
from unjit.torch_private.guard_trees.guard_origins import note_origins
from unjit.torch_private.guard_trees.rebuilt_guards import is_rebuilding

_MOST_ERRORS = 20  # of our own: the first ones say it all


class Record(Protocol):
    """One record of torch's trace: what kind it is and which compile it belongs to, and its text."""

    @property
    def metadata(self) -> Mapping[str, Any]: ...

    @property
    def payload(self) -> str | None: ...


class Listener(Protocol):
    """What keeps more of compiles than a recorder does, such as a capture. Called under its lock; may raise."""

    def take(self, recorded: RecordedCompile | None, metadata: Mapping[str, Any], payload: str) -> None:
        """One record of torch's trace; `recorded` is None if it belongs to no compile."""

    def generated(self, recorded: RecordedCompile, original: CodeType, generated: CodeType) -> None:
        """What Dynamo made of a function."""


class Recorder(UnseenHandler):
    """A handler of torch's trace that keeps what explains a compile.

    `runs` has one mapping for the start of the process and one more for each torch._dynamo.reset(), after which
    torch counts compiles from 0/0 again.
    """

    def __init__(
        self,
        after_compile: Callable[[], None] | None = None,
        listener: Listener | None = None,
        *,
        live: bool = True,
    ) -> None:
        super().__init__(logging.DEBUG)
        self._live = live  # the records are made by this process, as they come
        self.after_compile = after_compile
        self.listener = listener
        self.runs: list[dict[CompileId, RecordedCompile]] = [{}]
        self._latest: dict[tuple[int | None, int], int] = {}  # the last compile of each frame since the last reset
        self._ahead: dict[int, RecordedCompile] = {}  # what each thread compiles ahead of time
        self._captured: dict[int, RecordedCompile] = {}  # what torch.export or aot_compile captured last in each thread
        self.loaded_ahead = False  # whether something was loaded that aot_compile had made
        self.errors: list[str] = []
        self.unhook: Callable[[], None] | None = None
        self._print_again: list[Callable[[], None]] = []  # ends what keeps torch's texts from calling the program
        self.stopped = False
        self.silence: Message | None = None  # why it may have missed compiles, as it was when it stopped
        self._kinds: dict[str, Callable[[Mapping[str, Any], str], None]] = {
            "chromium_event": self._on_event,
            "dynamo_start": self._on_start,
            "artifact": self._on_artifact,
            "dynamo_output_graph": self._on_graph,
            "dynamo_cpp_guards_str": self._on_guards,
            "compilation_metrics": self._on_metrics,
            "bwd_compilation_metrics": self._on_backward,
            **dict.fromkeys(SIZE_RECORDS, self._on_size),
        }

    @property
    def compiles(self) -> list[RecordedCompile]:
        """All compiles, oldest first."""
        return [recorded for run in self.runs for recorded in run.values()]

    def emit(self, record: logging.LogRecord) -> None:
        """Take one record of torch's. Never raises: an exception would come out of the user's call."""
        if not (self._print_again or self.stopped):
            self._print_again += [METADATA.begin(), LISTINGS.begin()]
        if not is_rebuilding():  # guards that torch makes for us are of no compile
            self.take(record)  # type: ignore[arg-type]  # torch's records have both

    def take(self, record: Record) -> None:
        """Take one record of torch's; raises what goes wrong. For records that no logger made, as those of a log."""
        try:
            metadata, payload = record.metadata, record.payload or ""
            if AHEAD_OF_TIME in metadata:
                self._take_ahead(metadata, payload)
            take = self._kinds.get(next(iter(metadata)))
            if take is not None:
                take(metadata, payload)
            if self.listener is not None:
                self.listener.take(self._owner(metadata), metadata, payload)
        except Exception as error:
            self.note(error)

    def note(self, error: Exception) -> None:
        """Remember an error of our own, for the explanation."""
        self.lose(in_words(error))

    def lose(self, what: str) -> None:
        """Remember what could not be recorded."""
        if what not in self.errors and len(self.errors) < _MOST_ERRORS:
            self.errors.append(what)

    def on_generated_code(self, original: CodeType, generated: CodeType) -> None:
        """Take what a compile made of a function. Never raises, and never replaces the code."""
        try:
            self._keep_code(self._compile(trace.current_compile()), original, generated)
        except Exception as error:
            self.note(error)

    def _keep_code(self, recorded: RecordedCompile, original: CodeType, generated: CodeType) -> None:
        recorded.original = weakref.ref(original)
        recorded.generated = weakref.ref(generated)
        recorded.takes_out = any(named_comprehensions(generated))
        recorded.copy = generated.replace() if may_be_copied(generated) else None
        if self.listener is not None:
            with self.lock:  # type: ignore[union-attr]  # logging makes it, and anew in a forked child
                self.listener.generated(recorded, original, generated)

    def on_log(self, kind: str, text: str) -> None:
        """Take a text that torch writes to a log, as a record of the running compile if there is one. Never raises."""
        try:
            if self.listener is not None:
                with self.lock:  # type: ignore[union-attr]
                    running = trace.current_compile()  # none where a program has Inductor compile without Dynamo
                    owner = self._compiled_ahead() if running is None else self._compile(running)
                    self.listener.take(owner, {kind: {}}, text)
        except Exception as error:
            self.note(error)

    def begin_anew(self, listener: Listener | None) -> None:
        """Forget what was recorded: in a forked child, where it was the parent's."""
        self.runs, self._latest, self._ahead, self.errors, self.listener = [{}], {}, {}, [], listener
        self._captured = {}

    def stop(self) -> None:
        """Stop recording; what was recorded stays. Not `close`, which logging calls whenever it is configured anew."""
        with contextlib.ExitStack() as steps:  # the later ones are taken also if an earlier one fails
            for undo in (self.unhook, *self._print_again):
                if undo is not None:
                    steps.callback(undo)
            steps.callback(trace.stop_listening, self)
            if not self.stopped:
                self.stopped, self.silence = True, trace.why_silent(self)

    def _compile(self, compile_id: Maybe[CompileId] | None) -> RecordedCompile:
        assert isinstance(compile_id, CompileId), compile_id
        known = self.runs[-1].get(compile_id)
        if known is None:  # made once, and not for each record; another thread may be as far
            known = self.runs[-1].setdefault(compile_id, RecordedCompile(compile_id, len(self.runs) - 1))
        return known

    def _owner(self, metadata: Mapping[str, Any]) -> RecordedCompile | None:
        """The compile that a record belongs to; None if it belongs to none."""
        return self._compile(compile_id_in(metadata)) if "frame_id" in metadata else self._compiled_ahead()

    def _compiled_ahead(self) -> RecordedCompile | None:
        """What aot_compile compiles in this thread: of what it does after the capture no record tells the number."""
        thread = threading.get_ident()
        if thread in self._ahead and frame_ahead() is None:
            del self._ahead[thread]
        return self._ahead.get(thread)

    def _on_start(self, metadata: Mapping[str, Any], _payload: str) -> None:
        if self._live and self.unhook is None:
            hooked = trace.on_generated_code(self.on_generated_code)
            if isinstance(hooked, Unknown):
                self.lose(f"generated code was not seen: {hooked.reason}")
            else:
                self.unhook = hooked
        recorded = self._begin(metadata)
        recorded.started = True
        if self._live:
            code = code_being_compiled()
            if isinstance(code, CodeType):  # known from here on, also where nothing comes to be generated
                recorded.original = weakref.ref(code)
            recorded.wraps, recorded.names = _wrapped_in(code)

    def _begin(self, metadata: Mapping[str, Any]) -> RecordedCompile:
        """The compile that this record opens.

        A number that is taken already means that torch counts anew. So does one below another of its frame, for who
        began to record in the midst of a life of Dynamo has not seen its first ones; a log has them all.
        """
        compile_id = compile_id_in(metadata)
        taken = self.runs[-1].get(compile_id)
        frame = (compile_id.autograd, compile_id.frame)
        below = self._live and compile_id.compile < self._latest.get(frame, 0)
        again = below or (taken is not None and (taken.started or taken.captured))
        if again and metadata.get("attempt", 0) == 0:
            self.runs.append({})
            self._latest = {}
        self._latest[frame] = compile_id.compile
        return self._compile(compile_id)

    def _on_event(self, metadata: Mapping[str, Any], payload: str) -> None:
        """Take the first record of a compile: what comes before `dynamo_start` would else go to an older one."""
        if "frame_id" not in metadata or '"ph": "B"' not in payload:
            return
        if '"name": "precompile_load_guards"' in payload:
            self._compile(compile_id_in(metadata)).loaded = True
        elif self._live and '"name": "dynamo"' in payload:
            self._begin(metadata)
        elif self._live and '"name": "entire_frame_compile"' in payload:
            self._begin_loading(metadata, code_being_loaded())
        elif '"name": "compile_attempt_0"' in payload:
            self._begin_capturing(metadata, payload)

    def _begin_loading(self, metadata: Mapping[str, Any], code: CodeType | None) -> None:
        """Take the first record of what torch loads: as no code is generated, this one must tell the function."""
        if code is not None:
            recorded = self._begin(metadata)
            recorded.loaded, recorded.original = True, weakref.ref(code)

    def _begin_capturing(self, metadata: Mapping[str, Any], payload: str) -> None:
        """Take what is the first record of a capture by torch.export or aot_compile, and a later one of a compile."""
        known = self.runs[-1].get(compile_id_in(metadata))
        if known is not None and known.started and known.metrics is None:
            return  # it is of a compile
        code = code_being_captured() if self._live else None
        if code is None and self._live:
            return
        recorded = self._begin(metadata)
        recorded.captured = True
        recorded.original = None if code is None else weakref.ref(code)
        recorded.began = time.perf_counter() if self._live else _time_of(payload)
        if self._live:
            self._captured[threading.get_ident()], recorded.wraps = recorded, ()
        if self._live and frame_ahead() is not None:
            recorded.ahead = True
            self._ahead[threading.get_ident()] = recorded

    def _take_ahead(self, metadata: Mapping[str, Any], payload: str) -> None:
        """What a record of a log tells of a compile by aot_compile. The phase around all of it is the last."""
        recorded = self._compile(compile_id_in(metadata))
        recorded.ahead = True
        recorded.guarded = recorded.guarded or "dynamo_cpp_guards_str" in metadata
        if '"name": "fullgraph_capture"' in payload:
            recorded.took = _time_of(payload) - recorded.began

    def _on_artifact(self, metadata: Mapping[str, Any], payload: str) -> None:
        name = metadata["artifact"]["name"]
        if name == "dynamo_graph_break_reason":
            self._compile(compile_id_in(metadata)).breaks.append(payload)
        elif name == "recompile_reasons":
            self._begin(metadata).recompile = payload
        elif name == "dynamo_error":
            self._compile(compile_id_in(metadata)).error = payload

    def _on_graph(self, metadata: Mapping[str, Any], payload: str) -> None:
        if self._live:  # for entries that are gone at the end; the listener has them in its files
            self._compile(compile_id_in(metadata)).graphs.append((metadata.get("attempt", 0), payload))

    def _on_guards(self, _metadata: Mapping[str, Any], _payload: str) -> None:
        if not self._live:
            return
        with collection_paused():
            found = note_origins()
        if isinstance(found, Unknown):
            self.lose(f"the calls that led to guards were not read: {found.reason}")
        recorded = self._compiled_ahead()
        if recorded is not None:
            self._note_ahead(recorded)
        else:
            self.loaded_ahead = self.loaded_ahead or is_loading()

    def _note_ahead(self, recorded: RecordedCompile) -> None:
        """What is compiled ahead of time, when its guards are ready: nobody is told of its code."""
        made = made_ahead()
        if isinstance(made, Unknown):
            self.lose(f"what aot_compile made was not read: {made.reason}")
            return
        recorded.manager, recorded.guarded = weakref.ref(made.manager), True
        recorded.took = time.perf_counter() - recorded.began
        self._keep_code(recorded, made.original, made.generated)

    def _on_metrics(self, metadata: Mapping[str, Any], _payload: str) -> None:
        metrics = metadata["compilation_metrics"]
        recorded = None if metrics.get("is_forward", True) is False else self._measured(metadata)
        if recorded is None:
            return
        if recorded.captured and not recorded.started:
            _end_capturing(recorded, metrics)
            return
        kept = {name: metrics.get(name) for name in KEPT_METRICS}
        if history.was_interrupted(metrics):
            kept.update(fail_type=history.INTERRUPTED, fail_reason=history.HOW_INTERRUPTED)
        recorded.metrics = kept
        recorded.skips += filter(None, [metrics.get(history.SKIP_REASON)])
        if self.after_compile is not None:
            self.after_compile()

    def _measured(self, metadata: Mapping[str, Any]) -> RecordedCompile | None:
        """What a record of metrics is of; a capture by torch.export or aot_compile has no number in it."""
        if "frame_id" in metadata:
            return self._compile(compile_id_in(metadata))
        return self._captured.pop(threading.get_ident(), None)

    def _on_size(self, metadata: Mapping[str, Any], _payload: str) -> None:
        if self._live and self.listener is None and "frame_id" in metadata:  # a listener has its own
            kind = next(iter(metadata))
            self._compile(compile_id_in(metadata)).sizes.append(size_record(kind, metadata[kind]))

    def _on_backward(self, metadata: Mapping[str, Any], _payload: str) -> None:
        if "frame_id" in metadata:
            metrics, recorded = metadata["bwd_compilation_metrics"], self._compile(compile_id_in(metadata))
            recorded.backward += (metrics.get("duration_us") or 0) / 1e6
            recorded.skips += filter(None, [metrics.get(history.SKIP_REASON)])


def _end_capturing(captured: RecordedCompile, metrics: Mapping[str, Any]) -> None:
    """Take what ended a capture by torch.export or aot_compile: nothing else is told of it than whether it failed."""
    if captured.metrics is not None or captured.guarded:
        return
    if metrics.get("fail_type") is None:
        captured.exported = not captured.ahead
    else:
        captured.metrics = {name: metrics.get(name) for name in KEPT_METRICS}
        captured.error = metrics.get("fail_reason")


def _time_of(payload: str) -> float:
    """When an event was, in seconds since 1970."""
    return float(json.loads(payload)["ts"]) / 1e6


def _wrapped_in(code: Maybe[CodeType] | None) -> tuple[Maybe[tuple[Name, ...]], NamesBehind | None]:
    """What the code that is being compiled wraps, and the names of its arguments where torch's own wrapper has them."""
    if isinstance(code, CodeType) and not may_wrap(code):
        return (), None
    closure = closure_being_compiled()
    if isinstance(closure, Unknown):
        return closure, None
    return wrapped(closure), names_by_closure(code, closure) if isinstance(code, CodeType) else None


def start(after_compile: Callable[[], None] | None = None, listener: Listener | None = None) -> Recorder:
    """Record from here on, and call `after_compile` after each. torch need not be imported, and is not by this."""
    recorder = Recorder(after_compile, listener)
    try:
        trace.listen(recorder)
    except BaseException:
        recorder.stop()
        raise
    return recorder


def why_silent(recorder: Recorder) -> Message | None:
    """Why the recorder may have missed compiles."""
    return recorder.silence if recorder.stopped else trace.why_silent(recorder)
