"""A plugin of pytest for `dynamo_tests`: what each test came to, run under what was asked for of unjit, and its faults.

A fault is what unjit lost or could not do, and what it made that does not hold: a file of Python that does not compile,
a directory that reads back as something else or differs from itself, guards in Python that do not parse or that answer
otherwise than torch's. All that reads a capture is run on it and on a redacted copy. A test that passes without unjit
and not with it is told by who compares. Where calls are compared, each that is not as in eager is told among the
faults, Dynamo's own too: whose it is, is for a person to see.
"""

from __future__ import annotations

import contextlib
import json
import os
import sys
import tempfile
import traceback
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from functools import partial
from pathlib import Path
from types import CodeType
from typing import Any

import pytest
import torch._dynamo.test_case
from torch._dynamo.convert_frame import register_bytecode_hook

import unjit
from dynamo_tests import REPORT, UNDER
from unjit.comparison.runs.calls import CallComparer
from unjit.contents.describe import described
from unjit.decompiler import Verdict, decompile
from unjit.model import CallComparison, Unknown, to_plain
from unjit.model.words.wording import in_words
from unjit.torch_private.calling.compiled_calls import on_compiled_calls

sys.path.insert(0, str(Path(__file__).parent.parent / "tests" / "support"))
from agreement import Score, compare, frames

_outcomes: dict[str, str] = {}
_faults: list[str] = []
_seen: list[str] = []  # verdicts, folders with a compile, functions: that there was something to look at


@contextlib.contextmanager
def _captured() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder:
        with unjit.capture(Path(folder, "out"), fresh=False) as session:
            yield
        _faults.extend(session.losses)
        _look_at_files(Path(folder))
        if Path(folder, "out", "index.json").exists():
            _look_into(Path(folder), session)


@contextlib.contextmanager
def _debugged() -> Iterator[None]:
    with tempfile.TemporaryDirectory() as folder:
        with unjit.debug(directory=folder, quiet=True) as block:
            yield
        _faults.extend(block.problems)
        _look_at_files(Path(folder))


def _look_into(folder: Path, session: unjit.Session) -> None:
    """All that reads a capture, on what was captured and on a copy that is safe to share."""
    loaded, clean = unjit.load(folder / "out"), unjit.redact(folder / "out", folder / "clean")
    if loaded.data != session.data:
        _faults.append("the directory reads back as something else")
    _faults.extend(f"redacted: {loss}" for loss in clean.losses if not loaded.losses)
    for one in (loaded, clean):
        one.summary(), one.report().html, str(one)
        for node in one.contents().walk():
            described(node), json.dumps(node.data)
        if not unjit.diff(one, one).same:
            _faults.append(f"differs from itself: {unjit.diff(one, one)}")
    unjit.diff(loaded, clean).report()
    _look_for_reasons(to_plain(loaded.data))


def _look_for_reasons(value: Any) -> None:
    """What is unknown, by its reason."""
    if isinstance(value, dict):
        if "unknown" in value:
            _seen.append(f"unknown: {value['unknown']}")
        for part in value.values():
            _look_for_reasons(part)
    elif isinstance(value, list):
        for part in value:
            _look_for_reasons(part)


def _look_at_files(folder: Path) -> None:
    for path in folder.rglob("*.py"):
        _seen.append(path.name)
        compile(path.read_text(), str(path), "exec")


@contextlib.contextmanager
def _explained() -> Iterator[None]:
    with _before_forgetting(_explain):
        yield


@contextlib.contextmanager
def _captured_alive() -> Iterator[None]:
    with contextlib.ExitStack() as capture:
        capture.enter_context(_captured())
        with _before_forgetting(capture.close):
            yield


@contextlib.contextmanager
def _before_forgetting(step: Callable[[], None]) -> Iterator[None]:
    """Take the step at the end of each test, before it makes Dynamo forget everything."""
    case = torch._dynamo.test_case.TestCase
    original = case.tearDown

    def look_first(self: Any) -> None:
        _without_fault(step)
        original(self)

    case.tearDown = look_first
    try:
        yield
    finally:
        case.tearDown = original


def _explain() -> None:
    found = unjit.explain()
    _faults.extend(found.report.losses)
    str(found), found.to_json()
    for function in found.functions:
        _seen.append("function")
        for entry in function.entries:
            if not isinstance(entry.guards, Unknown):
                compile(entry.guards.source, "guards", "exec")


@contextlib.contextmanager
def _guards_asked() -> Iterator[None]:
    """Guards in Python beside torch's, on each frame that was compiled and on changes of it."""
    with frames() as noted, _before_forgetting(lambda: _ask(noted)):
        yield


def _ask(noted: list[tuple[Any, dict[str, Any]]]) -> None:
    for manager, frame in noted:
        score = Score()
        _without_fault(partial(compare, manager, frame, score, most=40))
        _seen.extend(["entry", *["pair"] * score.pairs, *["held"] * score.held, *["asked of torch"] * score.asked])
        _faults.extend(score.disagreements)


@contextlib.contextmanager
def _compared() -> Iterator[None]:
    """The calls of each test compared on the eager backend, as `unjit compare` does it."""
    end = on_compiled_calls(CallComparer(["eager"], 3, _note), lambda error: _faults.append(in_words(error)))
    assert not isinstance(end, Unknown)
    try:
        yield
    finally:
        end()


def _note(call: CallComparison) -> None:
    if isinstance(call.answer, Unknown):
        _seen.append(f"not compared: {call.answer.reason}")
    elif call.answer.unsteady:
        _seen.append("eager differs from itself")
    else:
        _seen.extend(trial.outcome for trial in call.answer.trials)
        _faults.extend(
            f"{call.function} {trial.outcome}: {trial.error or trial.differences}"
            for trial in call.answer.trials
            if trial.outcome != "same"
        )


def _replaced(original: CodeType, made: CodeType) -> CodeType:
    answer = decompile(made)
    _seen.append(str(answer.verdict))
    if answer.verdict is Verdict.OPAQUE:
        _faults.append(f"opaque: {original.co_filename}:{original.co_firstlineno} {original.co_name}: {answer.reason}")
        return made
    return answer.recompile()


_AROUND: dict[str, Callable[[], AbstractContextManager[None]]] = {
    "": contextlib.nullcontext,
    "replaced": contextlib.nullcontext,
    "capture": _captured,
    "capture-alive": _captured_alive,
    "debug": _debugged,
    "explain": _explained,
    "guards": _guards_asked,
    "compare": _compared,
}
if os.environ[UNDER] == "replaced":
    register_bytecode_hook(_replaced)


def _without_fault(step: Callable[[], object]) -> None:
    """Take a step of unjit's; what it raises is a fault and not the test's."""
    try:
        step()
    except Exception:
        _faults.append(traceback.format_exc())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    """Run the test within what was asked for; the faults get its name."""
    before, stack = len(_faults), contextlib.ExitStack()
    _without_fault(lambda: stack.enter_context(_AROUND[os.environ[UNDER]]()))
    try:
        return (yield)
    finally:
        _without_fault(stack.close)
        _faults[before:] = [f"{item.name}: {fault}" for fault in _faults[before:]]


def pytest_runtest_logreport(report: pytest.TestReport) -> None:
    """Keep what a test came to."""
    if report.when == "call" or report.outcome != "passed":
        _outcomes[report.nodeid] = report.outcome


def pytest_sessionfinish(exitstatus: int) -> None:
    """Write everything, if the tests came to their end."""
    if exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED):
        report = {"outcomes": _outcomes, "seen": _seen, "faults": _faults}
        Path(os.environ[REPORT]).write_text(json.dumps(report))
