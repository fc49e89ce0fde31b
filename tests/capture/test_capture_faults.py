"""What goes wrong around a capture costs the capture, never the program, and the session says what it lost."""

from __future__ import annotations

import json
import multiprocessing
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import textwrap
import threading

import pytest
import torch

import unjit
from toys import branch
from unjit.capturing.collecting.building import Building
from unjit.capturing.collecting.collector import Collector
from unjit.directory.files import DiskFiles
from unjit.directory.writer import Writer
from unjit.observe.listening.recorder import Recorder

pytestmark = pytest.mark.usefixtures("nothing_compiled")


def run(*sizes):
    compiled = torch.compile(branch, backend="eager")
    return [compiled(torch.ones(size)).tolist() for size in sizes or (3, 4)]


RESULT = [[4.0] * 3, [4.0] * 4]
HOOKS = [
    (Collector, "take"),
    (Collector, "generated"),
    (Collector, "building"),
    (Building, "take"),
    (Building, "add"),
    (Recorder, "_owner"),
    (DiskFiles, "write"),
    (Writer, "write"),
    (Writer, "write_entry"),
    (Writer, "write_compile"),
]


@pytest.mark.parametrize(("owner", "name"), HOOKS, ids=[f"{owner.__name__}.{name}" for owner, name in HOOKS])
def test_a_hook_that_raises(owner, name, tmp_path, monkeypatch):
    def fail(*_, **__):
        raise RuntimeError("ours")

    monkeypatch.setattr(owner, name, fail)
    with unjit.capture(tmp_path / "out") as session:
        assert run() == RESULT
    assert len(torch._dynamo.eval_frame._debug_get_cache_entry_list(branch.__code__)) == 2
    assert any("ours" in loss for loss in session.losses)


def test_a_directory_that_cannot_be_written():
    with unjit.capture("/proc/no-such-place/out") as session:
        assert run() == RESULT
    assert any("could not be written" in loss for loss in session.losses)
    assert len(session.compiles) == 4
    assert "def forward" in session.text("branch", 0, "captured")


def test_a_full_disk(tmp_path):
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    before = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    try:
        with unjit.capture(tmp_path / "out") as session:
            resource.setrlimit(resource.RLIMIT_FSIZE, (600, limits[1]))
            assert run() == RESULT
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        signal.signal(signal.SIGXFSZ, before)
    assert any("File too large" in loss for loss in session.losses)
    assert "RootGuardManager" in session.text("branch", 0, "guards")
    assert [file for file in (tmp_path / "out").rglob("*") if file.suffix == ".tmp"] == []


def test_a_disk_that_takes_no_index_is_told_where_the_environment_asked(tmp_path):
    program = """
import resource, signal, unjit
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100, -1))
import torch
print(torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2)).tolist())
"""
    environment = {**os.environ, "UNJIT_OUT": str(tmp_path / "out")}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "[2.0, 2.0]\n"
    index = tmp_path / "out" / "index.md"
    assert done.stderr == f"unjit: UNJIT_OUT: {index} could not be written; what was captured is not complete\n"


def test_a_child_whose_index_the_disk_does_not_take_names_its_own(tmp_path):
    program = """
import os, resource, signal, sys, unjit
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
import torch
if os.fork() == 0:
    resource.setrlimit(resource.RLIMIT_FSIZE, (100, -1))
else:
    os.wait()
torch.compile(lambda x: x + 1, backend="eager")(torch.ones(2))
"""
    environment = {**os.environ, "UNJIT_OUT": str(tmp_path / "out")}
    command = [sys.executable, "-c", program]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    index = tmp_path / "out" / "processes" / "child" / "index.md"
    assert done.stderr == f"unjit: UNJIT_OUT: {index} could not be written; what was captured is not complete\n"
    assert (tmp_path / "out" / "index.md").exists()


def test_the_folder_of_the_program_is_gone(tmp_path, monkeypatch):
    (tmp_path / "gone").mkdir()
    monkeypatch.chdir(tmp_path / "gone")
    (tmp_path / "gone").rmdir()
    with unjit.capture(tmp_path / "out") as session:
        assert run() == RESULT
    assert session.losses == ()
    assert len(session.compiles) == 4
    told = {one["word"]: one["folder"] for one in json.loads((tmp_path / "out" / "run.json").read_text())["folders"]}
    assert told["<folder>"]["unknown"].startswith("it could not be found out: FileNotFoundError")
    assert isinstance(told["<python>"], str)


def test_an_index_that_is_written_again_for_a_late_loss_names_compiles_as_the_files_do(tmp_path, monkeypatch):
    run(2)  # numbers of frames begin later than at 0 then
    with unjit.capture(tmp_path / "whole"):
        run(3)
    torch._dynamo.reset()
    run(2)
    monkeypatch.setattr(
        "unjit.capturing.session.write_page", lambda kept, _written: kept.losses.append("the page is lost")
    )
    with unjit.capture(tmp_path / "late"):
        run(3)
    whole, late = ((tmp_path / name / "index.md").read_text() for name in ("whole", "late"))
    assert "the page is lost" in late
    assert numbers(late) == numbers(whole) != []


def numbers(text):
    return re.findall(r"\b\d+/\d+\b", text)


def test_files_removed_under_us(tmp_path):
    with unjit.capture(tmp_path / "out") as session:
        assert run(3) == RESULT[:1]
        shutil.rmtree(tmp_path / "out")
        assert run(4) == RESULT[1:]
    assert len(session.compiles) == 4
    assert session.text("branch", 0, "captured").reason == "the file is gone, or could not be written"
    assert "def forward" in session.text("branch", 1, "captured")
    gone = "functions/branch/compile_0/captured.py is gone from the directory, or cannot be read"
    assert gone in (tmp_path / "out" / "index.md").read_text()
    losses = unjit.load(tmp_path / "out").losses
    assert list(losses).count(gone) == 1
    assert gone in session.losses


def test_where_more_is_lost_than_is_listed_that_is_said(tmp_path):
    files = DiskFiles(tmp_path)
    for number in range(30):
        files.write(f"{number}", "whole")  # a success between two failures: it is not given up
        files.write(f"{number}/in_a_file", "lost")
    assert files.losses[19].startswith("19/in_a_file could not be written: ")
    assert files.losses[20:] == ["more files could not be written or moved, which are not listed"]


def test_a_run_that_could_not_keep_everything_does_not_say_that_it_did(tmp_path):
    (tmp_path / "program.py").write_text(
        "import torch\n"
        "@torch.compile(backend='eager')\n"
        "def f(x):\n    return x + 1\n"
        "f(torch.ones(2))\n"
        "import shutil\n"
        "shutil.rmtree('out/functions/f/compile_0')\n"
    )
    command = [sys.executable, "-m", "unjit", "run", "--out", "out", "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert "everything that torch made" not in done.stderr
    assert "! functions/f/compile_0/captured.py is gone from the directory" in done.stderr
    assert f"not everything could be kept: {tmp_path}/out/index.md" in done.stderr


@pytest.mark.parametrize("moment", ["while it compiles", "between compiles"])
def test_a_process_that_is_killed(moment, tmp_path):
    script = f"""
        import os, signal, sys, torch, unjit
        def f(x):
            return x + 1
        def g(x):
            return x * 2
        def die(graph, inputs):
            os.kill(os.getpid(), signal.SIGKILL)
        with unjit.capture(sys.argv[1]):
            torch.compile(f, backend="eager")(torch.ones(2))
            if {moment == "while it compiles"}:
                torch.compile(g, backend=die)(torch.ones(2))
            os.kill(os.getpid(), signal.SIGKILL)
    """
    done = subprocess.run([sys.executable, "-c", textwrap.dedent(script), str(tmp_path / "out")], check=False)
    assert done.returncode == -signal.SIGKILL
    assert "has not ended" in (tmp_path / "out" / "index.md").read_text()
    loaded = unjit.load(tmp_path / "out")
    assert not loaded.data.finished
    assert "x + 1" in loaded.text("f", 0, "captured") or "l_x_ + 1" in loaded.text("f", 0, "captured")
    assert loaded.compiles_of("f")[0].compile.outcome == "compiled"
    assert any("ended without a word" in loss for loss in loaded.losses)
    if moment == "while it compiles":
        assert (tmp_path / "out" / "functions" / "g" / "compile_0" / "captured.py").exists()
        assert any("g/compile_0 has no compile.json: the compile had not ended" in loss for loss in loaded.losses)


def in_child(sizes):
    assert run(*sizes)[0] == RESULT[0]


@pytest.mark.parametrize("how", ["fork", "spawn"])
def test_children_have_folders_of_their_own(how, tmp_path):
    with unjit.capture(tmp_path / "out") as session:
        assert run(3) == RESULT[:1]
        torch._dynamo.reset()
        child = multiprocessing.get_context(how).Process(target=in_child, args=((3, 4),), name="worker")
        child.start()
        child.join()
        assert child.exitcode == 0
    assert len(session.compiles) == 2
    (worker,) = session.processes.values()
    assert list(session.processes) == ["worker"]
    assert worker.data.finished
    assert len(worker.compiles) == 4
    assert os.environ.get("UNJIT_RUN") is None


def test_four_threads(tmp_path):
    functions = []
    for number in range(4):
        scope = {"torch": torch}
        exec(f"def f{number}(x):\n    torch._dynamo.graph_break()\n    return x + {number}\n", scope)
        functions.append(scope[f"f{number}"])

    def work(number):
        got[number] = torch.compile(functions[number], backend="eager")(torch.zeros(2)).tolist()

    got = {}
    with unjit.capture(tmp_path / "out") as session:
        threads = [threading.Thread(target=work, args=(number,)) for number in reversed(range(4))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    assert got == {number: [float(number)] * 2 for number in range(4)}
    assert session.losses == ()
    names = [function.key for function in session.functions]
    assert names == sorted(names)
    assert [name for name in names if "resumes" not in name] == ["f0", "f1", "f2", "f3"]


def test_an_interrupt_in_a_compile(tmp_path):
    def interrupted(graph, inputs):
        raise KeyboardInterrupt

    session = unjit.capture(tmp_path / "out")
    with pytest.raises(KeyboardInterrupt), session:
        torch.compile(branch, backend=interrupted)(torch.ones(3))
    assert "def forward" in unjit.load(tmp_path / "out").text("branch", 0, "captured")
    assert session.data.finished
