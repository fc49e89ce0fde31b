"""`runs.txt`: which compiled code ran, run by run, as it is right at any moment."""

from __future__ import annotations

import os
import threading

import pytest
import torch

from needs import needs
from unjit.capturing.job.runs import RunLog
from unjit.directory import runs as form
from unjit.torch_private.probes import call_probes
from unjit.torch_private.probes.trace_probes import AHEAD_FUNCTION


def codes(count):
    return [compile(f"x{number}", "<made>", "eval") for number in range(count)]


@pytest.fixture
def log(tmp_path):
    made = RunLog(tmp_path / "runs.txt", kept=4)
    yield made
    made.finish()


def read(tmp_path):
    return form.read((tmp_path / "runs.txt").read_bytes(), kept=4)


@pytest.mark.parametrize("total", range(13))
def test_the_last_runs_are_kept_and_the_others_counted(log, tmp_path, total):
    made = codes(3)
    for number, code in enumerate(made):
        log.watch(code, number)
    ran = [number * number % 3 for number in range(total)]
    for number in ran:
        log.note(made[number])
    found = read(tmp_path)
    assert (found.total, found.threads) == (total, 1)
    assert list(found.kept) == ran[-4:]
    gone = ran[: max(total - 4, 0)]
    assert dict(found.before) == {number: gone.count(number) for number in set(gone)}


def test_code_of_others_and_code_that_is_gone(log, tmp_path):
    (code,) = codes(1)
    log.watch(code, 0)
    log.note(code)
    log.note(compile("y", "<made>", "eval"))
    del code
    (other,) = codes(1)  # perhaps at the same address
    log.note(other)
    assert read(tmp_path).kept == (0, form.OTHER, form.OTHER)


def test_another_thread_is_told(log, tmp_path):
    (code,) = codes(1)
    log.watch(code, 0)
    log.note(code)
    thread = threading.Thread(target=log.note, args=(code,))
    thread.start()
    thread.join()
    assert read(tmp_path).threads == 2


def test_an_error_ends_it_and_is_told(log, tmp_path):
    (code,) = codes(1)
    os.close(log._file)
    log._file = os.open(tmp_path / "runs.txt", os.O_RDONLY)
    log.note(code)
    log.note(code)
    assert "Bad file descriptor" in log.error


@needs(call_probes.SET_CALL_HOOK)
def test_what_torch_runs(tmp_path):
    torch._dynamo.reset()
    log = RunLog(tmp_path / "runs.txt")
    assert log.begin()
    compiled = torch.compile(lambda x: x + 1, backend="eager")
    for _ in range(3):
        compiled(torch.ones(2))
    log.finish()
    compiled(torch.ones(2))
    assert form.read((tmp_path / "runs.txt").read_bytes()).kept == (form.OTHER,) * 3
    torch._dynamo.reset()


@needs(call_probes.SET_CALL_HOOK, AHEAD_FUNCTION)
def test_what_was_compiled_ahead_of_time_runs_too(tmp_path):
    compiled = torch.compile(lambda x: x + 1, fullgraph=True, backend="aot_eager").aot_compile(((torch.ones(2),), {}))
    log = RunLog(tmp_path / "runs.txt")
    assert log.begin()
    log.watch(compiled.fn.__code__, 7)
    for _ in range(2):
        compiled(torch.ones(2))
    log.finish()
    compiled(torch.ones(2))
    assert form.read((tmp_path / "runs.txt").read_bytes()).kept == (7, 7)
    torch._dynamo.reset()


def test_what_is_no_such_file_is_refused():
    with pytest.raises(ValueError, match=r"missing|invalid"):
        form.read(b"threads           1\n          0       0\n          2       0\n")
