"""One compile as it was recorded: what is kept of it until somebody asks."""

from __future__ import annotations

import weakref
from collections.abc import Mapping
from dataclasses import dataclass, field
from types import CodeType
from typing import Any, Final

from unjit.bytecode import Definition
from unjit.model import CompileId, Maybe, Message, Name, Unknown
from unjit.observe.listening.size_records import SizeRecord
from unjit.observe.targets.behind_wrapper import NamesBehind

KEPT_METRICS = (  # of all that torch measures of a compile
    "co_name",
    "co_filename",
    "co_firstlineno",
    "fail_type",
    "fail_reason",
    "has_guarded_code",
    "guard_count",
    "restart_reasons",
    "entire_frame_compile_time_s",
    "graph_op_count",
)
NUMBERS: Final = ("frame_id", "frame_compile_id", "compiled_autograd_id")  # by which a record names its compile
AHEAD_OF_TIME: Final = "ahead_of_time"  # a record of a log has under it the calls that led to aot_compile, it the last
FrameNumber = tuple[int, "int | None", int]  # of a code object: the resets before it, and Dynamo's own numbers
CompileKey = tuple[int, CompileId]  # how many resets came before a compile, and its number since the last of them
_NOT_LOGGED = Unknown(Message("a log does not tell"))


@dataclass
class RecordedCompile:
    """One compile as its records tell it, unread: payloads are torch's own texts."""

    compile_id: CompileId
    run: int = 0  # how many resets came before it
    started: bool = False
    loaded: bool = False  # torch loaded what was compiled before: no record says that this ended
    captured: bool = False  # by torch.export or aot_compile: no record says that it begins or ends, nor of what it is
    exported: bool = False  # the capture, by torch.export, ended without an error
    ahead: bool = False  # by aot_compile, which hands out an entry of its own where no cache has one
    guarded: bool = False  # ahead of time, and it came to its guards
    began: float = 0.0  # seconds by some clock, where torch measures nothing: ahead of time
    took: float | None = None  # seconds from then until its guards were made
    manager: weakref.ref[Any] | None = None  # torch's guards of what was compiled ahead of time, by which it is known
    breaks: list[str] = field(default_factory=list)
    recompile: str | None = None
    error: str | None = None  # torch's text of what ended it
    skips: list[str] = field(default_factory=list)  # why graphs run without CUDA graphs, in torch's words
    metrics: Mapping[str, Any] | None = None  # None while the compile runs
    backward: float = 0.0  # seconds: a backward graph is compiled when it first runs, later than the rest
    graphs: list[tuple[int, str]] = field(default_factory=list)  # the attempt that made each, and its text
    sizes: list[SizeRecord] = field(default_factory=list)
    wraps: Maybe[tuple[Name, ...]] = _NOT_LOGGED  # the functions that the code of a decorator's wrapper was made for
    names: NamesBehind | None = None  # of the arguments, where torch's own wrapper around a module is compiled
    original: weakref.ref[CodeType] | None = None
    generated: weakref.ref[CodeType] | None = None
    takes_out: bool = False  # a comprehension with the break in it, which its code calls: Dynamo goes on after that
    copy: CodeType | None = None  # of the generated code: Dynamo cleans up after the code itself as if nobody watched

    @property
    def key(self) -> CompileKey:
        """What tells it from all other compiles of the process."""
        return self.run, self.compile_id

    @property
    def frame(self) -> FrameNumber:
        """What tells its function from all others: the number that Dynamo gives it, and the resets before that."""
        return self.run, self.compile_id.autograd, self.compile_id.frame

    @property
    def is_backward_alone(self) -> bool:
        """Whether only its backward was recorded: the rest was compiled before anybody listened."""
        return self.backward > 0 and not self.started

    @property
    def seconds(self) -> float | None:
        """How long it took, with its backward graphs; None if torch did not measure it."""
        whole = self.took if self.metrics is None else self.metrics.get("entire_frame_compile_time_s")
        return None if whole is None else round(whole + self.backward, 6)

    @property
    def definition(self) -> Definition | None:
        """Where the function is defined; None if the compile did not get so far."""
        metrics = self.metrics or {}
        if metrics.get("co_name") is None:
            return None
        return Definition(str(metrics["co_filename"]), int(metrics["co_firstlineno"]), str(metrics["co_name"]))


def compile_id_in(metadata: Mapping[str, Any]) -> CompileId:
    """The compile that a record belongs to; KeyError if it belongs to none."""
    return CompileId(metadata["frame_id"], metadata["frame_compile_id"], metadata.get("compiled_autograd_id"))
