"""A process that is killed while it writes: what it left is whole, and is read back as far as it got."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import sys

import pytest
import torch

import unjit
from toys import branch
from unjit.directory import files
from unjit.errors import UnjitError

pytestmark = [
    pytest.mark.usefixtures("nothing_compiled"),
    pytest.mark.skipif(sys.platform == "win32", reason="there is no fork"),
]
POINTS = 8  # of some hundred: each takes a process


def capture_and_die(directory, at):
    """In a child: do half of the `at`-th write and die; for 0, do all and give the number of writes."""
    count, write = 0, files._write

    def dying_write(path, pieces, *how):
        nonlocal count
        count += 1
        text = "".join(pieces)
        if count == at:
            write(path, (text[: len(text) // 2],), *how)
            os.kill(os.getpid(), signal.SIGKILL)
        write(path, (text,), *how)

    files._write = dying_write
    run(directory)
    files._write = write
    return count


def run(directory):
    with unjit.capture(directory):
        compiled = torch.compile(branch, backend="eager")
        compiled(torch.ones(3))
        compiled(torch.ones(4))


def in_child(directory, at):
    """How the child ended, and how many writes it told of."""
    reading, writing = os.pipe()
    child = os.fork()
    if not child:
        try:
            os.write(writing, str(capture_and_die(directory, at)).encode())
        finally:
            os._exit(0)
    os.close(writing)
    _, status = os.waitpid(child, 0)
    with os.fdopen(reading) as told:
        return status, int(told.read() or 0)


def load(directory):
    """What is there; None if it was killed before there was anything."""
    if any(directory.glob("functions/*/*/compile.json")):
        return unjit.load(directory)
    with contextlib.suppress(UnjitError):
        return unjit.load(directory)


def test_a_process_that_is_killed_at_any_point(tmp_path):
    run(tmp_path / "first")  # what is imported here need not be in each child
    torch._dynamo.reset()
    status, writes = in_child(tmp_path / "whole", 0)
    assert status == 0
    assert writes > 40
    whole = unjit.load(tmp_path / "whole")
    loaded = []
    for at in range(1, writes, writes // POINTS):
        directory = tmp_path / str(at)
        status, _ = in_child(directory, at)
        assert os.WTERMSIG(status) == signal.SIGKILL
        for file in directory.rglob("*.*"):
            if file.suffix == ".json":
                json.loads(file.read_text())
            elif file.suffix == ".py":
                assert file.read_text() == (tmp_path / "whole" / file.relative_to(directory)).read_text()
        loaded.append(load(directory))
    read = [one for one in loaded if one is not None]
    assert len(read) >= POINTS - 2
    for one in read:
        assert {compile_.path for compile_ in one.compiles} <= {compile_.path for compile_ in whole.compiles}
        assert one.data.finished or any("ended without a word" in loss for loss in one.losses)
