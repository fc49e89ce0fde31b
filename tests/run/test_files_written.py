"""No file is written but where it was asked for: judged by Python's own audit events, in processes of their own."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tempfile

import pytest

from unjit.directory.files import DiskFiles

PROGRAM = """
import json, os, sys
report = os.open(sys.argv[2], os.O_WRONLY | os.O_CREAT)
MAKING = {"os.mkdir": 0, "os.rename": 1, "os.link": 1, "os.symlink": 1, "os.truncate": 0}

def hook(event, args):
    path = None
    if event == "open":
        path, mode, flags = args
        writes = set(mode or "") & set("wxa+") or (flags or 0) & (os.O_WRONLY | os.O_RDWR | os.O_CREAT)
        path = path if writes else None
    elif event in MAKING:
        path = args[MAKING[event]]
    if isinstance(path, (str, bytes, os.PathLike)):
        os.write(report, (json.dumps([event, os.path.abspath(os.fsdecode(path))]) + "\\n").encode())

sys.addaudithook(hook)
import torch

def f(x):
    torch._dynamo.graph_break()
    return x + 1

def play():
    compiled = torch.compile(f, backend="eager")
    compiled(torch.ones(2))
    compiled(torch.ones(3))
    return compiled

mode = sys.argv[1]
if mode == "plain":
    play()
else:
    import unjit
    if mode == "capture":
        with unjit.capture(sys.argv[3]) as session:
            play()
        assert session.losses == ()
    elif mode == "in memory":
        with unjit.capture() as session:
            play()
        assert session.text("f", 0, "guards")
    elif mode == "explain":
        compiled = play()
        print(unjit.explain(compiled), unjit.getsource(compiled), unjit.why(compiled, torch.ones(4)))
"""

# tempfile writes to a file with a name of chance to find out where that is possible; torch asks it
PROBED = re.compile(rf"(?<={re.escape(tempfile.gettempdir())}/)[a-z0-9_]{{8}}$")


@pytest.fixture(scope="module")
def program(tmp_path_factory):
    file = tmp_path_factory.mktemp("program") / "program.py"
    file.write_text(PROGRAM)
    return file


def written(program, folder, mode, *before):
    """The paths that a run of the program made or wrote."""
    folder.mkdir()
    command = [sys.executable, *before, program, mode, folder / "events", folder / "out"]
    environment = {**os.environ, "PYTHONDONTWRITEBYTECODE": "1", "COVERAGE_PROCESS_START": ""}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    paths = [json.loads(line)[1] for line in (folder / "events").read_text().splitlines()]
    return {PROBED.sub("<tried>", path) for path in paths if path != os.devnull}


@pytest.fixture(scope="module")
def plainly(program, tmp_path_factory):
    return written(program, tmp_path_factory.mktemp("plain") / "here", "plain")


MODES = {
    "explain": ("explain", []),
    "in memory": ("in memory", []),
    "capture": ("capture", []),
    "run": ("plain", ["-m", "unjit", "run", "--verbose"]),
    "run --out": ("plain", ["-m", "unjit", "run", "--out", "out"]),
}


@pytest.mark.parametrize("name", MODES)
def test_nothing_is_written_elsewhere(name, program, plainly, tmp_path):
    mode, before = MODES[name]
    folder = tmp_path / "here"
    found = written(program, folder, mode, *before)
    out = str(folder / "out")
    inside = {path for path in found if path == out or path.startswith(out + os.sep)}
    assert bool(inside) is (name in ("capture", "run --out"))
    assert found - inside <= plainly


def test_lines_that_the_disk_does_not_take_are_kept(tmp_path):
    (tmp_path / "top").write_text("a file where the folder should be")
    files = DiskFiles(tmp_path / "top")
    for line in ("one", "two"):
        files.append("order.txt", line)
    assert files.read("order.txt") == "one\ntwo\n"
    assert files.losses
